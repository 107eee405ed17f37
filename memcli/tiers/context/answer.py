"""What was gathered, tier by tier, and how it reads: to a prompt, and to a program.

An answer does not know who asked. Whoever prints one chooses a form, and a form
only writes: each of them has the same pieces.
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

    `id` is the memory's or the link's; `trusted` whether all that it rests on
    is. `found`: it answers the
    question, as against what always comes along. What recall itself found has
    its `hit`, with the turns `around` it where they were asked for.
    `shortened`: `text` is the beginning of what it says; `past`: it holds no longer; `due`: the day by
    or on which it falls due; `updated_by`: the id of what stands above it and perhaps gives it another
    value (a hit names it itself); `via`: the entity by way of which a link was reached that is one hop on.
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
        """A memory as a piece, of the tier where it stands by itself unless another is given."""
        return cls(tier or tier_of(memory), memory.text, memory.id, memory.trusted, found, memory)

    @property
    def timed(self) -> bool:
        """Whether a time alone was asked for, and it is what there was."""
        return self.hit is not None and self.hit.found_by == [formats.FOUND_BY_TIME]

    def shortened_to(self, text: str) -> Self:
        """This piece with the beginning of its text only, and without the turns around it."""
        return self._replace(text=text, around=(), shortened=True)


class Answer(NamedTuple):
    """What was gathered for a question; without one, for the start of a session.

    `pieces` stand in the order in which they claim room: without a budget what
    was found, best first, then what always comes along. `cut` are those that a
    budget left out, `least` the tokens that it takes to hold any, where it
    holds none. `recall` has the misses and the evidence. Where all spaces were
    searched, `space` is `*`.
    """

    query: str
    space: str
    pieces: Sequence[Piece]
    recall: Recall | None = None
    cut: Sequence[Piece] = ()
    least: int = 0

    @property
    def relevant(self) -> bool:
        """Whether there is anything to say, be it more than a budget holds."""
        return bool(self.pieces or self.cut)

    @property
    def of_all_spaces(self) -> bool:
        """Whether all spaces were searched: then each memory is shown with its own."""
        return self.space == formats.ALL_SPACES

    @property
    def weak(self) -> bool:
        """Whether what was found is near, and none of it surely answers; what the graph says does."""
        told = any(piece.tier == "graph" for piece in (*self.pieces, *self.cut))
        return self.recall is not None and self.recall.weak and not told

    @property
    def marks(self) -> list[str]:
        """What is said of the answer as a whole, a sentence each: that it is weak, that another said it."""
        if not self.weak or self.recall is None:
            return []
        if self.recall.attribution is None:
            return [formats.WEAK]
        named, speaker, _ = self.recall.attribution
        said = formats.SAID_BY_ANOTHER.format(name=one_line(speaker), label=one_line(named))
        return [formats.WEAK, said]

    @property
    def cut_by_tier(self) -> dict[Tier, int]:
        """How many pieces of each tier a budget left out."""
        return dict(Counter(piece.tier for piece in self.cut))

    @property
    def degraded(self) -> str | None:
        """Why meaning was not searched; None where it was, or where nothing was asked."""
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
        """What recall itself found, best first."""
        return [piece.hit for piece in self.pieces if piece.hit]

    def to_prompt(self) -> str:
        """The marked context for a prompt; empty where there is nothing to say."""
        return "\n".join(PROMPT.lines(self)) if self.pieces else ""

    def to_records(self) -> list[dict[str, Any]]:
        """Every piece as JSON types: a hit with all its fields, what always comes along last."""
        return [piece_record(piece, self) for piece in (*self.found, *self.background)]


def piece_record(piece: Piece, answer: Answer) -> dict[str, Any]:
    """A piece as JSON types; shortened, it says so, and a hit has no more than it takes to name it."""
    # What is printed for a prompt needs no records.
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
    """How a policy is enforced, when it holds, and unless what; nothing of anything else."""
    if piece.tier != "policies" or piece.memory is None:
        return {}
    said = piece.memory.data
    return {
        "enforcement": said.get("enforcement"), "when": said.get("when") or [],
        "unless": said.get("unless") or [],
    }  # fmt: skip


def piece_entry(piece: Piece, *, weak: bool = False, of_space: bool = False) -> str:
    """A piece as it stands in a context: a memory with its source, another text as a line of data.

    The lines of a task are that already. `weak` marks a memory as near and no more, `of_space` names
    its space.
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
    """How an answer stands on a page. A budget counts all that is printed: lines, headings, frame."""

    @abstractmethod
    def line(self, piece: Piece, answer: Answer) -> str:
        """A piece as it is printed; what belongs to it on further lines."""

    def takes(self, piece: Piece, answer: Answer) -> bool:
        """Whether a piece of an answer is printed at all."""
        return True

    def shows(self, answer: Answer) -> bool:
        """Whether there is anything to print, be it more than a budget holds."""
        return any(self.takes(piece, answer) for piece in (*answer.pieces, *answer.cut))

    def body(self, piece: Piece) -> str:
        """What of a piece may be shortened; empty where nothing may."""
        return piece.text

    def heading(self, piece: Piece) -> str:
        """What a piece stands under; empty where it stands above all sections."""
        return ""

    def frame(self, answer: Answer) -> tuple[Sequence[str], Sequence[str]]:
        """The lines above everything, and those below."""
        return (), ()

    def lines(self, answer: Answer) -> Iterator[str]:
        """The page: what has no heading, found pieces first, what is in time order, then a section a tier."""
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


