"""Policies: rules that say whether something may be done, in versions.

`Memory.text` is the rule alone, since actions are compared with it (exceptions in it cost a third of the
similarity); `Memory.data` holds the fields of `PolicyText`. A policy that was only remembered (`mem
remember --kind policy`) is a soft rule without patterns. An untrusted one is never applied.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any, cast

from memcli import ids
from memcli.doors import POLICY, Deed
from memcli.errors import BadInput, NotFound
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import Memory
from memcli.named_tuple import NamedTuple
from memcli.tiers.policies.document import ENFORCEMENTS, Enforcement, PolicyText, checked_policy
from memcli.tiers.versions import (
    VersionOptions,
    Versions,
    WrittenVersion,
    memory_name,
    name_key,
    version_number,
)

_STRENGTH: dict[Enforcement, int] = {"hard": 2, "soft": 1, "allow": 0}
# The fields of a policy's record that come from its memory.
_KEPT = ("supersedes", "created_at", "ended_at", "ended_as", "ended_why", "trusted")


class Policy(NamedTuple):
    """A policy in force, or an earlier version, and the memory that stores it."""

    says: PolicyText
    memory: Memory

    @property
    def name(self) -> str:
        """The policy's name; for a nameless one the end of its id."""
        return self.says.name

    def to_record(self) -> dict[str, Any]:
        """Return the policy as JSON types, as `--json` prints it."""
        memory, says = self.memory, self.says
        record = memory.to_record()
        return {
            **says._asdict(), "patterns": list(says.patterns), "when": list(says.when),
            "unless": list(says.unless),
            "version": version_number(memory), "note": memory.data.get("note"), "id": memory.id,
            **{name: record[name] for name in _KEPT},
        }  # fmt: skip


class Policies:
    """The policies of the space that `memories` is opened for."""

    def __init__(self, memories: Memories) -> None:
        self.memories = memories
        self.versions = Versions(memories, "policy")

    def add(
        self,
        policy: PolicyText,
        *,
        note: str | None = None,
        origin: str | None = None,
        replaces: str | None = None,
    ) -> WrittenVersion:
        """Put a policy in force: its first version, or the next. Raises BadInput, Refused."""
        self.memories.require(POLICY, Deed.ADD, f"policy {policy.name!r}")
        policy = checked_policy(policy)
        content = policy.fields()
        extra = {name: content.pop(name) for name in policy.extra}
        if extra:
            content["extra"] = extra
        options = VersionOptions(note=note, origin=origin, replaces=replaces)
        return self.versions.write(policy.name, policy.rule, content, options)

    def check_free(self, name: str) -> None:
        """Raise BadInput if a policy of that name is in force, which must not be replaced by accident."""
        if memory := self.versions.in_force(name):
            raise BadInput(
                f"a policy {memory_name(memory)!r:.60} is in force",
                by_hand=message(
                    Command(f"policy edit {shlex.quote(name)}"),
                    " changes it, --replace makes this its next version",
                ),
            )

    def weakened_policies(self, policies: Sequence[PolicyText]) -> list[tuple[PolicyText, Enforcement]]:
        """Return those that are weaker than the policy of their name in force, with its enforcement."""
        live = {name_key(each.name): each.says.enforcement for each in self.live()}
        before = [(policy, live.get(name_key(policy.name))) for policy in policies]
        return [(p, was) for p, was in before if was and _STRENGTH[p.enforcement] < _STRENGTH[was]]

    def add_all(
        self, policies: Sequence[PolicyText], *, note: str | None = None, origin: str | None = None
    ) -> list[WrittenVersion]:
        """Put several in force, all checked before the first is written. Raises BadInput."""
        policies = [checked_policy(policy) for policy in policies]
        return [self.add(policy, note=note, origin=origin) for policy in policies]

    def live(self) -> list[Policy]:
        """Return every policy in force, by name; nameless ones last."""
        return [policy_of(each) for each in (*self.versions.live(), *self.versions.nameless())]

    def show(self, name: str, version: int | None = None) -> Policy:
        """Return the version in force, or the one of that number. Raises NotFound."""
        if version is not None:
            return policy_of(self.versions.version(name, version))
        try:
            return policy_of(self.versions.find_in_force(name))
        except NotFound:
            for policy in self.live():
                if name_key(policy.name) == name_key(name):
                    return policy
            raise

    def remove(self, name: str, why: str | None = None) -> Policy:
        """End a policy; it can be restored. Raises NotFound."""
        return policy_of(self.versions.end(self.show(name).memory, why or "removed"))


def policy_of(memory: Memory) -> Policy:
    """Return a memory as a policy; malformed data is ignored."""
    data = memory.data
    enforcement = data.get("enforcement")
    says = PolicyText(
        name=memory_name(memory) or ids.short_id(memory.id),
        rule=data["rule"] if isinstance(data.get("rule"), str) else memory.text,
        enforcement=cast(Enforcement, enforcement) if enforcement in ENFORCEMENTS else "soft",
        patterns=_texts(data.get("patterns")),
        when=_texts(data.get("when")),
        unless=_texts(data.get("unless")),
        why=data["why"] if isinstance(data.get("why"), str) else "",
        extra=data["extra"] if isinstance(data.get("extra"), dict) else {},
    )
    return Policy(says, memory)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
