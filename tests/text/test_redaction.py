"""Secrets have no way in beside the gate: blocks, links, aliases, tasks, checkpoints."""

from __future__ import annotations

import pytest

from memcli.errors import Refused
from memcli.graph import aliases, link_changes
from memcli.memories import Memories
from memcli.model import State
from memcli.text.secrets.redaction import secret_kinds_in, without_secrets
from memcli.tiers.context import blocks
from memcli.tiers.tasks import checkpoints, tasks
from memcli.upkeep.audit import audit_memories
from tests.conftest import Run

TOKEN = "ghp_" + "a8Bc3dEf9hIjKl2nOpQr" + "StUvWxYz01234567"


def test_a_block_with_a_secret_is_refused_and_nothing_changes(memories: Memories) -> None:
    blocks.put_block(memories, "b", "the password is")
    for append, text in ((False, f"use {TOKEN}"), (True, TOKEN)):
        with pytest.raises(Refused, match="block 'b' holds a secret .GitHub token.") as refused:
            blocks.put_block(memories, "b", text, append=append)
        assert refused.value.rule == "secret:github-token" and TOKEN not in str(refused.value)
    with pytest.raises(Refused):
        blocks.put_block(memories, "b", None, description=TOKEN)
    assert blocks.find_block(memories, "b").text == "the password is"


def test_a_link_or_alias_with_a_secret_is_refused(memories: Memories) -> None:
    for parts in (
        (TOKEN, "is", "it"),
        ("db", TOKEN, "it"),
        ("db", "is", TOKEN),
        ("db", "password", "hunter2Xy9"),
    ):
        with pytest.raises(Refused, match="the link holds a secret"):
            link_changes.link_entities(memories, *parts)
    link_changes.link_entities(memories, "Ann", "works_at", "Acme")
    with pytest.raises(Refused, match="the alias"):
        aliases.add_aliases(memories, "Ann", [TOKEN])
    with pytest.raises(Refused, match="the reason"):
        link_changes.unlink_entities(memories, "Ann", "works_at", "Acme", reason=TOKEN)
    assert len(list(memories.store.links())) == 1 and aliases.list_aliases(memories) == []


def test_a_task_keeps_all_but_the_secret(memories: Memories) -> None:
    started = tasks.start_task(memories, f"deploy with {TOKEN}")
    assert started.goal == "deploy with [redacted GitHub token]" and "ghp" not in started.name
    tasks.note_in_task(memories, None, f"it is {TOKEN}, they said")

    def fill(task: tasks.Task) -> None:
        task.variables |= {"token": TOKEN, "password": "hunter2Xy9", "n": "1"}
        task.results["r"] = task.phase = TOKEN
        task.subgoals.append(TOKEN)
        task.constraints.append(TOKEN)
        task.add_step(TOKEN)
        task.decisions.append({"question": "which?", "answer": TOKEN, "why": TOKEN, "at": "2026"})

    changed, _ = tasks.change_task(memories, None, fill)
    assert changed == tasks.task_at_hand(memories).task
    assert changed.notes[0]["text"] == "it is [redacted GitHub token], they said"
    assert changed.variables["password"] == "[redacted password]" and changed.variables["n"] == "1"
    assert not any(TOKEN in str(s) or "hunter2Xy9" in str(s) for s in memories.store.states())
    with pytest.raises(Refused):
        tasks.start_task(memories, "other", name=TOKEN)


def test_a_saved_state_with_a_secret_is_refused_unless_forced(memories: Memories) -> None:
    text = f'{{"token": "{TOKEN}"}}'
    with pytest.raises(Refused, match="--force"):
        checkpoints.save_checkpoint(memories, "build", text)
    assert checkpoints.list_checkpoints(memories) == []
    checkpoints.save_checkpoint(memories, "build", text, force=True)
    assert checkpoints.restore_checkpoint(memories, "build").text == text


def test_redacting_is_done_once_and_leaves_the_rest(memories: Memories) -> None:
    value = {"a": [TOKEN, 1, None, True], "password": "hunter2Xy9", TOKEN: "x"}
    clean = without_secrets(value)
    assert secret_kinds_in(clean) == [] and without_secrets(clean) == clean
    assert clean["a"][1:] == [1, None, True] and without_secrets(value, known=value) != clean


def test_the_audit_looks_beside_the_memories(memories: Memories) -> None:
    link_changes.link_entities(memories, "Ann", "works_at", "Acme")
    [link] = memories.store.links()
    memories.store.put_links([link._replace(object=TOKEN)])
    now = memories.now()
    areas = ("block", "alias", "task", "checkpoint-save", "checkpoint-step", "checkpoint-output")
    for area in areas:
        memories.store.put_state(State("default", area, "k", {"said": TOKEN}, 1, now, now))
    found = list(audit_memories(memories, ("secrets",)))
    assert [each.ids for each in found] == [[link.id], *([f"{area}/k"] for area in sorted(areas))]
    assert not any(TOKEN in str(each) for each in found)


def test_secrets_are_kept_out_by_hand(mem: Run) -> None:
    assert mem("block", "set", "b", TOKEN).returncode == 3
    assert mem("link", "db", "token", TOKEN).returncode == 3
    started = mem("task", "start", f"use {TOKEN}")
    assert (
        started.returncode == 0 and "redacted: GitHub token" in started.stderr and "ghp" not in started.stdout
    )
    noted = mem("task", "set", "password=hunter2Xy9")
    assert "redacted: password" in noted.stderr
    assert mem("task", "get", "password").stdout == "[redacted password]\n"
    assert mem("checkpoint", "save", "t", input=f'"{TOKEN}"').returncode == 3
    assert mem("checkpoint", "save", "t", "--force", input=f'"{TOKEN}"').returncode == 0
    assert "mem forget --hard checkpoint/t" in mem("audit", "--check", "secrets").stdout


def test_an_id_of_memclis_own_is_no_secret_and_hides_none() -> None:
    own = "01J9Z3K8V5W2Q7RTYBXN4M6HCD"
    for key in (own, f"{own}/2", f"{own}/deploy", f"held/{own}", f"{own}/{own}"):
        assert secret_kinds_in(key) == [], key
    random = "kT93hGq0zPw81nLs5VbY2xCd"
    for key in (f"{own}{random}", f"{own}/{random}", f"token={own}/{random}", f"{own}/{TOKEN}"):
        assert secret_kinds_in(key), key


def test_a_door_without_redact_does_not_offer_it(mem: Run) -> None:
    for command in (("policy", "add", "p", "--rule", f"use {TOKEN}"), ("procedure", "add", "p", "-")):
        refused = mem(*command, input=f"---\ndescription: x\nwhen: y\n---\n## Steps\n1. use {TOKEN}\n")
        assert refused.returncode == 3 and "leave it out" in refused.stderr
        assert "--redact" not in refused.stderr
    assert "--redact" in mem("remember", f"use {TOKEN}").stderr
