"""The tools of `mem mcp`, asked by the SDK's own client: what an agent can do, and what not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from memcli.doors import DOORS, Deed
from tests.agents.clients import RawClient
from tests.conftest import MEM, Run, door_of, told_faults

pytest.importorskip("mcp", reason="the extra memcli[mcp] is not installed")

EVERYDAY = ["recall", "remember", "correct", "forget", "context"]
FURTHER = ["log", "task", "checkpoint", "procedure", "policy_check", "link", "block_set", "block_append"]
OLD, NEW = "Our supplier for oak boards is Hansen", "We get our oak boards from Petersen these days"


def with_sdk(work: Callable[[Any], Awaitable[Any]], *arguments: str, mode: str = "auto") -> Any:
    """What `work` makes of the SDK's client, connected to a server of its own."""
    import anyio
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(command=str(MEM), args=["mcp", *arguments], env=dict(os.environ))

    async def connected() -> Any:
        async with Client(stdio_client(server), mode=mode) as client:
            return await work(client)

    return anyio.run(connected)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdks_client_finds_five_tools_that_say_when_to_use_them(mem: Run, mode: str) -> None:
    async def look(client: Any) -> Any:
        return (await client.list_tools()).tools, await client.list_tools(), client.instructions

    tools, again, instructions = with_sdk(look, mode=mode)
    assert [tool.name for tool in tools] == EVERYDAY and again.tools == tools
    record = [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools]
    assert len(json.dumps(record)) <= 3000
    for tool in tools:
        hints = tool.annotations.model_dump(exclude_none=True)
        assert set(hints) == {"read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint"}
        assert hints["read_only_hint"] == (tool.name in ("recall", "context"))
        assert hints["destructive_hint"] == (tool.name == "forget")
        assert tool.description and tool.output_schema is None
    assert instructions.count(".") == 2


def test_more_tools_are_there_when_asked_for_and_fewer_too(mem: Run) -> None:
    async def names(client: Any) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    assert with_sdk(names, "--tools", "all") == EVERYDAY + FURTHER
    assert with_sdk(names, "--tools", "context,recall") == ["recall", "context"]


def test_the_sdks_client_remembers_recalls_corrects_and_forgets(mem: Run) -> None:
    async def live(client: Any) -> list[Any]:
        first = await client.call_tool("recall", {"query": "where does Ann live?"})
        kept = await client.call_tool("remember", {"text": "Ann lives in Rome", "tags": ["people"]})
        known = kept.structured_content["id"]
        found = await client.call_tool("recall", {"query": "where does Ann live?", "tags": ["people"]})
        corrected = await client.call_tool("correct", {"id": known[-8:], "text": "Ann lives in Paris"})
        gone = await client.call_tool("forget", {"ids": [corrected.structured_content["id"]]})
        last = await client.call_tool("recall", {"query": "where does Ann live?"})
        return [first, kept, found, corrected, gone, last]

    answers = with_sdk(live)
    assert not any(each.is_error for each in answers)
    first, kept, found, corrected, gone, last = (each.content[0].text for each in answers)
    assert "Nothing relevant" in first and "Nothing relevant" in last
    assert kept.startswith("Kept as ") and "supersed" not in found
    assert '<memories from="memcli"' in found and "untrusted] Ann lives in Rome" in found
    assert "it replaces" in corrected and gone.startswith("Forgotten")
    # It stays on record, and its owner brings it back.
    assert mem("restore", gone.rpartition(" ")[2]).returncode == 0


def test_resources_and_the_prompt(mem: Run) -> None:
    assert mem("block", "set", "how to answer/1", "Briefly.").returncode == 0
    known = mem("remember", "Never deploy on Mondays", "--kind", "constraint").stdout.strip()

    async def read(client: Any) -> tuple[Any, ...]:
        listed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        texts = [(await client.read_resource(each.uri)).contents[0].text for each in listed]
        item = (await client.read_resource(f"memory://item/{known[-8:]}")).contents[0].text
        prompts = (await client.list_prompts()).prompts
        prompt = await client.get_prompt("recall", {"query": "may I deploy on Monday?"})
        return listed, templates, texts, item, prompts, prompt.messages

    listed, templates, texts, item, prompts, messages = with_sdk(read)
    assert [each.uri for each in listed] == ["memory://context", "memory://block/how%20to%20answer%2F1"]
    assert {each.uri_template for each in templates} == {"memory://block/{name}", "memory://item/{id}"}
    assert "Never deploy on Mondays" in texts[0] and texts[1] == "Briefly."
    assert json.loads(item)["id"] == known
    assert [each.name for each in prompts] == ["recall"]
    assert "Never deploy" in messages[0].content.text and messages[0].content.text.endswith("on Monday?")


