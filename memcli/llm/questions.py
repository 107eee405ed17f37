"""Questions to an LLM: an answer, a summary, facts, which of two memories still holds, what is worth keeping.

Every function takes memories that are all trusted or all untrusted (`prompt_batches` separates them), raises
LlmFailed or a subclass if nothing can be used, and writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar, cast

from memcli.errors import BadInput
from memcli.llm import LLM
from memcli.llm.contracts import (
    Complaint,
    RefusedClaim,
    ask_by_contract,
    choice_field,
    fraction_field,
    list_field,
    text_field,
)
from memcli.llm.grounding import ClaimedLink, GroundedClaim, check_grounded, cited_sources, grounded_links
from memcli.llm.prompts import INVISIBLE, FencedPrompt, PromptSource, make_prompt, prompt_source
from memcli.model import KNOWLEDGE, Kind, Memory
from memcli.named_tuple import NamedTuple
from memcli.prompt.budget import CHARACTERS_A_TOKEN, estimate_tokens

T = TypeVar("T", Memory, PromptSource)
BatchPrompt = Literal["summarise", "distil"]

# The label by which a summary cites the previous summary.
PREVIOUS = "PREVIOUS"
# The most tokens of a summary, unless `room` says otherwise; and tokens per word, as budget.estimate counts.
_ROOM = 700
_TOKENS_A_WORD = 3
# The most characters of a fact (a sentence), of an answer (a paragraph), of a reason.
_SENTENCE = 500
_PARAGRAPH = 2000
_REASON = 300
_MOST_CLAIMS = 100
# The lines of a transcript; a page without line ends is split after at most 2,000 characters.
_LINE = re.compile(r"\S(?:.{0,2000}(?=\s|\Z)|.{0,2000})")
# Tokens around each text in a prompt: its label, day and kind.
_FRAME = 30


class ExtractedClaims(NamedTuple):
    """The accepted claims of one answer, and the rejected ones."""

    claims: list[GroundedClaim]
    set_aside: list[RefusedClaim]


class Judgement(NamedTuple):
    """Which of two memories holds, which one is outdated or wrong (their ids), and why."""

    keep: str
    ended: str
    reason: str
    prompt: str


def prompt_batches(memories: Sequence[Memory], tokens: int, *, mix: bool = False) -> Iterator[list[Memory]]:
    """Yield the memories in batches of about `tokens`, in order, trusted and untrusted apart unless `mix`.

    A single memory that is longer is a batch of its own.
    """
    if mix:
        yield from _runs(memories, tokens)
    else:
        for trust in (True, False):
            yield from _runs([memory for memory in memories if memory.trusted == trust], tokens)


def prompt_cost(asking: BatchPrompt, memories: Sequence[Memory]) -> int:
    """Return the tokens that `summarise_turns` or `distil_facts` would send, for a plan."""
    return estimate_tokens(make_prompt(asking, _sources(memories), mix=True, words=_ROOM).text)


def answer_question(
    llm: LLM, question: str, memories: Sequence[Memory], *, mix: bool = False
) -> GroundedClaim | None:
    """Return the answer to a question from memories; None if there are none, or they do not hold it."""
    if not memories:
        return None
    prompt = make_prompt("answer", _sources(memories), mix=mix, question=question[:_PARAGRAPH])

    def read(record: Mapping[str, Any]) -> GroundedClaim | None:
        if record["answer"] is None:
            return None
        text = text_field(record, "answer", _PARAGRAPH)
        sources = cited_sources(record, prompt)
        check_grounded(text, sources, own_words=True)
        return _claim(text, sources, prompt)

    return ask_by_contract(llm, prompt, "answer", read)


def summarise_turns(
    llm: LLM,
    turns: Sequence[Memory],
    *,
    previous: str = "",
    previous_trusted: bool = True,
    room: int = _ROOM,
    mix: bool = False,
) -> GroundedClaim:
    """Return a summary of turns in order, of at most `room` tokens, which cites those that it rests on.

    `previous` is the summary of what came before: the new one replaces it as well.
    """
    sources = _sources(turns)
    if previous:
        known = "summary of what came before"
        sources.insert(0, PromptSource(PREVIOUS, previous, kind=known, trusted=previous_trusted))
    prompt = make_prompt("summarise", sources, mix=mix, words=room // _TOKENS_A_WORD)

    def read(record: Mapping[str, Any]) -> GroundedClaim:
        text = text_field(record, "summary", room * CHARACTERS_A_TOKEN)
        if estimate_tokens(text) > room:
            raise Complaint(f"the summary is longer than {room // _TOKENS_A_WORD} words")
        said = cited_sources(record, prompt)
        check_grounded(text, said)
        return _claim(text, [source for source in said if source.id != PREVIOUS], prompt)

    return ask_by_contract(llm, prompt, "summary", read)


def distil_facts(llm: LLM, episodes: Sequence[Memory], *, mix: bool = False) -> ExtractedClaims:
    """Return stable facts from episodes, each with its evidence and proposed links between entities."""
    if not episodes:
        return ExtractedClaims([], [])
    return _claims(llm, make_prompt("distil", _sources(episodes), mix=mix))


def extract_memories(
    llm: LLM, text: str, *, tokens: int = 3000, trusted: bool = True
) -> Iterator[ExtractedClaims]:
    """Yield what is worth keeping of a note or transcript, asking about `tokens` of it at a time.

    Claims cite the lines that they rest on, by number from 1, blank ones not counted.
    """
    lines = _LINE.findall(text)
    sources = [PromptSource(str(number), line, trusted=trusted) for number, line in enumerate(lines, start=1)]
    for run in _runs(sources, tokens):
        yield _claims(llm, make_prompt("extract", run))


def judge_contradiction(llm: LLM, first: Memory, second: Memory, *, mix: bool = False) -> Judgement | None:
    """Return which of two memories still holds; None if both may, or it cannot be told.

    A trusted memory is never judged against an untrusted one, unless `mix` allows it.
    """
    if first.id == second.id:
        raise BadInput(f"{first.id} cannot contradict itself")
    if first.trusted != second.trusted and not mix:
        return None
    prompt = make_prompt("contradiction", _sources([first, second]), mix=mix)

    def read(record: Mapping[str, Any]) -> Judgement | None:
        if record["keep"] is None:
            return None
        [keep] = cited_sources({"cites": [record["keep"]]}, prompt)
        [ended] = cited_sources({"cites": [record.get("ended")]}, prompt)
        if keep == ended:
            raise Complaint("'keep' and 'ended' must be the two ids")
        return Judgement(keep.id, ended.id, text_field(record, "reason", _REASON), prompt.name)

    return ask_by_contract(llm, prompt, "keep", read)


def _claims(llm: LLM, prompt: FencedPrompt) -> ExtractedClaims:
    """Return the claims of an answer that are accepted one by one; ask again only if none is."""

    def read(record: Mapping[str, Any]) -> ExtractedClaims:
        found, refused = [], []
        for each in list_field(record, "claims", _MOST_CLAIMS):
            try:
                claim = _read_claim(each, prompt)
                found.append(claim)
                refused += _refused_links(each, claim)
            except Complaint as error:
                refused.append(RefusedClaim(_claimed_text(each), str(error)))
        if refused and not found:
            raise Complaint(refused[0].reason, refused)
        return ExtractedClaims(found, refused)

    return ask_by_contract(llm, prompt, "claims", read)


def _read_claim(record: Any, prompt: FencedPrompt) -> GroundedClaim:
    if not isinstance(record, dict):
        raise Complaint("every claim must be an object")
    text = text_field(record, "text", _SENTENCE)
    kind = cast(Kind, choice_field(record, "kind", KNOWLEDGE))
    confidence = fraction_field(record, "confidence")
    sources = cited_sources(record, prompt)
    check_grounded(text, sources)
    return GroundedClaim(
        text=text, cites=tuple(source.id for source in sources), trusted=prompt.trusted, prompt=prompt.name,
        kind=kind, confidence=confidence, links=grounded_links(record, sources),
    )  # fmt: skip


def _refused_links(record: Mapping[str, Any], claim: GroundedClaim) -> list[RefusedClaim]:
    """Return the links of a claim that were left out of it."""
    said = [
        tuple(str(each.get(name)) for name in ClaimedLink._fields)
        for each in record.get("links") or ()
        if isinstance(each, dict)
    ]
    kept = {tuple(link) for link in claim.links}
    left = [link for link in said if tuple(" ".join(part.split()) for part in link) not in kept]
    reason = "an end of this link stands in none of the memories that it cites"
    return [RefusedClaim(_one_line(" ".join(link)), reason) for link in left]


def _claimed_text(record: Any) -> str:
    """Return the text of a claim; "" if it has none."""
    said = record.get("text") if isinstance(record, dict) else None
    return _one_line(said) if isinstance(said, str) else ""


def _one_line(text: str) -> str:
    return " ".join(INVISIBLE.sub(" ", text).split())[:_SENTENCE]


def _claim(text: str, sources: Sequence[PromptSource], prompt: FencedPrompt) -> GroundedClaim:
    ids = tuple(source.id for source in sources)
    return GroundedClaim(text=text, cites=ids, trusted=prompt.trusted, prompt=prompt.name)


def _runs(texts: Sequence[T], tokens: int) -> Iterator[list[T]]:
    run: list[T] = []
    room = tokens
    for each in texts:
        cost = estimate_tokens(each.text) + _FRAME
        if run and cost > room:
            yield run
            run, room = [], tokens
        run.append(each)
        room -= cost
    if run:
        yield run


def _sources(memories: Sequence[Memory]) -> list[PromptSource]:
    return [prompt_source(memory) for memory in memories]
