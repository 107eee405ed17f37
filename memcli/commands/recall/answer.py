"""`mem recall --answer`: one answer from the memories found, with the lines that it rests on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import typer

from memcli import ids, times
from memcli.commands.terminal import output
from memcli.errors import LlmFailed
from memcli.llm import open_llm, questions
from memcli.llm.claims import Claim
from memcli.llm.meter import Meter
from memcli.model import Memory
from memcli.recall import records
from memcli.recall.results import Recall
from memcli.recall.similar import neighbours
from memcli.scope import Scope
from memcli.text import printable


def print_llm_answer(
    scope: Scope,
    found: Recall,
    llm: str | None,
    show: Callable[[], None],
    *,
    budget: int | None = None,
    expand: int = 0,
    as_json: bool = False,
) -> None:
    """Have an LLM answer from what was found, and print its answer with the memories that it cites.

    Exits 1 where nothing was found (nobody is asked) or the memories do not
    hold the answer. Where the LLM fails, or what it says does not stand up,
    `show` prints the memories as usual and LlmFailed goes on: exit 5.
    """
    meter = Meter(open_llm(llm, scope.config))
    if not found.hits:
        raise typer.Exit(1)
    chosen = _chosen(scope, found, budget, expand)
    if sys.stderr.isatty():
        output.to_stderr(f"asking {meter.name} from {len(chosen)} memories…")
    try:
        claim = questions.answer(meter, found.query, chosen, mix=scope.config["llm_mix"])
    except LlmFailed:
        show()
        raise
    if sys.stderr.isatty():
        output.to_stderr(str(meter))
    if claim is None:
        output.to_stderr("the memories found do not hold the answer; without --answer they are shown")
        raise typer.Exit(1)
    if not claim.trusted:
        output.to_stderr("this answer rests on untrusted memories")
    _print(claim, meter, found, chosen, as_json=as_json)


def _chosen(scope: Scope, found: Recall, budget: int | None, expand: int) -> list[Memory]:
    """What is put into the prompt: the best that it holds; untrusted ones not beside trusted ones."""
    around = neighbours(scope.store, found.hits, expand) if expand else {}
    everything = {
        memory.id: memory
        for hit in found.hits
        for memory in (hit.memory, *around.get(hit.memory.id, ()))
    }  # fmt: skip
    mix = scope.config["llm_mix"]
    room = scope.config["llm_context"]
    given = list(everything.values())
    chosen = next(questions.batches(given, min(room, budget or room), mix=mix))
    trusted = sum(memory.trusted for memory in given)
    if not mix and 0 < trusted < len(given):
        output.to_stderr(f"{len(given) - trusted} untrusted memories were left out (llm_mix)")
    return chosen


def _print(claim: Claim, meter: Meter, found: Recall, chosen: Sequence[Memory], *, as_json: bool) -> None:
    by_id = {memory.id: memory for memory in chosen}
    cited = [by_id[each] for each in claim.cites]
    if as_json:
        hits = {hit.memory.id: hit for hit in found.hits}
        record = {
            "answer": claim.text,
            "cites": list(claim.cites),
            "trusted": claim.trusted,
            "prompt": claim.prompt,
            "cost": meter.to_record(),
            "degraded": found.degraded is not None,
            "memories": [
                records.hit_record(hits[memory.id], found) if memory.id in hits else memory.to_record()
                for memory in cited
            ],
        }
        output.to_stdout(printable.json_line(record))
        return
    output.to_stdout(printable.one_line(claim.text))
    for memory in cited:
        untrusted = "" if memory.trusted else ", untrusted"
        about = f"{ids.tail(memory.id)}, {times.day(memory.happened_at)}{untrusted}"
        output.to_stdout(f"- [{about}] {printable.one_line(memory.text)}")