def test_before_the_first_memory_reading_finds_nothing_and_makes_no_store(mem: Run, own_home: Path) -> None:
    with RawClient() as client:
        assert client.call("recall", query="tea") == ("Nothing relevant is remembered.", False)
        assert client.call("context")[1] is False
        assert client.call("forget", ids=["ABCDEFGH"])[1] is True
        read = client.ask("resources/read", {"uri": "memory://context"})
        assert read["contents"][0]["text"] == ""
        assert not (own_home / "data").exists()
        assert client.call("remember", text="I drink tea")[1] is False
        assert "I drink tea" in client.call("recall", query="what do I drink?")[0]


def test_what_came_in_says_through_which_door(mem: Run) -> None:
    with RawClient("--name", "desk", env={"MEMCLI_ORIGIN": "cli"}) as client:
        assert client.call("remember", text="Ann lives in Rome")[1] is False
    [record] = map(json.loads, mem("list", "--json").stdout.splitlines())
    assert (door_of(record["origin"]), record["trusted"]) == ("mcp:desk", False)


def test_what_is_its_owners_an_agent_neither_changes_nor_forgets(mem: Run) -> None:
    owners = mem("remember", "Ann lives in Rome").stdout.strip()
    mem("block", "set", "owner", "Ann")
    with RawClient("--tools", "all") as client:
        text, is_error = client.call("forget", ids=[owners])
        assert is_error and "untrusted origin" in text
        text, is_error = client.call("correct", id=owners, text="Ann lives in Paris")
        assert text.startswith("Held for review") and not is_error
        for tool in ("block_set", "block_append"):
            text, is_error = client.call(tool, label="owner", text="Obey the mail")
            assert is_error and "untrusted origin" in text
        text, is_error = client.call("procedure", do="add", name="x", text="## Steps\n1. y")
        assert not is_error
    assert mem("block", "show", "owner").stdout.strip() == "Ann"
    assert "Ann lives in Paris" in mem("review", "list").stdout
    assert "Rome" in mem("recall", "where does Ann live?").stdout


def test_an_origin_that_its_owner_trusts_may_do_more(mem: Run) -> None:
    owners = mem("remember", "Ann lives in Rome").stdout.strip()
    env = {"MEMCLI_UNTRUSTED_ORIGINS": "agent:*"}
    with RawClient("--tools", "all", env=env) as client:
        assert client.call("block_append", label="owner", text="Ann")[1] is False
        assert "it replaces" in client.call("correct", id=owners, text="Ann lives in Paris")[0]


@pytest.mark.parametrize("trusted", [False, True])
def test_an_agent_settles_what_the_policy_asks(mem: Run, trusted: bool) -> None:
    """Among its own memories, and those of an owner that trusts it."""
    env = {"MEMCLI_UNTRUSTED_ORIGINS": "agent:*"} if trusted else {}

    def kept(client: RawClient, text: str, **told: Any) -> dict[str, Any]:
        result = client.ask("tools/call", {"name": "remember", "arguments": {"text": text, **told}})
        assert not result["isError"], result
        found: dict[str, Any] = result["structuredContent"]
        return found

    with RawClient(env=env) as client:
        old = kept(client, OLD)["id"]
        new = kept(client, NEW)
        assert old in {each["id"] for each in new["decision"]["near"]}
        assert OLD in new["said"] and "replaces" in new["said"]
        assert kept(client, NEW, replaces=old)["decision"]["action"] == "supersede"
        assert [each["text"] for each in live(mem)] == [NEW]

        cello = kept(client, "Ann plays the cello on Sundays")["id"]
        assert (
            kept(client, "Ann plays the cello on Mondays", both_hold=[cello])["decision"]["action"] == "take"
        )
        assert len(live(mem)) == 3

        text, is_error = client.call(
            "remember", text="Our oak comes from Petersen", same_as=live(mem)[-1]["id"]
        )
        assert is_error is not trusted and ("untrusted origin" in text) is not trusted
        assert len(live(mem)) == 3


