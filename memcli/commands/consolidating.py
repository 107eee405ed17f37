"""What `mem consolidate` shows: a run, past runs, the schedule."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from memcli import ids, output

if TYPE_CHECKING:
    from memcli.consolidation.acting import Outcome
    from memcli.consolidation.run import Report
    from memcli.memories import Memories

_DID = {
    "end": "ended", "fold": "sessions folded", "keep": "facts distilled", "merge": "merged",
    "relate": "noted as updated", "ask": "open questions (mem audit)", "purge": "purged",
    "link": "links proposed (mem review list)",
}  # fmt: skip


def report(done: Report, *, as_json: bool, dry: bool) -> None:
    """One run: all of it as JSON, each proposal of a dry run, else one line where anything was done."""
    if as_json:
        changes = [_record(outcome) for outcome in done.outcomes]
        output.to_stdout(output.json_line({**done.summary(), "dry_run": dry, "changes": changes}))
        return
    from memcli.consolidation.acting import KNOWN

    for outcome in done.outcomes:
        refused = f"  (not done: {outcome.note})"
        if dry or not outcome.done:
            line = f"{outcome.proposal.step:<10}  {outcome.proposal.action:<6}  {_about(outcome)}"
            if dry:
                output.to_stdout(line)
            elif outcome.note != KNOWN:
                output.to_stderr(line + refused)
    for line in done.skipped:
        output.to_stderr(f"skipped: {line}")
    if not dry and (line := _summary(done)):
        output.to_stdout(line)


def history(memories: Memories, *, as_json: bool) -> None:
    """Past runs, newest first; `mem history --change RUN` and `mem undo RUN` know them by their ids."""
    from memcli.consolidation.noted import past_runs

    for run in past_runs(memories):
        if as_json:
            output.to_stdout(output.json_line(run))
            continue
        did = Counter[str]()
        for actions in run["steps"].values():
            did.update(actions)
        said = [f"{number} {_DID.get(name, name)}" for name, number in did.items()] + run["upkeep"]
        line = f"{ids.tail(run['run'])}  {run['at'][:16]}  {run['seconds']:>6.1f} s  {'; '.join(said)}"
        output.to_stdout(output.one_line(line))


def install(system: str, arguments: list[str], *, yes: bool) -> None:
    """Print a schedule; with `yes` install it."""
    from memcli.consolidation import schedule
    from memcli.drafts import one_of

    planned = schedule.schedule(one_of("system", system, schedule.SYSTEMS), arguments, Path.home())
    for each in planned:
        output.to_stdout(f"# {each.path or 'crontab'}\n{each.text.rstrip()}")
        if each.then:
            output.to_stdout(f"# {' '.join(each.then)}")
    if yes:
        schedule.install(planned)
        output.to_stderr(f"installed for {system}")
    else:
        output.to_stderr("nothing was installed; --yes installs it")


def _summary(done: Report) -> str:
    did = Counter[str]()
    for actions in done.counts().values():
        did.update(actions)
    said = [f"{number} {_DID[name]}" for name, number in did.items()] + done.upkeep
    if done.put_off:
        said.append(f"{done.put_off} more questions or links put off until some are answered")
    if done.stopped:
        said.append(f"stopped {done.stopped}")
    if not said:
        return ""
    undo = f"  (mem undo {ids.tail(done.run)})" if did else ""
    return output.one_line(f"{done.space}: {', '.join(said)}, in {done.seconds:.1f} s{undo}")


def _about(outcome: Outcome) -> str:
    named = " ".join(ids.tail(each) for each in outcome.proposal.memories[:5])
    more = " …" if len(outcome.proposal.memories) > 5 else ""
    return f"{named}{more}  {output.one_line(outcome.proposal.told)[:160]}"


def _record(outcome: Outcome) -> dict[str, object]:
    asked = outcome.proposal
    return {
        "step": asked.step, "action": asked.action, "memories": list(asked.memories), "why": asked.told,
        "done": outcome.done, "note": outcome.note, "made": outcome.made,
    }  # fmt: skip
