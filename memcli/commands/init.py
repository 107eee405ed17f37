"""`mem init`: give an agent the skill that tells how and when to use `mem`, and the server and hooks."""

import shlex
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Annotated

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.consent import owner_only
from memcli.messages import Command, message

EXAMPLES = """
mem init claude                  # writes the skill, and says how to register the MCP server
mem init codex --mcp --dry-run
mem init gemini --mcp --hooks    # and registers it, and installs the hooks
mem init claude-desktop --mcp
mem init claude --remove         # all of it
"""


def command(
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT", help="claude, claude-desktop, codex, gemini, cursor, copilot or vscode."
        ),
    ],
    mcp: Annotated[bool, typer.Option("--mcp", help="Add `mem mcp` to its MCP servers as well.")] = False,
    hooks: Annotated[bool, typer.Option("--hooks", help="Install the hooks as well.")] = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove the skill, the server and the hooks.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be changed.")] = False,
    json: options.Json = False,
) -> None:
    """Tell an agent how and when to use mem: a skill, and on request hooks and the MCP server.

    Nothing else in its settings changes, and each file is kept beside itself as it was.
    """
    from memcli.agents.hooks.agents import AGENTS
    from memcli.agents.mcp.start import MISSING
    from memcli.agents.settings import hooks as hook_settings
    from memcli.agents.settings import servers, skill
    from memcli.agents.settings.files import FileChange
    from memcli.commands.terminal.carried import carried_environment
    from memcli.commands.terminal.settings_files import print_change, tell_left_behind

    owner_only("the settings of agents")
    client = servers.find_client(agent)
    hooked = AGENTS.get(client.name)
    environment = {} if remove else carried_environment()
    plans: list[tuple[str, Callable[[], FileChange]]] = []
    if client.skills or not (mcp or remove):
        plans.append(("skill", partial(skill.remove_skill if remove else skill.write_skill, client)))
    if mcp or remove:
        plans.append(
            (
                "MCP server",
                partial(servers.unregister, client)
                if remove
                else partial(servers.register, client, environment),
            )
        )
    if hooked and (hooks or remove):
        plans.append(
            (
                "hooks",
                partial(hook_settings.remove, hooked)
                if remove
                else partial(hook_settings.install, hooked, environment),
            )
        )
    # Every change is planned before any is made, each on the file as the one before leaves it.
    for _, plan in plans:
        plan().check()
    for what, plan in plans:
        print_change(plan(), what, dry_run=dry_run, as_json=json)
    if hooked and hooks and not remove:
        tell_left_behind(environment)
    if mcp and not remove and find_spec("mcp") is None:
        output.to_stderr(f"the MCP server cannot start yet: {MISSING}")
    if not (mcp or remove or json):
        words = shlex.join([*hook_settings.in_environment(environment), *servers.command_words(client)])
        output.to_stderr(
            message(
                "the MCP server: ",
                Command(f"init {client.name} --mcp"),
                f", or have {client.title} run: {words}",
            )
        )
