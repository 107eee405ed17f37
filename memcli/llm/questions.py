"""What memcli asks an LLM: an answer, a summary, facts, which of two still holds, what is worth keeping.

Every function takes memories of one trust (`batches` parts them), raises
LlmFailed or its kinds where nothing can be used, and writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar, cast

from memcli.errors import BadInput
from memcli.llm import LLM
from memcli.llm.claims import Claim, check, cited, relations
from memcli.llm.contracts import (
    Complaint,
    choice_field,
    fraction_field,
    list_field,
    settle,
    text_field,
)
from memcli.llm.fencing import Prompt, Source, make_prompt, source_of
from memcli.model import KNOWLEDGE, Kind, Memory
from memcli.prompt.budget import CHARACTERS_A_TOKEN, estimate

T = TypeVar("T", Memory, Source)
Asking = Literal["summarise", "distil"]

# What a summary may cite besides the turns.
PREVIOUS = "PREVIOUS"
# Tokens of a summary, unless its reader has less room; and of a word, as budget.estimate counts.
_ROOM = 700
_TOKENS_A_WORD = 3
# Characters. A fact is a sentence; an answer is a paragraph.
_SENTENCE = 500
_PARAGRAPH = 2000
_REASON = 300
_MOST_CLAIMS = 100
# The lines of a transcript; one of more than 2,000 characters is a page without line ends, and is cut.
_LINE = re.compile(r"\S(?:.{0,2000}(?=\s|\Z)|.{0,2000})")
# Tokens of what stands around each text in a prompt: its label, day and kind.
_FRAME = 30


class Found(NamedTuple):
    """The claims of one answer that stand, and why others were set aside."""

    claims: list[Claim]
    set_aside: list[str]


class Verdict(NamedTuple):
    """Which of two memories holds, which one is outdated or wrong (their ids), and why."""

    keep: str
    ended: str
    reason: str
    prompt: str


def batches(memories: Sequence[Memory], tokens: int, *, mix: bool = False) -> Iterator[list[Memory]]:
    """The memories in runs that one prompt holds: in order, of one trust each unless `mix`, about `tokens`.

    One that is longer alone has a run of its own.
    """
    if mix:
        yield from _runs(memories, tokens)
    else:
        for trust in (True, False):
            yield from _runs([memory for memory in memories if memory.trusted == trust], tokens)


def cost(asking: Asking, memories: Sequence[Memory]) -> int:
    """The tokens of the prompt that `summarise` or `distil` would send: what a plan says before."""
    return estimate(make_prompt(asking, _sources(memories), mix=True, words=_ROOM).text)


def answer(llm: LLM, question: str, memories: Sequence[Memory], *, mix: bool = False) -> Claim | None:
    """The answer to a question from memories; None where there are none, or they do not hold it."""
    if not memories:
        return None
    prompt = make_prompt("answer", _sources(memories), mix=mix, question=question[:_PARAGRAPH])

    def read(record: Mapping[str, Any]) -> Claim | None:
        if record["answer"] is None:
            return None
        text = text_field(record, "answer", _PARAGRAPH)
        sources = cited(record, prompt)
        check(text, sources, own_words=True)
        return _claim(text, sources, prompt)

    return settle(llm, prompt, "answer", read)


def summarise(
    llm: LLM,
    turns: Sequence[Memory],
    *,
    previous: str = "",
    previous_trusted: bool = True,
    room: int = _ROOM,
    mix: bool = False,
) -> Claim:
    """A summary of turns in their order, of at most `room` tokens, which cites those that it rests on.

    `previous` is the summary of what came before: the new one stands for it too.
    """
    sources = _sources(turns)
    if previous:
        known = "summary of what came before"
        sources.insert(0, Source(PREVIOUS, previous, kind=known, trusted=previous_trusted))
    prompt = make_prompt("summarise", sources, mix=mix, words=room // _TOKENS_A_WORD)

    def read(record: Mapping[str, Any]) -> Claim:
        text = text_field(record, "summary", room * CHARACTERS_A_TOKEN)
        if estimate(text) > room:
            raise Complaint(f"the summary is longer than {room // _TOKENS_A_WORD} words")
        said = cited(record, prompt)
        check(text, said)
        return _claim(text, [source for source in said if source.id != PREVIOUS], prompt)

    return settle(llm, prompt, "summary", read)


def distil(llm: LLM, episodes: Sequence[Memory], *, mix: bool = False) -> Found:
    """Stable facts from episodes, each with its evidence, links between entities proposed with them."""
    if not episodes:
        return Found([], [])
    return _claims(llm, make_prompt("distil", _sources(episodes), mix=mix))


def extract(llm: LLM, text: str, *, tokens: int = 3000, trusted: bool = True) -> Iterator[Found]:
    """What is worth keeping of a note or transcript, about `tokens` of it a prompt.

    Claims cite the lines that they rest on, by number from 1, blank ones not counted.
    """
    lines = _LINE.findall(text)
    sources = [Source(str(number), line, trusted=trusted) for number, line in enumerate(lines, start=1)]
    for run in _runs(sources, tokens):
        yield _claims(llm, make_prompt("extract", run))


def judge_contradiction(llm: LLM, first: Memory, second: Memory, *, mix: bool = False) -> Verdict | None:
    """Which of two memories still holds; None where both may, or it cannot be told.

    A trusted memory is never judged against an untrusted one, unless `mix` allows it.
    """
    if first.id == second.id:
        raise BadInput(f"{first.id} cannot contradict itself")
    if first.trusted != second.trusted and not mix:
        return None
    prompt = make_prompt("contradiction", _sources([first, second]), mix=mix)

    def read(record: Mapping[str, Any]) -> Verdict | None:
        if record["keep"] is None:
            return None
        [keep] = cited({"cites": [record["keep"]]}, prompt)
        [ended] = cited({"cites": [record.get("ended")]}, prompt)
        if keep == ended:
            raise Complaint("'keep' and 'ended' must be the two ids")
        return Verdict(keep.id, ended.id, text_field(record, "reason", _REASON), prompt.name)

    return settle(llm, prompt, "keep", read)


def _claims(llm: LLM, prompt: Prompt) -> Found:
    """Claims one by one: those that stand are kept; asked again only where none does."""

    def read(record: Mapping[str, Any]) -> Found:
        found, complaints = [], []
        for each in list_field(record, "claims", _MOST_CLAIMS):
            try:
                found.append(_read_claim(each, prompt))
            except Complaint as error:
                complaints.append(str(error))
        if complaints and not found:
            raise Complaint(complaints[0])
        return Found(found, complaints)

    return settle(llm, prompt, "claims", read)


def _read_claim(record: Any, prompt: Prompt) -> Claim:
    if not isinstance(record, dict):
        raise Complaint("every claim must be an object")
    text = text_field(record, "text", _SENTENCE)
    kind = cast(Kind, choice_field(record, "kind", KNOWLEDGE))
    confidence = fraction_field(record, "confidence")
    sources = cited(record, prompt)
    check(text, sources)
    return Claim(
        text=text, cites=tuple(source.id for source in sources), trusted=prompt.trusted, prompt=prompt.name,
        kind=kind, confidence=confidence, links=relations(record, sources),
    )  # fmt: skip


def _claim(text: str, sources: Sequence[Source], prompt: Prompt) -> Claim:
    ids = tuple(source.id for source in sources)
    return Claim(text=text, cites=ids, trusted=prompt.trusted, prompt=prompt.name)


def _runs(texts: Sequence[T], tokens: int) -> Iterator[list[T]]:
    run: list[T] = []
    room = tokens
    for each in texts:
        cost = estimate(each.text) + _FRAME
        if run and cost > room:
            yield run
            run, room = [], tokens
        run.append(each)
        room -= cost
    if run:
        yield run


def _sources(memories: Sequence[Memory]) -> list[Source]:
    return [source_of(memory) for memory in memories]
