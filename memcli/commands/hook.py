"""`mem hook`: answer agents' hooks, and install or remove them in agents' settings."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.consent import owner_only
from memcli.commands.terminal.groups import NamedGroup
from memcli.errors import NotFound
from memcli.messages import Command, message

if TYPE_CHECKING:
    from memcli.agents.hooks.lateness import LateHook

EXAMPLES = """
mem hook install claude --dry-run
mem hook install claude
mem hook status
echo '{"prompt": "which port does staging use?"}' | mem hook prompt --agent claude
echo '{"source": "startup"}' | mem hook start --agent claude
echo '{"trigger": "auto"}' | mem hook compact --agent claude
echo '{"session_id": "s1"}' | mem hook end --agent codex
mem hook remove claude
"""


class _Events(NamedGroup):
    """A group that accepts any agent's name for an event."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        from memcli.agents.hooks.agents import event_called

        return super().get_command(ctx, cmd_name) or super().get_command(ctx, event_called(cmd_name) or "")


app = typer.Typer(cls=_Events, add_completion=False, rich_markup_mode=None, no_args_is_help=True)
# A newer agent may pass arguments that are unknown here: these are ignored.
_LENIENT = {"ignore_unknown_options": True, "allow_extra_args": True}
Agent = Annotated[
    str,
    typer.Option("--agent", metavar="NAME", help="Whose hook it is: claude, codex, gemini, copilot, cursor."),
]
Named = Annotated[str, typer.Argument(metavar="AGENT", help="claude, codex, gemini, copilot or cursor.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be changed.")]


@app.callback()
def _hook() -> None:
    """Answer an agent's hooks; install them in its settings, and remove them.

    An event reads the agent's JSON on stdin, prints one envelope or nothing, and always exits 0.
    """


@app.command(context_settings=_LENIENT)
def start(agent: Agent = "claude") -> None:
    """A session starts: print what an agent should know (as `mem context`)."""
    _run("start", agent)


@app.command(context_settings=_LENIENT)
def prompt(agent: Agent = "claude") -> None:
    """A prompt was typed: print what it brings to mind (as `mem recall`)."""
    _run("prompt", agent)


@app.command(context_settings=_LENIENT)
def compact(agent: Agent = "claude") -> None:
    """The agent is about to compact its context: print the task at hand."""
    _run("compact", agent)


@app.command(context_settings=_LENIENT)
def end(agent: Agent = "claude") -> None:
    """A turn, or the session, has ended: log its last turns, where `hook_log` is on."""
    _run("end", agent)


@app.command("log-turns", hidden=True, context_settings=_LENIENT)
def log_turns(agent: Agent = "claude") -> None:
    """Log the turns that a hook was handed; `mem hook end` detaches this."""
    from memcli.agents.hooks.runner import log_turns as log

    log(agent)


def _run(event: str, agent: str) -> None:
    from memcli.agents.hooks.runner import run_hook

    run_hook(event, agent.strip().lower())


@app.command()
def install(agent: Named, dry_run: DryRun = False, json: options.Json = False) -> None:
    """Have an agent call `mem` when a session starts, at each prompt and before it compacts.

    And at the end of each turn, where `hook_log` is on. All other hooks stay as they are; the file is
    kept beside itself as it was.
    """
    from memcli.agents.hooks.agents import find_agent
    from memcli.agents.settings import hooks
    from memcli.commands.terminal.carried import carried_environment
    from memcli.commands.terminal.settings_files import print_change, tell_left_behind
    from memcli.config.config import Config

    owner_only("the settings of agents")
    whose = find_agent(agent)
    environment = carried_environment()
    change = hooks.install(whose, environment)
    print_change(change, "hooks", dry_run=dry_run, as_json=json)
    tell_left_behind(environment)
    if "prompt" not in whose.events:
        output.to_stderr(f"{whose.title} lets a hook say something at the start of a session only")
    if whose.name == "codex" and change.changes:
        output.to_stderr("Codex runs a new hook once you have looked at it and trusted it: /hooks")
    if not Config()["hook_log"]:
        output.to_stderr(
            message(
                "turns are not logged; ",
                Command("config set hook_log on"),
                ", and install again, to have them",
            )
        )