# Tiers of what tells something: what replaces another may be of any of them.
_TELLING: tuple[Tier, ...] = ("preferences", "facts", "outcomes", "episodes")


def _sections(pieces: Sequence[Piece]) -> list[tuple[Piece, Tier]]:
    """Pieces in their order, each with the tier under whose heading it stands: mostly its own.

    What perhaps updates another stands in one section with it, in that of the first of the two: under a
    heading each, the older would come first as often as not.
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
        """Its entry; where something else answers, what is only near is marked by itself."""
        near = answer.recall is not None and answer.recall.weak and not answer.weak
        return piece_entry(piece, weak=near and piece.hit is not None, of_space=answer.of_all_spaces)

    def body(self, piece: Piece) -> str:
        """All but the lines of a task, which are short."""
        return "" if piece.tier == "task" else piece.text

    def heading(self, piece: Piece) -> str:
        """That of the tier, whatever it is where it stands in time order."""
        return formats.IN_TIME_ORDER if piece.timed else HEADINGS[piece.tier]

    def frame(self, answer: Answer) -> tuple[Sequence[str], Sequence[str]]:
        """The mark and the notice, and the mark's end."""
        *above, below = context.block_frame(answer.query, answer.space)
        return [*above, *answer.marks], [below]


class JsonLines(AnswerForm):
    """A JSON object a line."""

    def line(self, piece: Piece, answer: Answer) -> str:
        """The piece's record."""
        return json_line(piece_record(piece, answer))


class JsonArray(JsonLines):
    """One JSON array, an object a line, as `json_array` writes it."""

    def frame(self, answer: Answer) -> tuple[Sequence[str], Sequence[str]]:
        """The bracket that closes it."""
        return [], ["]"]

    def line(self, piece: Piece, answer: Answer) -> str:
        """The piece's record, after a comma; a budget counts that for the opening bracket, too."""
        return "," + super().line(piece, answer)

    def lines(self, answer: Answer) -> Iterator[str]:
        """The array, opened in the place of the first comma."""
        first, *rest = super().lines(answer)
        yield "[" + first.removeprefix(",")
        yield from rest


PROMPT, JSON_LINES, JSON_ARRAY = Prompt(), JsonLines(), JsonArray()