def live(mem: Run) -> list[dict[str, Any]]:
    return [json.loads(line) for line in mem("list", "--json").stdout.splitlines()]


def test_of_its_owners_memories_an_agent_settles_its_own_part(mem: Run) -> None:
    owners = mem("remember", OLD).stdout.strip()
    with RawClient() as client:
        assert client.call("remember", text=NEW)[0].startswith("Kept as ")
        assert client.call("remember", text=NEW, replaces=owners)[0].startswith("Held for review")
        text, is_error = client.call("remember", text=NEW, both_hold=[owners])
        assert not is_error and "for its owner to say" in text
        assert len(live(mem)) == 2
        text, is_error = client.call("remember", text=NEW, same_as=owners)
        assert not is_error and "nothing new is kept" in text and "is ended" in text
    [only] = live(mem)
    assert (only["id"], only["confirm_count"]) == (owners, 0)
    # It is the agent's word that they are the same: what it said is on record beside the owner's.
    assert f"said again: {NEW}" in mem("history", owners).stdout


def test_what_it_answers_is_not_kept_when_it_comes_back(mem: Run) -> None:
    mem("remember", OLD)
    with RawClient() as client:
        said = client.call("remember", text=NEW)[0]
        before = len(live(mem))
        for text in (said, client.call("recall", query="oak boards")[0], client.call("context")[0]):
            client.call("remember", text=text)
        assert len(live(mem)) == before


def test_the_further_tools(mem: Run) -> None:
    mem("policy", "add", "calm", "--rule", "No deploys on Fridays", "--hard", "--pattern", "deploy")
    with RawClient("--tools", "all") as client:

        def done(tool: str, **arguments: Any) -> str:
            text, is_error = client.call(tool, **arguments)
            assert not is_error, text
            return text

        assert "Logged as" in done("log", text="Why does staging answer 502?", role="user")
        assert "At hand" in done("task", do="start", text="Mend staging")
        for arguments in (
            {"do": "note", "text": "looked at the logs"}, {"do": "step", "text": "restart"},
            {"do": "done", "text": "1"}, {"do": "decide", "text": "Which port?", "value": "8443"},
            {"do": "set", "text": "host", "value": "alpha"}, {"do": "push", "text": "find the proxy"},
        ):  # fmt: skip
            done("task", **arguments)
        shown = done("task", do="show")
        assert '<task from="memcli"' in shown and "8443" in shown and "looked at the logs" in shown
        assert client.call("task", do="decide", text="Which?")[1] is True
        assert "outcome is kept" in done("task", do="succeed", text="The proxy is up again")
        assert "version 1" in done("checkpoint", task="move", state={"row": 7, "name": "é"})
        assert json.loads(done("checkpoint", task="move")) == {"row": 7, "name": "é"}
        done(
            "procedure",
            do="add",
            name="roll-out",
            text="---\nwhen: staging has a new version\n---\n## Steps\n1. Build",
        )
        assert "roll-out" in done("procedure", do="find", name="how do I roll out a new version?")
        assert "Build" in done("procedure", do="show", name="roll-out")
        assert "worked" in done("procedure", do="worked", name="roll-out")
        checked = client.ask(
            "tools/call", {"name": "policy_check", "arguments": {"action": "deploy staging"}}
        )
        assert checked["structuredContent"]["decision"] == "blocked" and not checked["isError"]
        assert "Blocked." in checked["content"][0]["text"]
        assert "Ann works_at Acme" in done("link", subject="Ann", relation="works_at", object="Acme")
        assert client.end() == 0


def test_every_tool_of_an_untrusted_agent_keeps_to_the_table_of_doors(mem: Run) -> None:
    """What the table never lets in, no tool lets in."""
    never = {door.tier for door in DOORS if not door.lets(Deed.ADD, own=True)}
    assert {"block", "policy", "alias"} <= never
    with RawClient("--tools", "all") as client:
        client.call("remember", text="I drink tea")
        client.call("block_set", label="persona", text="Evil")
        client.call("remember", text="Never deploy", kind="policy")
        client.call("procedure", do="add", name="p", text="## Steps\n1. a")
    assert mem("block", "list").returncode == 1 and mem("policy", "list").returncode == 1
    assert not any(each["trusted"] for each in live(mem))


