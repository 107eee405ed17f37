"""Answers, printed for `mem recall`, `mem similar` and `mem context`; nothing is searched here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any

import typer

from memcli.commands.terminal import forms, output
from memcli.config.config import Config
from memcli.errors import BadInput
from memcli.messages import message
from memcli.named_tuple import NamedTuple
from memcli.prompt.sections import HEADINGS, tier_of
from memcli.recall.results import MissReason, Recall
from memcli.text.printable import json_array, json_line, one_line
from memcli.tiers.context.answer import (
    JSON_ARRAY,
    JSON_LINES,
    PROMPT,
    Answer,
    AnswerForm,
    Piece,
    piece_entry,
    piece_record,
)

Format = Annotated[
    forms.AnswerForm | None,
    typer.Option("--format", "-f", help="Default: a table on a terminal, a context for a prompt in a pipe."),
]


class TextLines(AnswerForm):
    """One line for each hit; the other pieces below, under the headings of the context and in its words."""

    def line(self, piece: Piece, answer: Answer) -> str:
        """Return a hit with its score; any other piece as in the context."""
        if piece.hit is None:
            return piece_entry(piece, of_space=answer.of_all_spaces)
        from memcli.recall.records import hit_line

        text = piece.text if piece.shortened else None
        weak = answer.recall is not None and answer.recall.weak
        return hit_line(
            piece.hit, text, piece.around, past=piece.past, weak=weak, of_space=answer.of_all_spaces
        )

    def body(self, piece: Piece) -> str:
        """Return the text that is printed on the line of a hit."""
        return one_line(piece.text) if piece.hit else PROMPT.body(piece)

    def heading(self, piece: Piece) -> str:
        """Return the heading of a piece; "" for hits."""
        return "" if piece.hit else HEADINGS[piece.tier]


class Ids(AnswerForm):
    """The ids of the hits alone, to be piped into other commands."""

    def takes(self, piece: Piece, answer: Answer) -> bool:
        """True for certain hits of the recall itself: no accompanying pieces and no weak hits."""
        return piece.hit is not None and not (answer.recall and answer.recall.weak)

    def body(self, piece: Piece) -> str:
        """Return "": an id cannot be shortened."""
        return ""

    def line(self, piece: Piece, answer: Answer) -> str:
        """Return the id."""
        return piece.id or ""


class Tabbed(Ids):
    """The hits alone in columns separated by tabs, for `cut`, `fzf` and the like."""

    def takes(self, piece: Piece, answer: Answer) -> bool:
        """True for all hits of the recall itself, weak ones too: a person looks at them and picks."""
        return piece.hit is not None

    def body(self, piece: Piece) -> str:
        """Return the text for the last column."""
        return one_line(piece.text)

    def line(self, piece: Piece, answer: Answer) -> str:
        """Return id, kind, day and text."""
        from memcli.recall.records import tabbed_line

        memory = piece.hit.memory if piece.hit else None
        return tabbed_line(replace(memory, text=piece.text)) if memory else ""


TEXT = TextLines()
_FORMS: dict[forms.AnswerForm, AnswerForm] = {
    "table": TEXT, "text": TEXT, "jsonl": JSON_LINES, "json": JSON_ARRAY, "prompt": PROMPT,
    "ids": Ids(), "tsv": Tabbed(),
}  # fmt: skip


def chosen_look(format: forms.AnswerForm | None, json: bool) -> forms.AnswerForm:
    """Return the format: the one asked for, else a table on a terminal and a context in a pipe."""
    return "jsonl" if json else format or ("table" if output.stdout_is_terminal() else "prompt")


def form_of(look: forms.AnswerForm) -> AnswerForm:
    """Return the form whose length a budget counts: a table that has to fit one is printed as text."""
    return _FORMS[look]


class Budget(NamedTuple):
    """A number of tokens, and what set it: an option, or the setting for pipes."""

    tokens: int
    said: str


def chosen_budget(given: int | None, config: Config) -> Budget | None:
    """Return the budget that was given (0 means none), else the setting if stdout is a pipe."""
    if given is not None:
        return Budget(given, f"--budget {given}") if given else None
    tokens = 0 if output.stdout_is_terminal() else config["context_budget"]
    return Budget(tokens, f"{tokens:,} tokens (context_budget)") if tokens else None


def check_budget(answer: Answer, budget: Budget | None) -> None:
    """Raise BadInput if there is an answer, but nothing of it fits into the budget."""
    if budget and answer.cut and not answer.pieces:
        raise BadInput(
            f"{budget.said} holds no memory, not even a shortened one; that takes {answer.least} tokens"
        )


def print_answer(
    answer: Answer, look: forms.AnswerForm, *, budget: Budget | None = None, explain: bool = False
) -> None:
    """Print an answer that was fitted to `budget`; nothing if there is none.

    An explanation comes on top of the budget: it describes the page that would be printed without it.
    """
    if budget and answer.cut:
        which = ", ".join(f"{tier} {number}" for tier, number in answer.cut_by_tier.items())
        output.to_stderr(f"{len(answer.cut)} more did not fit into {budget.said}: {which}")
    if look in ("table", "text", "ids", "tsv"):
        # Lines are read by other commands, too, so remarks about all of them go to stderr.
        form = form_of(look)
        pieces, cut = (
            [each for each in some if form.takes(each, answer)] for some in (answer.pieces, answer.cut)
        )
        for mark in answer._replace(pieces=pieces, cut=cut).marks:
            output.to_stderr(mark)
    if explain:
        _explain(answer, look, budget)
    elif look == "table" and budget is None and answer.pieces:
        from memcli.commands.terminal import tables

        others = answer._replace(pieces=[piece for piece in answer.pieces if piece.hit is None])
        tables.answer_table(answer, TEXT.lines(others))
    else:
        _write(form_of(look), answer)


def print_degraded(reason: str | None, *, partly: bool = False) -> None:
    """Say on stderr why the vector search was incomplete."""
    if reason:
        how = "searched by meaning in part" if partly else "searched by words only"
        output.to_stderr(message(f"{how}: ", reason))


def print_nothing_found(reason: str | None, look: forms.AnswerForm) -> None:
    """Print a record saying that nothing was found if the search was incomplete; else stdout stays empty."""
    if look in ("json", "jsonl") and reason:
        from memcli.recall.records import degraded_fields

        _print_records([{"found": 0, **degraded_fields(reason)}], look)


def _print_records(records: Iterable[dict[str, Any]], look: forms.AnswerForm) -> None:
    lines = map(json_line, records)
    for line in json_array(lines) if look == "json" else lines:
        output.to_stdout(line)


def _write(form: AnswerForm, answer: Answer) -> None:
    for line in form.lines(answer) if answer.pieces else ():
        output.to_stdout(line)


def _explain(answer: Answer, look: forms.AnswerForm, budget: Budget | None) -> None:
    from memcli.recall import explanation

    if answer.recall is None:
        return
    recall = explanation.without_hits(answer.recall, _left_out(answer, answer.recall, budget))
    if look in ("json", "jsonl"):
        records = [
            {
                **piece_record(piece, answer),
                **({"explain": explanation.score_parts(piece.hit)} if piece.hit else {}),
            }
            for piece in (*answer.found, *answer.background)
        ]
        _print_records([*records, explanation.explanation_summary(recall)], look)
        return
    # An explanation beside ids, or without hits, goes to stderr, since it is not the data asked for.
    show = output.to_stderr if look in ("ids", "tsv") or not recall.hits else output.to_stdout
    if look in ("ids", "tsv"):
        _write(form_of(look), answer)
    for line in explanation.explanation_lines(recall):
        show(line)
    # The other answers beside memories: links of the graph, earlier failures.
    beside = answer._replace(pieces=[piece for piece in answer.found if piece.hit is None])
    if look not in ("ids", "tsv") and beside.pieces:
        _write(TEXT, beside)


def _left_out(answer: Answer, recall: Recall, budget: Budget | None) -> dict[str, MissReason]:
    """Return why hits are not on the page, by id: the budget, or the tiers asked for."""
    shown = {hit.memory.id for hit in answer.hits}
    cut = {piece.id for piece in answer.cut}
    over = MissReason("over the budget", budget.said if budget else "")
    return {
        memory.id: over if memory.id in cut else MissReason("filtered", f"tier: {tier_of(memory)}")
        for memory in (hit.memory for hit in recall.hits)
        if memory.id not in shown
    }
