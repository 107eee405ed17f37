"""Other people's judges of `mem mcp`, by hand: the conformance suite and the Inspector.

    npm i node@22.23.3 @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0
    python -m tests.agents.judges node_modules

They come from the npm registry and want Node 22, so no test runs them, but `.ci/run` where there is npm. The
suite speaks HTTP only: it is given the same server by the SDK's own HTTP transport, on a port of this
machine; the Inspector starts `mem mcp` itself. Exits 1 where anything fails that is not known to want a
fixture of the suite's own.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

# Not the tests' own: with those comes what keeps them from every socket.
MEM = Path(sys.executable).with_name("mem")
# Those that hold for any server; the others want tools that the suite names.
SCENARIOS = {
    "2025-11-25": (
        "server-initialize", "ping", "tools-list", "resources-list", "prompts-list",
        "dns-rebinding-protection",
    ),
    "2026-07-28": (
        "tools-list", "resources-list", "prompts-list", "sep-2164-resource-not-found", "caching",
        "dns-rebinding-protection", "server-stateless",
    ),
}  # fmt: skip
# Of `server-stateless` four checks call fixture tools: of a missing capability, of a stream that logs.
WANT_FIXTURES = {"server-stateless": 4}


def main() -> None:
    """Run both judges, print what they say, and exit 1 where they find a fault."""
    modules = Path(sys.argv[1]).resolve()
    node = modules / "node" / "bin" / "node"
    if not node.exists():
        node = next(modules.glob("node*/**/bin/node"))
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"MEMCLI_DB": f"{folder}/memory.db", "MEMCLI_CONFIG": f"{folder}/none.toml"}
        faults = [*conformance_faults(node, modules, serve_http()), *inspector_faults(node, modules)]
    print("\n".join(faults) or "no faults")
    sys.exit(bool(faults))


def serve_http() -> int:
    """The server on a port of this machine, in a thread; the port."""
    import uvicorn

    from memcli.agents.mcp.server import make_server
    from memcli.agents.tools.desk import Desk
    from memcli.agents.tools.everyday import EVERYDAY

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    app = make_server(Desk("mcp:judge"), EVERYDAY).streamable_http_app()
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    return port


def conformance_faults(node: Path, modules: Path, port: int) -> Iterator[str]:
    """What the conformance suite finds, a line a scenario."""
    program = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    for version, scenarios in SCENARIOS.items():
        for scenario in scenarios:
            command: list[str | Path] = [
                node, program, "server", "--url", f"http://127.0.0.1:{port}/mcp",
                "--scenario", scenario, "--spec-version", version,
            ]  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=modules.parent)
            said = [line for line in done.stdout.splitlines() if line.strip()]
            counts = re.findall(r"(\d+) failed", done.stdout)
            failed = int(counts[-1]) if counts else 0
            told = next((line for line in said if "Passed:" in line), done.stderr[-200:])
            print(f"{version} {scenario}: exit {done.returncode}; {told}")
            if done.returncode and not 0 < failed <= WANT_FIXTURES.get(scenario, 0):
                yield f"{version} {scenario}:\n" + done.stdout[-2000:] + done.stderr[-500:]


def inspector_faults(node: Path, modules: Path) -> Iterator[str]:
    """What the Inspector cannot do with `mem mcp` as it starts it."""
    package = modules / "@modelcontextprotocol" / "inspector"
    entry = json.loads((package / "package.json").read_text())["bin"]
    program = package / (entry if isinstance(entry, str) else entry["mcp-inspector"])
    calls = {
        "tools/list": ["tools"], "resources/list": ["resources"], "prompts/list": ["prompts"],
        "tools/call --tool-name remember --tool-arg text=Tea": ["content"],
        "tools/call --tool-name recall --tool-arg query=tea --tool-arg limit=3": ["content"],
    }  # fmt: skip
    for call, keys in calls.items():
        command: list[str | Path] = [node, program, "--cli", MEM, "mcp", "--method", *call.split()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            answer = {}
        print(f"inspector {call}: exit {done.returncode}; {done.stdout[:100]!r}")
        if done.returncode or not all(key in answer for key in keys) or answer.get("isError"):
            yield f"inspector {call}: {done.stdout[-500:]} {done.stderr[-500:]}"


if __name__ == "__main__":
    main()
