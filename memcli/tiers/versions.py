"""Versions of named memories: each version is a memory that supersedes the one before.

For kinds whose memories have a name (procedures, policies). In a space a name is unique, ignoring case. The
version in force is the live one with the highest number; earlier ones are ended and stay readable.
`Memory.data` holds `name`, `version` and `note` (why it was changed) beside the kind's own fields. An
untrusted version is in force only if no trusted one is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from memcli import ids
from memcli.doors import POLICY, PROCEDURE, Deed
from memcli.errors import BadInput, NotFound, Refused
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import Ending, Filter, Kind, Memory, as_ended
from memcli.named_tuple import NamedTuple
from memcli.text.checks import check_name, spellings
from memcli.write_policy.direct import put_embedded, vet_memory
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.flood import check_flood

# Fields about a version, as opposed to its content.
VERSION_FIELDS = frozenset({"version", "note", "ok", "failed", "deprecated"})


class WrittenVersion(NamedTuple):
    """The version in force after a write; not `new` if it has the content of the one before.

    A `remark` tells what else is to be known of it.
    """

    memory: Memory
    new: bool
    remark: str = ""


class VersionOptions(NamedTuple):
    """The options of a new version beside its content.

    `note` says why it is written, `origin` where it came from (else this scope's). `replaces` is the id of
    the version that was read and edited, which must still be in force. The version gets the next number, or
    `number` if that is higher, and starts with these `outcomes` (`ok`, `failed`).
    """

    note: str | None = None
    origin: str | None = None
    replaces: str | None = None
    number: int = 1
    outcomes: Mapping[str, int] = {}
    trusted: bool = True


class Versions:
    """The named memories of one kind, in the space that `memories` is opened for."""

    def __init__(self, memories: Memories, kind: Kind) -> None:
        self.memories = memories
        self.kind = kind
        self._door = POLICY if kind == "policy" else PROCEDURE

    def live(self) -> list[Memory]:
        """Return every version in force, by name.

        An untrusted one never takes a name that the owner ever used.
        """
        found: dict[str, Memory] = {}
        for memory in self._select(live=True):
            key = name_key(memory_name(memory))
            if key and (key not in found or _rank(memory) > _rank(found[key])):
                found[key] = memory
        if not all(memory.trusted for memory in found.values()):
            owners = {name_key(memory_name(each)) for each in self._select(live=False) if each.trusted}
            found = {key: each for key, each in found.items() if each.trusted or key not in owners}
        return [found[key] for key in sorted(found)]

    def latest(self) -> list[Memory]:
        """Return for every name the version in force, or if all are ended the last one, by name."""
        found = {name_key(memory_name(each)): each for each in sorted(self._select(live=False), key=_rank)}
        found |= {name_key(memory_name(each)): each for each in self.live()}
        return [found[key] for key in sorted(found) if key]

    def nameless(self) -> list[Memory]:
        """Return live memories of this kind without a name, oldest first: they were remembered, not added."""
        return [memory for memory in self._select(live=True) if not memory_name(memory)]

    def in_force(self, name: str) -> Memory | None:
        """Return the version in force under that very name; None if there is none."""
        return _named(self.live(), name)

    def versions_of(self, name: str) -> list[Memory]:
        """Return every version of one name, oldest first, ended ones too; empty if there is none."""
        wanted = name_key(name)
        found = [memory for memory in self._select(live=False) if name_key(memory_name(memory)) == wanted]
        return sorted(found, key=lambda memory: (version_number(memory), memory.id))

    def find_in_force(self, name: str) -> Memory:
        """Return the version in force, by name, or by an id's head or tail.

        Raises NotFound, saying whether it was ended, or what may have been meant.
        """
        live = self.live()
        if memory := _named(live, name):
            return memory
        fragment = ids.normalise_fragment(name)
        # At least four characters of an id: fewer match by chance.
        if fragment and len(fragment) >= 4:
            fits = [each for each in live if each.id.startswith(fragment) or each.id.endswith(fragment)]
            if len(fits) == 1:
                return fits[0]
        if ended := self.versions_of(name):
            last = ended[-1]
            way_out = message(Command(f"restore {ids.short_id(last.id)}"), " brings it back")
            raise NotFound(
                f"{self.kind} {memory_name(last)!r} was ended ({last.ended_why or 'expired'}); {way_out}"
            )
        from memcli.text.spelling import did_you_mean

        meant = did_you_mean(name, map(memory_name, live))
        raise NotFound(
            f"no {self.kind} {name!r:.60}",
            advice=meant,
            by_hand=message(Command(f"{self.kind} list"), " shows them"),
        )

    def version(self, name: str, number: int) -> Memory:
        """Return one version of a name, ended or not. Raises NotFound, with those there are."""
        versions = self.versions_of(name) or self.versions_of(memory_name(self.find_in_force(name)))
        for memory in reversed(versions):
            if version_number(memory) == number:
                return memory
        there = ", ".join(str(version_number(memory)) for memory in versions[-10:])
        raise NotFound(f"{self.kind} {name!r:.60} has no version {number}; there are {there}")

    def write(
        self,
        name: str,
        text: str,
        content: Mapping[str, Any],
        options: VersionOptions | None = None,
    ) -> WrittenVersion:
        """Put a version in force, and end the one before, in one transaction.

        `text` is what is searched, `content` the kind's fields; if both are those of the version in force,
        nothing is written. Raises BadInput if a version other than `options.replaces` is in force by now,
        Refused if an untrusted one would replace a trusted one.
        """
        options = options or VersionOptions()
        name = check_name("name", name)
        origin = self.memories.signed(options.origin) if options.origin else self.memories.origin
        draft = Draft(
            text=text, kind=self.kind, origin=origin, data={"name": name, **content}, trusted=options.trusted
        )
        # It belongs to no session, not even the current one.
        fresh = vet_memory(self.memories, replace(new_memory(self.memories, draft), session=None))
        before = self.in_force(name)
        if before and _stands_for(before, fresh):
            return WrittenVersion(before, new=False)
        vectors = self.memories.model.embed([fresh])
        with self.memories.store.writing():
            written = (each.created_at for each in self._select(live=False) if each.origin == origin)
            check_flood(self.memories, f"versions of a {self.kind}", written)
            versions = self.versions_of(name)
            before = self.in_force(name)
            if before and _stands_for(before, fresh):
                return WrittenVersion(before, new=False)
            if options.replaces and (before is None or before.id != options.replaces):
                raise BadInput(f"{self.kind} {name!r} was changed meanwhile; look at it and try again")
            last = before or (versions[-1] if versions else None)
            number = max([options.number, *(version_number(each) + 1 for each in versions)])
            data = {**fresh.data, "version": number, "note": options.note, **options.outcomes}
            fresh = replace(fresh, supersedes=last.id if last else None, data=data)
            live = [memory.id for memory in versions if memory.ended_at is None]
            if not fresh.trusted and any(each.trusted for each in versions):
                # Also if the trusted one is ended: the name stays the owner's.
                raise Refused(
                    f"{self.kind} {name!r} is trusted, and {origin} is not: give yours another name",
                    rule="untrusted-origin",
                )
            whole = self.memories.as_one_change(self.memories.new_id(self.memories.now()), origin)
            whole.end(live, f"superseded by version {number}", "superseded", fresh.id)
            put_embedded(whole, whole.model, [fresh], whole.change("add", options.note), vectors)
        return WrittenVersion(fresh, new=True)

    def end(self, memory: Memory, why: str, how: Ending = "forgotten", **about: Any) -> Memory:
        """End a version, so that no recall returns it; `about` is added to its data.

        Raises Refused if it is trusted and this origin is not.
        """
        named = f"{self.kind} {memory_name(memory) or ids.short_id(memory.id)!r}"
        self.memories.require(self._door, Deed.END, named, own=self.memories.is_own(memory.untrusted_origin))
        now = self.memories.now()
        over = replace(as_ended(memory, now, how, why), data={**memory.data, **about})
        self.memories.store.put([over], self.memories.change("end", why), now)
        return over

    def _select(self, *, live: bool) -> list[Memory]:
        memories = self.memories
        where = Filter(spaces=(memories.space,), kinds=(self.kind,), live=live, at=memories.now())
        return list(memories.store.select(where, order="oldest"))


def memory_name(memory: Memory) -> str:
    """Return the name of a named memory; empty if it has none."""
    name = memory.data.get("name")
    return name if isinstance(name, str) else ""


def name_key(name: str) -> str:
    """Return a key that is equal for all spellings of one name."""
    return spellings(name.strip().casefold())[0]


def version_number(memory: Memory) -> int:
    """Return the number of a version, from 1; 0 if the memory has none."""
    number = memory.data.get("version")
    return number if isinstance(number, int) else 0


def _named(memories: Iterable[Memory], name: str) -> Memory | None:
    wanted = name_key(name)
    return next((each for each in memories if name_key(memory_name(each)) == wanted), None)


def _rank(memory: Memory) -> tuple[bool, int]:
    # An untrusted version never outranks a trusted one, whatever number it claims.
    return memory.trusted, version_number(memory)


def _stands_for(known: Memory, fresh: Memory) -> bool:
    """True if the fresh version says nothing new; an untrusted known one does not count for the owner."""
    return _same(known, fresh) and (known.trusted or not fresh.trusted)


def _same(one: Memory, other: Memory) -> bool:
    return one.text == other.text and _content(one) == _content(other)


def _content(memory: Memory) -> dict[str, Any]:
    return {name: value for name, value in memory.data.items() if name not in VERSION_FIELDS}
