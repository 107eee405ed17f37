"""Printing an answer, for `mem recall` and `mem similar`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import typer

from memcli import output
from memcli.budget import Item, estimate, fit
from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.model import Memory
from memcli.recall import Recall, neighbours

Look = Literal["table", "text", "jsonl", "prompt", "ids"]
Format = Annotated[
    Look | None,
    typer.Option("--format", "-f", help="On a terminal a table, in a pipe the prompt block."),
]


def print_answer(
    memories: Memories,
    answer: Recall,
    look: Look | None,
    *,
    budget: int | None = None,
    expand: int = 0,
    explain: bool = False,
) -> None:
    """Print an answer in the look asked for, within `budget` tokens; exit 1 where it is empty."""
    if not answer.hits:
        if explain:
            for line in output.explanation(answer):
                output.to_stderr(line)
        raise typer.Exit(1)
    around = neighbours(memories.store, answer.hits, expand) if expand else {}
    look = look or ("table" if output.for_people() else "prompt")
    if explain and look in ("table", "text", "prompt"):
        for line in output.explanation(answer):
            output.to_stdout(line)
    elif look == "table" and budget is None:
        output.hits_table(answer, around)
    elif look == "prompt":
        _print_block(memories, answer, around, budget)
    else:
        lines = _lines(answer, look, around, explain)
        page = fit([Item(line) for line in lines], budget, memories.count_tokens or estimate)
        _say_what_was_cut(page.cut, budget)
        for item in page.items:
            output.to_stdout(item.text)
        if not page.items:
            raise typer.Exit(1)


def _lines(answer: Recall, look: Look, around: Mapping[str, Sequence[Memory]], explain: bool) -> list[str]:
    if look == "jsonl":
        return [
            output.json_line(
                output.hit_record(hit, answer, explain=explain, around=around.get(hit.memory.id, ()))
            )
            for hit in answer.hits
        ]
    if look == "ids":
        return [hit.memory.id for hit in answer.hits]
    return list(output.text_lines([hit.memory for hit in answer.hits], [hit.score for hit in answer.hits]))


def _print_block(
    memories: Memories, answer: Recall, around: Mapping[str, Sequence[Memory]], budget: int | None
) -> None:
    from memcli import prompt_block

    frame = prompt_block.frame(answer, memories.space)
    count = memories.count_tokens or estimate
    page = fit(prompt_block.items(answer.hits, around), budget, count, frame)
    if not page.items:
        needed = sum(count(line) + 1 for line in frame)
        raise BadInput(f"--budget {budget} holds no memory: the block alone takes {needed} tokens")
    _say_what_was_cut(page.cut, budget)
    for line in prompt_block.block(page, frame):
        output.to_stdout(line)


def _say_what_was_cut(cut: int, budget: int | None) -> None:
    if cut:
        output.to_stderr(f"{cut} more did not fit into --budget {budget}")
