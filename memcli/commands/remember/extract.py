"""`mem remember --extract`: have an LLM extract memories from a note, and pass them through the policy."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import typer

from memcli.commands.terminal import output
from memcli.commands.terminal.decisions import print_explanation
from memcli.errors import BadInput
from memcli.llm import open_llm, questions
from memcli.llm.grounding import GroundedClaim
from memcli.llm.meter import Meter
from memcli.memories import Memories
from memcli.origins import is_through
from memcli.prompt.budget import estimate_tokens
from memcli.scope import Scope
from memcli.text import printable
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.decision import Decision
from memcli.write_policy.drafts import Draft
from memcli.write_policy.settings import WriteOptions

# The terminal on which a person answers while stdin is a pipe; not on Windows.
_TERMINAL = Path("/dev/tty")


def remember_extracted(
    memories: Memories,
    defaults: Draft,
    text: str,
    llm: str | None,
    how: WriteOptions,
    as_json: bool,
    *,
    dry_run: bool = False,
) -> None:
    """Have an LLM find memories in a text, show them if there is a terminal, and keep them.

    Nothing is kept before the whole text is read. Without a terminal the policy alone decides, and holds what
    nobody verified. Exits 1 if nothing is worth keeping, 3 if something was refused; raises LlmFailed.
    """
    if not text.strip():
        raise BadInput("nothing to extract from: the text is empty")
    meter = Meter(open_llm(llm, memories.config))
    if sys.stderr.isatty():
        output.to_stderr(f"asking {meter.name} about {estimate_tokens(text):,} tokens of text…")
    claims = _claims(meter, memories, text, trusted=defaults.trusted and not memories.is_untrusted)
    if not claims:
        output.to_stderr("nothing in it is worth keeping")
        raise typer.Exit(1)
    if not (dry_run or how.force or memories.is_untrusted) and _can_ask():
        claims = _choose(claims)
        how = how._replace(approved=True)
        if not claims:
            return
    drafts = [_draft(claim, defaults, meter.name) for claim in claims]
    decisions = admit_drafts(memories, memories.model, drafts, how, dry_run=dry_run)
    for decision in decisions:
        _print(decision, memories, as_json=as_json, dry_run=dry_run)
    if any(decision.action == "refuse" for decision in decisions):
        raise typer.Exit(3)


def _claims(meter: Meter, scope: Scope, text: str, *, trusted: bool) -> list[GroundedClaim]:
    found: dict[str, GroundedClaim] = {}
    for some in questions.extract_memories(meter, text, tokens=scope.config["llm_context"], trusted=trusted):
        for claim in some.claims:
            found.setdefault(claim.text.casefold(), claim)
        for refused in some.set_aside:
            said = f": {printable.one_line(refused.text, 100)}" if refused.text else ""
            output.to_stderr(f"one claim was set aside: {printable.one_line(refused.reason)}{said}")
    if sys.stderr.isatty():
        output.to_stderr(str(meter))
    return list(found.values())


def _draft(claim: GroundedClaim, defaults: Draft, llm: str) -> Draft:
    # An agent's extract keeps the agent's origin, which may be untrusted.
    origin = "extract" if is_through(defaults.origin, "cli") else defaults.origin
    return replace(
        defaults,
        text=claim.text,
        kind=defaults.kind or claim.kind,
        confidence=claim.confidence if defaults.confidence is None else defaults.confidence,
        source="inferred",
        origin=origin,
        trusted=defaults.trusted and claim.trusted,
        data={**defaults.data, "llm": llm, "prompt": claim.prompt},
    )


def _print(decision: Decision, scope: Scope, *, as_json: bool, dry_run: bool) -> None:
    memory, refused = decision.memory, decision.action == "refuse"
    if as_json:
        record = {} if refused else memory.to_record()
        shown = {**record, "decision": decision.to_record()}
        output.to_stdout(printable.json_line({**shown, "dry_run": True} if dry_run else shown))
    elif refused:
        output.to_stderr(f"refused: {decision.refusal()}")
    elif dry_run or output.stdout_is_terminal():
        would = f"would {decision.action}  " if dry_run else f"{memory.id}  "
        about = f"{memory.kind}  {memory.confidence:g}  {printable.one_line(memory.text)}"
        output.to_stdout(f"{would}{about}")
    else:
        output.to_stdout(memory.id)
    if not refused:
        print_explanation(decision, scope, dry_run=dry_run)


def _can_ask() -> bool:
    """True if a person sees the output and can answer: at stdin, or at the terminal beside a pipe."""
    if not sys.stderr.isatty():
        return False
    if sys.stdin is not None and sys.stdin.isatty():
        return True
    try:
        with _TERMINAL.open(encoding="utf-8"):
            return True
    except OSError:
        return False


def _choose(claims: Sequence[GroundedClaim]) -> list[GroundedClaim]:
    """Show the claims, and return those that a person wants kept."""
    for number, claim in enumerate(claims, start=1):
        output.to_stderr(f"{number}. {claim.kind} {claim.confidence:g}: {claim.text}")
    while True:
        said = _answer("Keep which? all, none, or numbers [none]: ").strip().lower()
        if said in ("", "none", "n", "no"):
            return []
        if said in ("all", "a", "y", "yes"):
            return list(claims)
        numbers = said.replace(",", " ").split()
        if all(each.isdecimal() and 1 <= int(each) <= len(claims) for each in numbers):
            return [claims[int(each) - 1] for each in dict.fromkeys(numbers)]


def _answer(question: str) -> str:
    sys.stderr.write(question)
    sys.stderr.flush()
    if sys.stdin is not None and sys.stdin.isatty():
        return sys.stdin.readline()
    with _TERMINAL.open(encoding="utf-8") as terminal:
        return terminal.readline()
