"""A client that breaks every rule gets answers by the rules, or none; stdout carries the protocol only."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memcli.agents.mcp.wire import MAX_LINE, Overlong, Wire
from tests.agents.clients import ENVELOPE, HANDSHAKE, OLDER, RawClient
from tests.conftest import MEM, Run

pytest.importorskip("mcp", reason="the extra memcli[mcp] is not installed")


@pytest.fixture
def client(mem: Run) -> RawClient:
    return RawClient()


NO_MESSAGES = [
    (b"nonsense", -32700),
    (b"\xff\xfe\x00binary\x80", -32700),
    (b'{"jsonrpc":"2.0","id":1,', -32700),
    (b'"a text"', -32600),
    (b"[]", -32600),
    (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
    (b'{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600),
    (b'{"id":7}', -32600),
    (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":8,"method":5}', -32600),
    (b"[" * 100_000, -32700),
    (b'{"jsonrpc":"2.0","id":9,"method":"ping","params":{"a":"\\ud800"}}', None),
    (b" " * 70_000, None),
    (b"x" * (MAX_LINE + 10), -32600),
]


def test_what_is_no_message_is_answered_and_the_next_one_served(client: RawClient) -> None:
    with client:
        for line, code in NO_MESSAGES:
            client.write(line + b"\n")
            if code is not None:
                answer = client.read()
                assert answer and answer["error"]["code"] == code, line[:80]
            assert client.ask("ping") == {}, line[:80]
        assert client.end() == 0


NOT_SERVED = [
    ("bogus/method", None, -32601),
    ("tools/call", None, -32602),
    ("tools/call", {"name": "no-such-tool"}, -32602),
    ("tools/call", {"name": "recall", "arguments": ["a"]}, -32602),
    ("tools/call", {"name": "recall", "arguments": "a"}, -32602),
    ("resources/read", {"uri": "memory://item/none"}, -32602),
    ("resources/read", {"uri": "file:///etc/passwd"}, -32602),
    ("prompts/get", {"name": "none"}, -32602),
    ("logging/setLevel", {"level": "debug"}, -32601),
]


def test_what_is_not_served_is_an_error_of_the_protocol(client: RawClient) -> None:
    with client:
        for method, params, code in NOT_SERVED:
            assert client.ask(method, params)["code"] == code, (method, params)
            assert client.ask("ping") == {}


REFUSED: list[tuple[str, dict[str, object]]] = [
    ("recall", {}),
    ("recall", {"query": ""}),
    ("recall", {"query": "a\0b"}),
    ("recall", {"query": 5}),
    ("recall", {"query": "tea", "limit": 0}),
    ("recall", {"query": "tea", "limit": -(10**30)}),
    ("recall", {"query": "tea", "kind": "none"}),
    ("recall", {"query": "tea", "since": "never"}),
    ("recall", {"query": "tea", "unknown": 1}),
    ("remember", {"text": "x" * 100_000}),
    ("remember", {"text": "The key is sk-" + "a1B2" * 12}),
    ("remember", {"text": "tea", "kind": "policy"}),
    ("remember", {"text": "tea", "replaces": "NOSUCHID"}),
    ("correct", {"id": "NOSUCHID", "text": "tea"}),
    ("forget", {"ids": []}),
    ("forget", {"ids": ["NOSUCHID"]}),
    ("forget", {"ids": [5]}),
    ("context", {"budget": "many"}),
]


def test_a_refusal_is_an_error_of_the_tool_in_one_line(mem: Run) -> None:
    assert mem("remember", "I drink tea").returncode == 0
    with RawClient() as client:
        for tool, arguments in REFUSED:
            text, is_error = client.call(tool, **arguments)
            assert is_error and text.strip() and "\n" not in text and "a1B2" not in text, (tool, arguments)
        assert client.end() == 0


def test_numbers_and_lists_are_taken_as_models_write_them(mem: Run) -> None:
    assert mem("remember", "I drink tea", "--tag", "drinks").returncode == 0
    with RawClient() as client:
        text, is_error = client.call("recall", query="what do I drink?", limit="3", tags="drinks", kind=None)
        assert "I drink tea" in text and not is_error
        assert client.call("recall", query="tea", limit=2.0, budget=10**40)[1] is False


def test_a_call_that_was_given_up_is_not_answered_and_others_are(mem: Run) -> None:
    with RawClient() as client:
        asked = {"name": "recall", "arguments": {"query": "tea"}}
        client.send(
            {"jsonrpc": "2.0", "id": "given up", "method": "tools/call", "params": asked},
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "given up"}},
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "none"}},
        )
        last = client.request("ping")
        said = client.read()
        assert said and said["id"] == last
        assert client.end() == 0


def test_what_was_asked_before_the_end_of_stdin_is_answered(mem: Run) -> None:
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *(
            {
                "jsonrpc": "2.0", "id": n, "method": "tools/call",
                "params": {"name": "remember", "arguments": {"text": f"Locker {n} at the pool is blue"}},
            }
            for n in (2, 3, 4)
        ),
    ]  # fmt: skip
    # The last one without an end of its line.
    done = mem("mcp", input="\n".join(map(json.dumps, lines)))
    assert done.returncode == 0
    answers = {json.loads(line)["id"]: json.loads(line) for line in done.stdout.splitlines()}
    assert set(answers) == {1, 2, 3, 4} and not any(answers[n]["result"]["isError"] for n in (2, 3, 4))
    assert len(mem("list").stdout.splitlines()) == 3


@pytest.mark.parametrize("tail", [b"", b'{"jsonrpc":"2.0","id":5,"meth', b"x" * (MAX_LINE + 1)])
def test_it_ends_with_its_stdin_wherever_that_stops(client: RawClient, tail: bytes) -> None:
    with client:
        client.write(tail)
        assert client.end() == 0


def test_it_ends_where_nobody_reads_any_more(client: RawClient) -> None:
    with client:
        assert client.process.stdout
        client.process.stdout.close()
        client.send({"jsonrpc": "2.0", "id": 5, "method": "tools/list"})
        assert client.process.wait(timeout=30) == 0


@pytest.mark.skipif(os.name == "nt", reason="POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_told_to(client: RawClient, number: int) -> None:
    with client:
        client.process.send_signal(number)
        assert client.process.wait(timeout=30) == 0


@pytest.mark.skipif(os.name == "nt", reason="POSIX")
def test_it_ends_when_its_parent_dies_though_others_hold_its_stdin(mem: Run, tmp_path: Path) -> None:
    read, write = os.pipe()
    parent = subprocess.Popen(
        [
            sys.executable, "-c",
            "import subprocess, sys, time\n"
            f"p = subprocess.Popen([{str(MEM)!r}, 'mcp'], stdin={read}, stdout=subprocess.PIPE)\n"
            "print(p.pid, p.stdout.readline(), flush=True); time.sleep(60)",
        ],
        pass_fds=[read], stdout=subprocess.PIPE,
    )  # fmt: skip
    os.write(
        write,
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE}).encode() + b"\n",
    )
    assert parent.stdout
    server = int(parent.stdout.readline().split()[0])
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and _is_alive(server):
        time.sleep(0.1)
    assert not _is_alive(server)
    for each in (read, write):
        os.close(each)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


NOISY = """
import sys
from memcli.agents.tools import everyday
noisy = everyday.RECALL._replace(run=lambda memories, given: print("stray", flush=False) or 1 / 0)
everyday.EVERYDAY = (noisy,)
from memcli.app import main
sys.argv = ["mem", "mcp"]
main()
"""


def test_a_stray_print_and_a_crash_reach_the_log_and_not_the_client(mem: Run) -> None:
    assert mem("remember", "I drink tea").returncode == 0
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE},
        {
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": "recall", "arguments": {"query": "tea"}},
        },
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", NOISY], input="\n".join(map(json.dumps, lines)), capture_output=True, text=True
    )
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["id"] == 1 and second["result"]["isError"]
    assert "ZeroDivisionError" in second["result"]["content"][0]["text"]
    assert "stray" in done.stderr and "ZeroDivisionError at" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "env", "says"),
    [
        (("--tools", "none"), {}, "no tool 'none'"),
        (("--name", ""), {}, "--name"),
        (("--space", "*"), {}, "all spaces"),
    ],
)
def test_a_start_that_fails_is_told_on_both_sides(
    mem: Run, arguments: tuple[str, ...], env: dict[str, str], says: str
) -> None:
    first = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE}) + "\n"
    done = mem("mcp", *arguments, input=first)
    assert done.returncode == 2 and says in done.stderr and len(done.stderr.splitlines()) == 1
    assert says in json.loads(done.stdout)["error"]["message"]


WITHOUT = """
import importlib.util, sys
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "mcp" else found(name, *rest)
sys.argv = ["mem", "mcp"]
from memcli.app import main
main()
"""


def test_without_the_extra_one_line_says_what_to_install(mem: Run) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'memcli[mcp]'" in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(os.name == "nt", reason="POSIX")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_with_a_stream_closed_it_says_so_and_ends(mem: Run, closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec {MEM} mcp {closed}"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2 and done.stdout == ""


@pytest.mark.parametrize("trouble", ["damaged", "config", "model"])
def test_it_serves_its_lists_whatever_is_wrong_and_says_at_a_call_what_is(
    mem: Run, own_home: Path, trouble: str
) -> None:
    env = {}
    if trouble == "damaged":
        (own_home / "data").mkdir()
        (own_home / "data" / "memory.db").write_bytes(
            b"no database at all, and long enough to be looked at" * 99
        )
    elif trouble == "config":
        (own_home / "config.toml").write_text("no = [toml")
    else:
        env = {"MEMCLI_MODEL": "no-such-model"}
    with RawClient(env=env) as client:
        assert len(client.ask("tools/list")["tools"]) == 5
        assert [each["name"] for each in client.ask("resources/list")["resources"]] == ["context"]
        text, is_error = client.call("remember", text="I drink tea")
        assert is_error and "\n" not in text
        assert client.end() == 0


def test_the_lists_are_answered_before_store_and_model_are_loaded(mem: Run) -> None:
    code = (
        "import sys; from memcli.app import run; run(['mcp']); "
        "print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(ask), capture_output=True, text=True, check=True
    )
    assert len(json.loads(done.stdout)["result"]["tools"]) == 5
    assert not {"numpy", "onnxruntime", "tokenizers", "sqlcipher3"} & set(done.stderr.split())


def test_both_eras_are_spoken_and_what_mixes_them_is_refused(mem: Run) -> None:
    with RawClient() as client:
        assert client.shaken["protocolVersion"] == OLDER
        assert client.ask("tools/list", {"_meta": ENVELOPE})["code"] == -32600
    with RawClient(shake=False) as client:
        found = client.ask("server/discover", {"_meta": ENVELOPE})
        assert found["supportedVersions"] and found["instructions"].count(". ") == 1
        listed = client.ask("tools/list", {"_meta": ENVELOPE})
        assert listed["resultType"] == "complete" and listed["cacheScope"] == "public" and listed["ttlMs"] > 0
        read = client.ask("resources/read", {"uri": "memory://context", "_meta": ENVELOPE})
        assert read["cacheScope"] == "private" and read["ttlMs"] == 0
        strange = {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "1999-01-01"}
        assert client.ask("tools/list", {"_meta": strange})["code"] == -32022
        assert client.end() == 0
    with RawClient(shake=False) as client:
        # What older clients offer is met where it can be.
        assert (
            client.ask("initialize", {**HANDSHAKE, "protocolVersion": "2024-11-05"})["protocolVersion"]
            == "2024-11-05"
        )


def test_lines_are_bounded_whatever_is_between_their_ends() -> None:
    read, write = os.pipe()
    os.write(write, b"a\n\n\nbb")
    os.close(write)
    assert list(Wire(read, 1).lines()) == [b"a", b"bb"]
    os.close(read)
    assert Overlong(5).size == 5
