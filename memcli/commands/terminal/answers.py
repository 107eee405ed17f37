"""Printing an answer, for `mem recall` and `mem similar`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import typer

from memcli.commands.terminal import output, tables
from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.prompt import block as prompt_block
from memcli.prompt.budget import Item, estimate, fit, least
from memcli.prompt.tiers import Tier
from memcli.recall import records
from memcli.recall.results import Recall
from memcli.recall.similar import neighbours
from memcli.text import printable
from memcli.tiers.context import gathering
from memcli.tiers.context.gathering import Piece

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
    tiers: Sequence[Tier] = (),
    where: Filter | None = None,
    budget: int | None = None,
    expand: int = 0,
    explain: bool = False,
) -> None:
    """Print an answer in the look asked for, within `budget` tokens; exit 1 where it is empty.

    From `tiers` comes what the graph says of the entities named, and into the
    block for prompts what always comes along; that alone is no answer. What
    explains it comes on top of the budget: it tells of the page that would be
    printed without.
    """
    look = look or ("table" if output.for_people() else "prompt")
    where = where or memories.within()
    facts = gathering.related(memories, answer.query, where) if "graph" in tiers and look != "ids" else []
    if not answer.hits and not facts:
        if explain:
            _explain(answer, look, {})
        raise typer.Exit(1)
    around = neighbours(memories.store, answer.hits, expand) if expand else {}
    count = memories.model.count_tokens or estimate
    if explain:
        from memcli.recall.explaining import within

        page = fit(_items(answer, look, around, facts), budget, count)
        _say_what_was_cut(len(page.dropped), budget)
        _explain(within(answer, page.dropped, budget), look, around)
    elif look == "prompt":
        found = [*gathering.found(answer.hits, around), *facts]
        if "warnings" in tiers:
            found += gathering.failures(memories, answer.query, where, found)
        found = [piece for piece in found if not tiers or piece.tier in tiers]
        if not found:
            raise typer.Exit(1)
        others = gathering.along(memories, tiers, found, where.trusted)
        print_block(memories, answer.query, found, others, budget)
    elif look == "table" and budget is None:
        tables.hits_table(answer, around)
        for fact in facts:
            output.to_stdout(printable.plain(fact.item.text))
    else:
        items = _items(answer, look, around, facts)
        page = fit(items, budget, count)
        if not page.items:
            raise _too_small(budget, least(items[0], count))
        _say_what_was_cut(len(page.dropped), budget)
        for item in page.items:
            output.to_stdout(item.text)


def print_block(
    memories: Memories, query: str, found: Sequence[Piece], others: Sequence[Piece], budget: int | None
) -> None:
    """Print the marked block for a prompt, within `budget` tokens."""
    frame = prompt_block.frame(query, memories.space)
    count = memories.model.count_tokens or estimate
    page, cut = gathering.page(found, others, budget, count, frame)
    if not page.items:
        raise _too_small(budget, least((found or others)[0].item, count, frame))
    _say_what_was_cut(len(cut), budget)
    for line in gathering.block(page, frame):
        output.to_stdout(line)


def _too_small(budget: int | None, needed: int) -> BadInput:
    return BadInput(f"--budget {budget} holds no memory, not even shortened: this takes {needed} tokens")


def _say_what_was_cut(cut: int, budget: int | None) -> None:
    if cut:
        output.to_stderr(f"{cut} more did not fit into --budget {budget}")


def _items(answer: Recall, look: Look, around: Around, facts: Sequence[Piece]) -> list[Item]:
    if look == "ids":
        return [Item(hit.memory.id, body="") for hit in answer.hits]
    if look == "jsonl":
        hits = [records.hit_item(hit, answer, around.get(hit.memory.id, ())) for hit in answer.hits]
        return [*hits, *(_fact_record(fact) for fact in facts)]
    return [
        *(records.text_item(hit, around.get(hit.memory.id, ())) for hit in answer.hits),
        *(f.item for f in facts),
    ]


def _fact_record(fact: Piece) -> Item:
    record = {"tier": "graph", "link": fact.id, "text": fact.item.body}
    return Item(printable.json_line(record), body="")


def _explain(answer: Recall, look: Look, around: Around) -> None:
    from memcli.recall import explaining

    if look == "jsonl":
        for record in explaining.records(answer, around):
            output.to_stdout(printable.json_line(record))
        return
    # What is not the data asked for goes to stderr: beside ids, and where there is nothing.
    show = output.to_stderr if look == "ids" or not answer.hits else output.to_stdout
    for hit in answer.hits if look == "ids" else ():
        output.to_stdout(hit.memory.id)
    for line in explaining.lines(answer):
        show(line)