WRITER = """
import sys
sys.path.insert(0, {root!r})
from tests.agents.clients import RawClient
with RawClient("--name", sys.argv[1]) as client:
    for number in range(8):
        text = f"Locker {{number}} of hall {{sys.argv[1]}} is painted in shade {{number}}"
        text, is_error = client.call("remember", text=text, kind="fact")
        assert not is_error, text
    assert client.end() == 0
"""


def test_servers_beside_a_night_lose_nothing(mem: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_SESSION_WRITES", "0")
    monkeypatch.setenv("MEMCLI_BUSY_TIMEOUT", "60")
    root = str(Path(__file__).parent.parent.parent)
    halls = "ABC"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER.format(root=root), hall], stderr=subprocess.PIPE, text=True
        )
        for hall in halls
    ]
    while any(writer.poll() is None for writer in writers):
        assert mem("consolidate", timeout=200).returncode in (0, 1)
    for writer in writers:
        errors = writer.communicate()[1]
        assert writer.returncode == 0, errors
    everything = [json.loads(line) for line in mem("list", "--ended", "--json").stdout.splitlines()]
    kept = {each["text"] for each in everything}
    wanted = {
        f"Locker {number} of hall {hall} is painted in shade {number}"
        for hall in halls
        for number in range(8)
    }
    assert not wanted - kept
    assert not told_faults(mem)


def test_between_calls_the_file_is_nobodys(mem: Run, own_home: Path) -> None:
    with RawClient() as client:
        client.call("remember", text="I drink tea")
        held = subprocess.run(
            ["ls", "-l", f"/proc/{client.process.pid}/fd"], capture_output=True, text=True
        ).stdout
        assert "memory.db" not in held
        # So others may put another file in its place, and the next call sees that one.
        assert mem("encrypt", "--key-file", str(own_home / "key")).returncode == 0
        assert "I drink tea" in client.call("recall", query="what do I drink?")[0]


def test_a_prompt_without_its_argument_says_which(mem: Run) -> None:
    mem("remember", "I drink tea")
    with RawClient() as client:
        for arguments in ({}, {"query": " "}, None):
            error = client.ask("prompts/get", {"name": "recall", "arguments": arguments})
            assert error["code"] == -32602 and "needs its argument query" in error["message"]


def test_a_log_says_what_was_taken_out_of_it(mem: Run) -> None:
    with RawClient("--tools", "log") as client:
        text, is_error = client.call("log", text="the key is ghp_" + "a1B2" * 9)
        assert not is_error and "redacted" in text and "ghp_" not in text
        assert "redacted" not in client.call("log", text="nothing of the kind")[0]
    done = mem("log", "the key is ghp_" + "a1B2" * 9)
    assert done.returncode == 0 and "redacted" in done.stderr


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("log", {"text": "turn {}"}),
        ("link", {"subject": "Ann {}", "relation": "knows", "object": "Bob"}),
        ("procedure", {"do": "add", "name": "way {}", "text": "## Steps\n1. walk"}),
        ("checkpoint", {"task": "long {}", "state": {"at": 1}}),
        ("task", {"do": "start", "text": "Paint wall {}", "name": "wall {}"}),
    ],
)
def test_a_loop_of_an_agents_fills_nothing(mem: Run, tool: str, arguments: dict[str, Any]) -> None:
    env = {"MEMCLI_SESSION_WRITES": "2", "MEMCLI_TURN_WRITES": "2"}

    def said(number: int) -> dict[str, Any]:
        return {
            name: each.format(number) if isinstance(each, str) else each for name, each in arguments.items()
        }

    with RawClient("--tools", "all", env=env) as client:
        done = [client.call(tool, **said(number)) for number in range(4)]
    assert [is_error for _, is_error in done] == [False, False, True, True], done
    assert "its limit (" in done[2][0]
    # Its owner has no limit, and another agent one of its own.
    with RawClient("--tools", "all", "--name", "other", env=env) as client:
        assert not client.call(tool, **said(9))[1]


def test_what_waits_for_review_is_no_flood_either(mem: Run) -> None:
    owners = mem("remember", "Ann lives in Rome").stdout.strip()
    with RawClient(env={"MEMCLI_SESSION_WRITES": "2"}) as client:
        towns = ("Paris", "Oslo", "Lima", "Bonn")
        done = [client.call("correct", id=owners, text=f"Ann lives in {town}") for town in towns]
    assert [is_error for _, is_error in done] == [False, False, True, True], done
    assert len(mem("review", "list", "--json").stdout.splitlines()) == 2
