"""Answer: what was gathered from each tier, and its forms for a prompt and for a program.

An answer does not know who asked. Whoever prints one chooses a form, and a form only formats: each of them
has the same pieces.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Self

from memcli import times
from memcli.model import Memory, outcome_counts
from memcli.named_tuple import NamedTuple
from memcli.prompt import context, formats
from memcli.prompt.sections import HEADINGS, TIERS, Tier, tier_of
from memcli.recall.results import Hit, Recall
from memcli.text.printable import json_line, one_line


class Piece(NamedTuple):
    """A memory, a link of the graph, a block or a line of the task, as one tier contributes it.

    `id` is the memory's or the link's; `trusted` is True if all that it rests on is. `found`: it answers
    the question, as opposed to background. What recall itself found has its `hit`, with the turns `around`
    it if they were asked for. `shortened`: `text` is the beginning only; `past`: it is no longer valid;
    `due`: the day by or on which it falls due; `updated_by`: the id of the piece above it that may replace
    its value (a hit has that itself); `via`: the entity through which a link one hop on was reached.
    """

    tier: Tier
    text: str
    id: str | None = None
    trusted: bool = True
    found: bool = False
    memory: Memory | None = None
    hit: Hit | None = None
    around: Sequence[Memory] = ()
    shortened: bool = False
    past: bool = False
    due: datetime | None = None
    updated_by: str | None = None
    via: str = ""

    @classmethod
    def of(cls, memory: Memory, tier: Tier | None = None, *, found: bool = False) -> Self:
        """Return a memory as a piece, of its own tier unless another is given."""
        return cls(tier or tier_of(memory), memory.text, memory.id, memory.trusted, found, memory)

    @property
    def timed(self) -> bool:
        """True if only a time was asked for, and it is from that time."""
        return self.hit is not None and self.hit.found_by == [formats.FOUND_BY_TIME]

    def shortened_to(self, text: str) -> Self:
        """Return this piece with the beginning of its text only, and without the turns around it."""
        return self._replace(text=text, around=(), shortened=True)


class Answer(NamedTuple):
    """The pieces of context gathered for a question; without one, for the start of a session.

    `pieces` are in the order in which they claim room: without a budget what was found, best first, then
    the background. `cut` are those that a budget left out, `least` the tokens that the smallest needs, if
    none fits. `recall` has the misses and the evidence. If all spaces were searched, `space` is `*`.
    """

    query: str
    space: str
    pieces: Sequence[Piece]
    recall: Recall | None = None
    cut: Sequence[Piece] = ()
    least: int = 0

    @property
    def relevant(self) -> bool:
        """True if there is anything to say, even if it is more than a budget holds."""
        return bool(self.pieces or self.cut)

    @property
    def of_all_spaces(self) -> bool:
        """True if all spaces were searched: then each memory is shown with its own."""
        return self.space == formats.ALL_SPACES

    @property
    def weak(self) -> bool:
        """True if what was found is near, but none of it surely answers; facts of the graph do."""
        told = any(piece.tier == "graph" for piece in (*self.pieces, *self.cut))
        return self.recall is not None and self.recall.weak and not told

    @property
    def marks(self) -> list[str]:
        """Remarks on the answer as a whole, a sentence each: that it is weak, that another said it."""
        if not self.weak or self.recall is None:
            return []
        if self.recall.attribution is None:
            return [formats.WEAK]
        named, speaker, _ = self.recall.attribution
        said = formats.SAID_BY_ANOTHER.format(name=one_line(speaker), label=one_line(named))
        return [formats.WEAK, said]

    @property
    def cut_by_tier(self) -> dict[Tier, int]:
        """Return how many pieces of each tier a budget left out."""
        return dict(Counter(piece.tier for piece in self.cut))

    @property
    def degraded(self) -> str | None:
        """Why meaning was not searched; None if it was, or if nothing was asked."""
        return self.recall.degraded if self.recall else None

    @property
    def found(self) -> list[Piece]:
        """The pieces that answer the question, best first: hits, facts of the graph, past failures."""
        return [piece for piece in self.pieces if piece.found]

    @property
    def background(self) -> list[Piece]:
        """The pieces that come along whatever is asked."""
        return [piece for piece in self.pieces if not piece.found]

    @property
    def hits(self) -> list[Hit]:
        """The hits of recall itself, best first."""
        return [piece.hit for piece in self.pieces if piece.hit]

    def to_prompt(self) -> str:
        """Return the marked context for a prompt; empty if there is nothing to say."""
        return "\n".join(PROMPT.lines(self)) if self.pieces else ""

    def to_records(self) -> list[dict[str, Any]]:
        """Return every piece as JSON types: a hit with all its fields, background last."""
        return [piece_record(piece, self) for piece in (*self.found, *self.background)]


def piece_record(piece: Piece, answer: Answer) -> dict[str, Any]:
    """Return a piece as JSON types; a shortened one says so, and its hit has only identifying fields."""
    # Imported here, since a prompt needs no records.
    from memcli.recall.records import degraded_fields, hit_record

    if piece.hit and answer.recall:
        whole = hit_record(piece.hit, answer.recall, piece.around)
        if piece.hit.memory.kind == "procedure":
            whole |= zip(("ok", "failed"), outcome_counts(piece.hit.memory.data), strict=True)
        if not piece.shortened:
            return {**whole, "past": piece.past, "tier": piece.tier}
        named = {name: whole[name] for name in ("id", "kind", "score", "weak", "degraded")}
        return {**named, "text": piece.text, "shortened": True, "past": piece.past, "tier": piece.tier}
    return {
        "tier": piece.tier,
        "link" if piece.tier == "graph" else "id": piece.id,
        "text": piece.text,
        "trusted": piece.trusted,
        **_conditions(piece),
        **degraded_fields(answer.degraded),
        **({"weak": True} if answer.weak else {}),
        **({"shortened": True} if piece.shortened else {}),
        **({"past": True} if piece.past else {}),
        **({"via": piece.via} if piece.via else {}),
        **({"due": times.local_day(piece.due)} if piece.due else {}),
        **({"perhaps_updated_by": piece.updated_by} if piece.updated_by else {}),
    }


def _conditions(piece: Piece) -> dict[str, Any]:
    """Return how a policy is enforced, when it holds, and its exceptions; empty for other pieces."""
    if piece.tier != "policies" or piece.memory is None:
        return {}
    said = piece.memory.data
    return {
        "enforcement": said.get("enforcement"), "when": said.get("when") or [],
        "unless": said.get("unless") or [],
    }  # fmt: skip


def piece_entry(piece: Piece, *, weak: bool = False, of_space: bool = False) -> str:
    """Return a piece as printed in a context: a memory with its source, another text as a line of data.

    The lines of a task are that already. `weak` marks a memory as merely near, `of_space` names its space.
    """
    if piece.memory:
        said = replace(piece.memory, text=piece.text) if piece.shortened else piece.memory
        updated_by = piece.hit.updated_by if piece.hit else piece.updated_by
        return context.memory_entry(
            said,
            piece.around,
            past=piece.past,
            due=piece.due,
            weak=weak,
            updated_by=updated_by,
            of_space=of_space,
            over=piece.hit.over if piece.hit else None,
        )
    if piece.tier == "task":
        return piece.text
    way = formats.NOTED_ABOUT.format(rest=formats.BY_WAY.format(name=piece.via)) if piece.via else ""
    return context.text_entry(piece.text + way, trusted=piece.trusted)


class AnswerForm(ABC):
    """The layout of an answer as text. A budget counts all that is printed: lines, headings, frame."""

    @abstractmethod
    def line(self, piece: Piece, answer: Answer) -> str:
        """Return a piece as printed, with its further lines."""

    def takes(self, piece: Piece, answer: Answer) -> bool:
        """True if a piece of an answer is printed at all."""
        return True

    def shows(self, answer: Answer) -> bool:
        """True if there is anything to print, even if it is more than a budget holds."""
        return any(self.takes(piece, answer) for piece in (*answer.pieces, *answer.cut))

    def body(self, piece: Piece) -> str:
        """Return the part of a piece that may be shortened; empty if none may."""
        return piece.text

    def heading(self, piece: Piece) -> str:
        """Return the heading of a piece; empty if it is above all sections."""
        return ""

    def frame(self, answer: Answer) -> tuple[Sequence[str], Sequence[str]]:
        """Return the lines above everything, and those below."""
        return (), ()

    def lines(self, answer: Answer) -> Iterator[str]:
        """Yield the page: pieces without heading (found, then by time), then a section per tier."""
        above, below = self.frame(answer)
        yield from above
        for piece in (*answer.found, *answer.background):
            if self.takes(piece, answer) and not self.heading(piece):
                yield self.line(piece, answer)
        listed = [piece for piece in answer.pieces if self.takes(piece, answer) and self.heading(piece)]
        timed = [piece for piece in listed if piece.timed]
        sections = _sections([piece for piece in listed if not piece.timed])
        by_tier = ([piece for piece, section in sections if section == tier] for tier in TIERS)
        for under in (timed, *by_tier):
            if under:
                yield self.heading(under[0])
                yield from (self.line(piece, answer) for piece in under)
        yield from below


# Tiers whose memories state something: an update and what it replaces may be in different ones.
_TELLING: tuple[Tier, ...] = ("preferences", "facts", "outcomes", "episodes")


def _sections(pieces: Sequence[Piece]) -> list[tuple[Piece, Tier]]:
    """Return pieces in order, each with the tier under whose heading it is printed: mostly its own.

    A piece that may update another is in one section with it, that of the first of the two: under separate
    headings, the older would often come first.
    """
    standing: dict[str, Tier] = {}
    updating: dict[str, Tier] = {}
    found: list[tuple[Piece, Tier]] = []
    for piece in pieces:
        tier, newer = piece.tier, piece.hit.updated_by if piece.hit else None
        if piece.id and piece.hit and tier in _TELLING:
            tier = updating.get(piece.id) or standing.get(newer or "") or tier
            standing[piece.id] = tier
            if newer:
                updating.setdefault(newer, tier)
        found.append((piece, tier))
    return found


class Prompt(AnswerForm):
    """The marked context for a prompt."""

    def line(self, piece: Piece, answer: Answer) -> str:
        """Return its entry; if something else answers, a merely near hit is marked."""
        near = answer.recall is not None and answer.recall.weak and not answer.weak
        return piece_entry(piece, weak=near and piece.hit is not None, of_space=answer.of_all_spaces)

    def body(self, piece: Piece) -> str:
        """Return the text, except for the lines of a task, which are short."""
        return "" if piece.tier == "task" else piece.text

    def heading(self, piece: Piece) -> str:
        """Return the tier's heading, or the common one for pieces in time order."""
        return formats.IN_TIME_ORDER if piece.timed else HEADINGS[piece.tier]

    def frame(self, answer: Answer) -> tuple[Sequence[str], Sequence[str]]:
        """Return the mark and the notice, and the end mark."""
        *above, below = context.block_frame(answer.query, answer.space)
        return [*above, *answer.marks], [below]


class JsonLines(AnswerForm):
    """One JSON object a line."""

    def line(self, piece: Piece, answer: Answer) -> str:
        """Return the piece's record."""
        return json_line(piece_record(piece, answer))


class JsonArray(JsonLines):
    """One JSON array, an object a line, as `json_array` writes it."""

    def frame(self, answer: Answer) -> tuple[Sequence[str], Sequence[str]]:
        """Return the closing bracket."""
        return [], ["]"]

    def line(self, piece: Piece, answer: Answer) -> str:
        """Return the piece's record after a comma, which a budget counts for the opening bracket, too."""
        return "," + super().line(piece, answer)

    def lines(self, answer: Answer) -> Iterator[str]:
        """Yield the array, with the bracket in place of the first comma."""
        first, *rest = super().lines(answer)
        yield "[" + first.removeprefix(",")
        yield from rest


PROMPT, JSON_LINES, JSON_ARRAY = Prompt(), JsonLines(), JsonArray()
