"""`mem mcp`: serve an agent by the Model Context Protocol (MCP)."""

from typing import Annotated

import typer

from memcli.commands.terminal import options

EXAMPLES = """
claude mcp add --scope user memcli -- mem mcp --name claude
mem mcp --tools recall,context   # an agent that only reads
mem mcp --tools all --space work
"""


def command(
    name: Annotated[
        str,
        typer.Option(
            "--name", metavar="NAME", help="The agent's name: what it writes gets the origin mcp:NAME."
        ),
    ] = "agent",
    tools: Annotated[
        str | None,
        typer.Option(
            "--tools", metavar="A,B|all", help="Only these tools, or `all`. [default: the five everyday ones]"
        ),
    ] = None,
    space: options.Space = None,
    db: options.Db = None,
) -> None:
    """Serve an agent by the Model Context Protocol, on stdin and stdout.

    It is started by the agent, and ends with it. What it writes is untrusted (`untrusted_origins`).
    """
    from memcli.agents.mcp.wire import take_wire

    wire = take_wire()
    from memcli.agents.mcp import start

    start.serve(wire, name, tools, space, db)
