"""Consolidation reports: print a run, past runs, and the schedule."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from memcli import ids, times
from memcli.commands.terminal import output
from memcli.commands.terminal.call import command_in
from memcli.commands.terminal.carried import carried_environment
from memcli.config.location import Location
from memcli.consolidation.report import MOST_TOLD
from memcli.messages import joined, message
from memcli.system.places import expanded
from memcli.text import printable

if TYPE_CHECKING:
    from memcli.consolidation.report import ProposalOutcome, RunReport
    from memcli.scope import Scope

# What each action did, in singular and plural.
_DID = {
    "end": ("ended", "ended"), "fold": ("session folded", "sessions folded"),
    "keep": ("fact distilled", "facts distilled"), "merge": ("merged", "merged"),
    "relate": ("noted as updated", "noted as updated"), "purge": ("purged", "purged"),
    "ask": ("open question", "open questions"), "link": ("link proposed", "links proposed"),
}  # fmt: skip
# The command that shows an action's result.
_SEEN_BY = {"ask": "audit --check questions", "link": "review list"}


def print_run(done: RunReport, *, as_json: bool, dry: bool) -> None:
    """Print a run: as JSON, or each proposal of a dry run, or one line if anything was done."""
    if as_json:
        output.to_stdout(printable.json_line({**done.summary(), "dry_run": dry, **_told(done)}))
        return
    for outcome in done.outcomes:
        line = f"{outcome.proposal.step:<10}  {outcome.proposal.action:<6}  {_about(outcome)}"
        if dry:
            output.to_stdout(line)
        elif outcome.refused:
            output.to_stderr(f"{line}  (not done: {outcome.note})")
    for step, text, reason in done.set_aside:
        output.to_stderr(_set_aside(step, text, reason))
    for line in done.skipped:
        output.to_stderr(f"skipped: {line}")
    if not dry and (line := _summary(done)):
        output.to_stdout(line)
        for told in _ended(done):
            output.to_stdout(told)


def print_past_runs(scope: Scope, *, as_json: bool) -> None:
    """Print past runs, newest first, with the ids for `mem history --change RUN` and `mem undo RUN`."""
    from memcli.consolidation.bookmarks import past_runs

    for run in past_runs(scope):
        if as_json:
            output.to_stdout(printable.json_line(run))
            continue
        did = Counter[str]()
        for actions in run["steps"].values():
            did.update(actions)
        said = [_did(name, number, scope.space) for name, number in did.items()] + run["upkeep"]
        at = times.local_time(times.from_iso(run["at"]))
        line = f"{ids.short_id(run['run'])}  {at}  {run['seconds']:>6.1f} s  {'; '.join(said)}"
        output.to_stdout(printable.one_line(line))
        for claim in run["claims"]:
            output.to_stdout(f"  {_set_aside(claim['step'], claim['text'], claim['reason'])}")
        for reason, number in run.get("refused", {}).items():
            output.to_stdout(printable.one_line(f"  refused: {number}, {reason}"))
        for line in run["skipped"]:
            output.to_stdout(printable.one_line(f"  skipped: {line}"))


def print_schedule(
    system: str, arguments: list[str], store: Location | None, llm: str | None, *, yes: bool, as_json: bool
) -> None:
    """Print a schedule; with `yes`, install it. It keeps the values that `MEMCLI_*` variables have now."""
    from memcli.config.config import Config
    from memcli.config.settings import environment_variable
    from memcli.consolidation import schedule
    from memcli.text.checks import check_choice

    system = check_choice("system", system, schedule.SYSTEMS)
    environment = carried_environment()
    if store:
        environment.pop(environment_variable("db"), None)
    if llm or Config()["llm"]:
        # The search path for its command and what that runs.
        environment["PATH"] = os.environ.get("PATH", os.defpath)
    named = str(store or environment.get(environment_variable("db"), ""))
    settings = os.environ.get("XDG_CONFIG_HOME")
    planned = schedule.schedule_files(
        system,
        schedule.ScheduledRun(arguments, environment, named),
        expanded("~"),
        Path(settings) if settings else None,
    )
    if yes:
        schedule.install_schedule(planned)
    for each in planned:
        switched_on = [" ".join(switch.words) for switch in each.then]
        if as_json:
            record = {"path": str(each.path or ""), "text": each.text, "then": switched_on, "installed": yes}
            output.to_stdout(printable.json_line({"system": system, **record}))
            continue
        output.to_stdout(f"# {each.path or 'crontab'}\n{each.text.rstrip()}")
        for line in switched_on:
            output.to_stdout(f"# {line}")
    if not yes:
        output.to_stderr("nothing was installed; --yes installs it")
    elif system == "systemd":
        output.to_stderr(
            "installed for systemd; it runs while you are logged in, or always by `loginctl enable-linger`"
        )
    else:
        output.to_stderr(f"installed for {system}")


def _summary(done: RunReport) -> str:
    did = Counter[str]()
    for actions in done.counts().values():
        did.update(actions)
    said = [_did(name, number, done.space) for name, number in did.items()] + done.upkeep
    if done.held:
        seen = command_in(done.space, "review list", bare=True)
        said.append(message(f"{done.held} held for review (", seen, ")"))
    if done.set_aside:
        number = len(done.set_aside)
        said.append(f"{number} {'claim' if number == 1 else 'claims'} of the LLM set aside")
    if done.put_off:
        said.append(f"{done.put_off} more questions or links put off until some are answered")
    if done.tokens:
        said.append(f"{done.tokens:,} tokens")
    if done.stopped:
        said.append(f"stopped {done.stopped}")
    if not said:
        return ""
    run = ids.short_id(done.run)
    # What only waits for its owner is in no memory's history, so no command is named for it.
    verbs = ["history --change"] * bool(did.keys() - _SEEN_BY.keys()) + ["undo"]
    known_by = [command_in(done.space, f"{verb} {run}", bare=True) for verb in verbs]
    undo = message("  (", joined(", ", known_by), ")") if did or done.held else ""
    line = message(f"{done.space}: ", joined(", ", said), f", in {done.seconds:.1f} s", undo)
    return printable.one_line(output.printed(line))


def _ended(done: RunReport) -> Iterator[str]:
    """Yield a line for each of the first memories ended, those ended by an update before expired ones."""
    some = sorted(done.ended, key=lambda each: each.step != "contradict")[:MOST_TOLD]
    for each in some:
        tail = ids.short_id(each.memory)
        back = command_in(done.space, f"restore {tail}", bare=True)
        line = message(f"  ended: {tail} {printable.quoted(each.text, 60)}, {each.why[:80]}  (", back, ")")
        yield printable.one_line(output.printed(line))
    more = sum(actions.get("end", 0) for actions in done.counts().values()) - len(some)
    if some and more > 0:
        yield f"  and {more} more"


def _did(action: str, number: int, space: str) -> str:
    done = f"{number} {_DID.get(action, (action, action))[number != 1]}"
    return (
        message(done, " (", command_in(space, _SEEN_BY[action], bare=True), ")")
        if action in _SEEN_BY
        else done
    )


def _about(outcome: ProposalOutcome) -> str:
    named = " ".join(ids.short_id(each) for each in outcome.proposal.memories[:5])
    more = " …" if len(outcome.proposal.memories) > 5 else ""
    return f"{named}{more}  {printable.one_line(outcome.proposal.told, 160)}"


def _set_aside(step: str, text: str, reason: str) -> str:
    quoted = f": {text[:160]}" if text else ""
    return printable.one_line(f"set aside: {step}{quoted} ({reason})")


def _told(done: RunReport) -> dict[str, object]:
    """Return the parts of the record that quote memories, which the stored record of a run does not."""
    return {
        "changes": [_record(outcome) for outcome in done.outcomes],
        "ended": [each._asdict() for each in done.ended],
        "claims": [each._asdict() for each in done.set_aside],
    }


def _record(outcome: ProposalOutcome) -> dict[str, object]:
    asked = outcome.proposal
    return {
        "step": asked.step, "action": asked.action, "memories": list(asked.memories), "why": asked.told,
        "done": outcome.done, "note": outcome.note, "made": outcome.made,
    }  # fmt: skip
