"""Printing an answer, for `mem recall` and `mem similar`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import typer

from memcli import output, prompt_block
from memcli.budget import Item, estimate, fit, least
from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.model import Memory
from memcli.recall import Recall, neighbours

Look = Literal["table", "text", "jsonl", "prompt", "ids"]
Format = Annotated[
    Look | None,
    typer.Option("--format", "-f", help="On a terminal a table, in a pipe the prompt block."),
]
Around = Mapping[str, Sequence[Memory]]


def print_answer(
    memories: Memories,
    answer: Recall,
    look: Look | None,
    *,
    budget: int | None = None,
    expand: int = 0,
    explain: bool = False,
) -> None:
    """Print an answer in the look asked for, within `budget` tokens; exit 1 where it is empty.

    What explains it comes on top of the budget: it tells of the page that would
    be printed without.
    """
    look = look or ("table" if output.for_people() else "prompt")
    if not answer.hits:
        if explain:
            _explain(answer, look, {})
        raise typer.Exit(1)
    around = neighbours(memories.store, answer.hits, expand) if expand else {}
    frame = prompt_block.frame(answer, memories.space) if look == "prompt" else ()
    count = memories.count_tokens or estimate
    items = _items(answer, look, around)
    page = fit(items, budget, count, frame)
    if not page.items:
        needed = least(items[0], count, frame)
        raise BadInput(f"--budget {budget} holds no memory, not even shortened: this takes {needed} tokens")
    if page.dropped:
        output.to_stderr(f"{len(page.dropped)} more did not fit into --budget {budget}")
    if explain:
        from memcli.explaining import within

        _explain(within(answer, page.dropped, budget), look, around)
    elif look == "table" and budget is None:
        output.hits_table(answer, around)
    else:
        for line in prompt_block.block(page, frame) if frame else (item.text for item in page.items):
            output.to_stdout(line)


def _items(answer: Recall, look: Look, around: Around) -> list[Item]:
    if look == "prompt":
        return prompt_block.items(answer.hits, around)
    if look == "jsonl":
        return [output.hit_item(hit, answer, around.get(hit.memory.id, ())) for hit in answer.hits]
    if look == "ids":
        return [Item(hit.memory.id, body="") for hit in answer.hits]
    return [output.text_item(hit, around.get(hit.memory.id, ())) for hit in answer.hits]


def _explain(answer: Recall, look: Look, around: Around) -> None:
    from memcli import explaining

    if look == "jsonl":
        for record in explaining.records(answer, around):
            output.to_stdout(output.json_line(record))
        return
    # What is not the data asked for goes to stderr: beside ids, and where there is nothing.
    aside = look == "ids" or not answer.hits
    for hit in answer.hits if look == "ids" else ():
        output.to_stdout(hit.memory.id)
    for line in explaining.lines(answer):
        output.to_stderr(line) if aside else output.to_stdout(line)
