"""`mem recall --answer`: an LLM's answer from the memories found, with the memories that it cites."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from memcli import ids
from memcli.commands.terminal import output
from memcli.errors import LlmFailed
from memcli.llm import open_llm, questions
from memcli.llm.grounding import GroundedClaim
from memcli.llm.meter import Meter
from memcli.model import Memory
from memcli.prompt.context import told_day
from memcli.scope import Scope
from memcli.text import printable
from memcli.text.counting import counted
from memcli.tiers.context.answer import Answer, piece_record


def print_llm_answer(
    scope: Scope,
    found: Answer,
    llm: str | None,
    show: Callable[[], object],
    *,
    budget: int | None = None,
    as_json: bool = False,
) -> bool:
    """Have an LLM answer from the hits, and print its answer with the cited memories. True if there is one.

    There is none if nothing was found (then the LLM is not asked), or if the memories do not hold the answer.
    If the LLM fails, or its answer is not supported, `show` prints the memories as usual and LlmFailed is
    raised.
    """
    meter = Meter(open_llm(llm, scope.config))
    if not found.hits:
        return False
    chosen = _chosen(scope, found, budget)
    if sys.stderr.isatty():
        output.to_stderr(f"asking {meter.name} from {counted(len(chosen), 'memory', 'memories')}…")
    try:
        claim = questions.answer_question(meter, found.query, chosen, mix=scope.config["llm_mix"])
    except LlmFailed:
        show()
        raise
    if sys.stderr.isatty():
        output.to_stderr(str(meter))
    if claim is None:
        output.to_stderr("the memories found do not hold the answer; without --answer they are shown")
        return False
    if not claim.trusted:
        output.to_stderr("this answer rests on untrusted memories")
    _print(claim, meter, found, chosen, as_json=as_json)
    return True


def _chosen(scope: Scope, found: Answer, budget: int | None) -> list[Memory]:
    """Return the best memories that fit into the prompt; untrusted ones are not mixed with trusted ones."""
    everything = {
        memory.id: memory
        for piece in found.pieces if piece.hit
        for memory in (piece.hit.memory, *piece.around)
    }  # fmt: skip
    mix = scope.config["llm_mix"]
    room = scope.config["llm_context"]
    given = list(everything.values())
    chosen = next(questions.prompt_batches(given, min(room, budget or room), mix=mix))
    trusted = sum(memory.trusted for memory in given)
    if not mix and 0 < trusted < len(given):
        output.to_stderr(f"{len(given) - trusted} untrusted memories were left out (llm_mix)")
    return chosen


def _print(
    claim: GroundedClaim, meter: Meter, found: Answer, chosen: Sequence[Memory], *, as_json: bool
) -> None:
    by_id = {memory.id: memory for memory in chosen}
    cited = [by_id[each] for each in claim.cites]
    if as_json:
        hits = {
            piece.id: piece_record(piece._replace(around=()), found) for piece in found.pieces if piece.hit
        }
        told = {
            "answer": claim.text,
            "cites": list(claim.cites),
            "trusted": claim.trusted,
            "prompt": claim.prompt,
            "cost": meter.to_record(),
            "degraded": found.degraded is not None,
            "memories": [hits.get(memory.id) or memory.to_record() for memory in cited],
        }
        output.to_stdout(printable.json_line(told))
        return
    output.to_stdout(printable.one_line(claim.text))
    for memory in cited:
        untrusted = "" if memory.trusted else ", untrusted"
        about = f"{ids.short_id(memory.id)}, {told_day(memory)}{untrusted}"
        output.to_stdout(f"- [{about}] {printable.one_line(memory.text)}")
