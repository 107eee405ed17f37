"""Start of the server: which tools, for whom; and what a client is told if it cannot start."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from importlib.util import find_spec

from memcli.agents.mcp.wire import Overlong, Wire
from memcli.agents.tools.tool import Tool
from memcli.config.location import Location
from memcli.errors import BadInput, MemcliError
from memcli.text.checks import check_name, check_space

MISSING = "the SDK of the Model Context Protocol is not installed: pip install 'memcli[mcp]'"
# Seconds to wait for a client's first request, in order to answer it with the reason.
_FIRST = 2.0
# JSON-RPC's internal error.
_INTERNAL_ERROR = -32603


def serve(wire: Wire, name: str, tools: str | None, space: str | None, db: Location | None) -> None:
    """Serve the client on the wire until it goes. Raises BadInput, which the client is told, too."""
    try:
        chosen = chosen_tools(tools)
        name = check_name("--name", name)
        space = None if space is None else check_space(space)
        if find_spec("mcp") is None:
            raise BadInput(MISSING)
    except MemcliError as error:
        _answer_first(wire, str(error))
        raise
    from memcli.agents.mcp.server import serve as serve_tools
    from memcli.agents.tools.desk import Desk

    serve_tools(wire, Desk(f"mcp:{name}", who="mem mcp", db=db, space=space), chosen)


def chosen_tools(asked: str | None) -> Sequence[Tool]:
    """Return the everyday tools, all of them, or those named, in their own order. Raises BadInput."""
    from memcli.agents.tools.everyday import EVERYDAY

    if asked is None:
        return EVERYDAY
    from memcli.agents.tools.further import FURTHER

    known = (*EVERYDAY, *FURTHER)
    names = [each.strip() for each in asked.split(",")]
    if names == ["all"]:
        return known
    if unknown := [each for each in names if each not in {tool.name for tool in known}]:
        raise BadInput(
            f"no tool {unknown[0]!r:.60}; there are {', '.join(tool.name for tool in known)}, or all"
        )
    return [tool for tool in known if tool.name in names]


def _answer_first(wire: Wire, why: str) -> None:
    """Answer a client's first request with the reason: otherwise it would wait, and show nothing."""

    def answer() -> None:
        for line in wire.lines():
            try:
                known = None if isinstance(line, Overlong) else json.loads(line).get("id")
            except (ValueError, AttributeError, RecursionError):
                continue
            if isinstance(known, str | int):
                error = {"code": _INTERNAL_ERROR, "message": f"memcli: {why}"}
                wire.write(json.dumps({"jsonrpc": "2.0", "id": known, "error": error}).encode())
                return

    waiting = threading.Thread(target=answer, daemon=True)
    waiting.start()
    waiting.join(_FIRST)
