"""What is its owner's alone, by no door of the table: copies, keys, models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.changes.forgetting.hard import erase
from memcli.changes.forgetting.targets import Targets
from memcli.config.config import Config
from memcli.errors import FlaggedStore, Refused
from memcli.keys.choice import KeyOptions
from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage.encryption import convert_store
from memcli.storage.stores import flag_store
from memcli.tiers.policies.document import PolicyText
from memcli.tiers.policies.policies import Policies
from memcli.upkeep import calibrate, change_model, encryption, health
from memcli.upkeep.copies.backups import make_backup, restore_backup
from memcli.upkeep.moving.whole_store import copy_store
from memcli.write_policy.drafts import Draft
from tests.erasure import erase_memories
from tests.guards.exchanged import SECRET

ROBOT = "mcp:robot"


def _path(m: Memories) -> Path:
    return Path(m.store.location)


OWNERS: dict[str, Callable[[Memories], object]] = {
    "the floor": calibrate.calibrate_floor,
    "no other model": change_model.abort_change,
    "a backup": make_backup,
    "a backup in its place": lambda m: restore_backup(m.config, _path(m), _path(m), m.now()),
    "a copy elsewhere": lambda m: copy_store(_path(m), _path(m).with_name("copy.db"), m.config),
    "mending": lambda m: health.mend_store(_path(m)),
    "encrypting": lambda m: encryption.encrypt(_path(m), KeyOptions(file=_path(m).with_name("k")), m.config),
    "another key": lambda m: encryption.rekey(_path(m), KeyOptions(file=_path(m).with_name("k")), m.config),
    "a plain file": lambda m: encryption.decrypt(_path(m), m.config),
    "erasing nothing": lambda m: erase_memories(m, []),
}


@pytest.mark.parametrize("deed", OWNERS)
def test_an_agent_touches_neither_file_nor_model(
    memories: Memories, deed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories.remember("the owl hoots")
    monkeypatch.setenv("MEMCLI_ORIGIN", ROBOT)
    memories.config = Config()
    files = {each.name for each in _path(memories).parent.iterdir()}
    with pytest.raises(Refused, match=ROBOT):
        OWNERS[deed](memories)
    assert {each.name for each in _path(memories).parent.iterdir()} == files


def test_who_would_erase_what_waits_for_its_owner_along_with_the_rest_is_told_of_that(
    memories: Memories, agent: Memories
) -> None:
    memories.remember("the owl hoots")
    with pytest.raises(Refused, match="with what waits for review"):
        erase(agent, Targets(), held=True)


def test_what_is_known_to_be_damaged_is_converted_by_nobody(
    own_home: Path, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, key, config = own_home / "hidden.db", own_home / "key", memories.config
    monkeypatch.setenv("MEMCLI_KEY_FILE", str(key))
    encryption.encrypt(path, KeyOptions(file=key), config)
    deeds: list[tuple[Path, Callable[[Path], object]]] = [
        (_path(memories), lambda at: encryption.encrypt(at, KeyOptions(file=own_home / "new"), config)),
        (path, lambda at: encryption.rekey(at, KeyOptions(file=own_home / "new"), config)),
        (path, lambda at: encryption.decrypt(at, config)),
        (path, lambda at: convert_store(at, None, 1)),
    ]
    for at, deed in deeds:
        flag_store(at, ["file: a page is not what it was"])
        before = at.read_bytes()
        with pytest.raises(FlaggedStore):
            deed(at)
        assert at.read_bytes() == before and not (own_home / "new").exists()


def test_a_policy_is_ended_by_its_owner_alone(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = Policies(memories).add(PolicyText("calm", "never at night")).memory
    monkeypatch.setenv("MEMCLI_ORIGIN", "mcp:robot")
    memories.config = Config()
    with pytest.raises(Refused, match="policy"):
        memories.end([policy.id], "no longer so")
    assert memories.store.get([policy.id]) == [policy]


def test_of_many_none_is_kept_where_one_is_refused(memories: Memories) -> None:
    with pytest.raises(Refused, match="secret"):
        memories.remember_all([Draft(text="the gate is green"), Draft(text=f"the token is {SECRET}")])
    assert not list(memories.store.select(Filter(spaces=None, live=False)))