@app.command()
def remove(agent: Named, dry_run: DryRun = False, json: options.Json = False) -> None:
    """Remove our hooks from an agent's settings; all others stay."""
    from memcli.agents.hooks.agents import find_agent
    from memcli.agents.settings import hooks
    from memcli.commands.terminal.settings_files import print_change

    owner_only("the settings of agents")
    print_change(hooks.remove(find_agent(agent)), "hooks", dry_run=dry_run, as_json=json)


@app.command()
def status(
    agent: Annotated[str | None, typer.Argument(metavar="[AGENT]", help="Only this agent.")] = None,
    json: options.Json = False,
) -> None:
    """Say which hooks of ours stand in which settings, and which were late; exits 1 if none stand.

    A late hook passed its deadline (`hook_deadline`) within the last 7 days and said nothing.
    """
    from memcli.agents.hooks.agents import AGENTS, event_called, find_agent
    from memcli.agents.hooks.lateness import late_hooks
    from memcli.agents.settings import hooks
    from memcli.config.config import Config
    from memcli.text import printable
    from memcli.times import now

    config = Config()
    found = False
    told: list[LateHook] = []
    for each in [find_agent(agent)] if agent else AGENTS.values():
        path = hooks.settings_of(each)
        late = late_hooks(config["cache_dir"], each, now())
        told += late
        here = hooks.installed(each)
        for hook in here:
            found = True
            of_it = [one for one in late if one.event == event_called(hook.event)]
            record = {
                "agent": each.name, "event": hook.event, "command": hook.command, "file": str(path),
                "runs": hook.runs, **_lateness(of_it),
            }  # fmt: skip
            gone = "" if hook.runs else "  (no such program any more: install again)"
            said = f"{each.name:<8} {hook.event:<17} {printable.one_line(str(path))}{gone}{_late(of_it)}"
            output.to_stdout(printable.json_line(record) if json else said)
        # Hooks may also be called from settings that are not read here: a project's, a company's.
        for event in sorted({one.event for one in late} - {event_called(hook.event) for hook in here}):
            of_it = [one for one in late if one.event == event]
            record = {"agent": each.name, "event": event, "command": None, "file": None, **_lateness(of_it)}
            said = f"{each.name:<8} {event:<17} (not in its settings){_late(of_it)}"
            output.to_stdout(printable.json_line(record) if json else said)
    if told:
        _advise(told, config["hook_deadline"])
    if not found:
        raise NotFound(
            message(
                f"no hook of mem in the settings of {agent or 'any agent'}; ", Command("hook install AGENT")
            )
        )


def _lateness(late: "list[LateHook]") -> dict[str, Any]:
    from memcli import times

    return {
        "late": len(late),
        "last_late": times.to_iso(late[-1].at) if late else None,
        "deadline": late[-1].deadline if late else None,
    }


def _late(late: "list[LateHook]") -> str:
    from memcli import times

    if not late:
        return ""
    last = f"last {times.local_time(late[-1].at)} after {late[-1].deadline:g} s"
    return f"  (late {_times(len(late))} in 7 days, {last})"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _advise(late: "list[LateHook]", deadline: float) -> None:
    """Say what late hooks mean, and what helps."""
    longer = next((each for each in (1, 2, 4) if each > deadline), None)
    if waited := sum(each.stage == "agent" for each in late):
        output.to_stderr(
            f"{_times(waited)} the agent itself handed over its input too late, which no setting mends"
        )
    late = [each for each in late if each.stage != "agent"]
    if not late:
        return
    if all(each.deadline < deadline for each in late):
        output.to_stderr(f"since then hook_deadline is longer: {deadline:g} s")
        return
    what = f"a hook that takes longer than {deadline:g} s (hook_deadline) says nothing"
    if longer:
        output.to_stderr(
            message(f"{what}; ", Command(f"config set hook_deadline {longer}s"), " gives it more time")
        )
    else:
        output.to_stderr(
            message(f"{what}, and agents wait 5 s; ", Command("config set warm on"), " makes it quicker")
        )
