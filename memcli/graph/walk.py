"""Walking the graph that links make: its entities, what surrounds one, how two connect.

Entities have no rows: one exists as long as a link touches it. Its name is the first spelling that was
written; other spellings (`names.spelling_key`) and its aliases mean the same entity. Aliases are applied on
reading, so they can be removed again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Literal

from memcli.errors import NotFound
from memcli.graph.links import evidence_of, is_owners_link, is_true_within, is_trusted_link, link_as_of
from memcli.memory_data import is_folded
from memcli.messages import Command, message
from memcli.model import Link, Memory, State
from memcli.named_tuple import NamedTuple
from memcli.storage import Store, areas
from memcli.text.naming import names

Direction = Literal["both", "out", "in"]
# For more names than this, reading all links of the space is quicker than looking them up one by one.
MANY = 1000


class Lens(NamedTuple):
    """A filter on links: which of them are visible.

    Visible are those valid at any time from `since` to `until`, as the store knew them at `as_of` (None:
    now). `relations` are keys; none means any. `ended` shows ended links and those not valid then as well;
    `trusted` only links that the owner stated and whose evidence is all trusted.
    """

    since: datetime
    until: datetime
    as_of: datetime | None = None
    relations: frozenset[str] = frozenset()
    direction: Direction = "both"
    ended: bool = False
    trusted: bool = False

    @classmethod
    def at(cls, instant: datetime) -> Lens:
        """Return the lens for what is valid at an instant, as far as the store knows now."""
        return cls(instant, instant)

    def seen(self, link: Link) -> Link | None:
        """Return the link as seen through the lens, or None if it is not visible."""
        known = link if self.as_of is None else link_as_of(link, self.as_of)
        if known is None or (self.relations and names.spelling_key(known.relation) not in self.relations):
            return None
        if self.ended or (known.ended_at is None and is_true_within(known, self.since, self.until)):
            return known
        return None


# A link seen from one of its ends: untrusted, backward, key of the relation, key of the other end, id, link.
# Links are shown and walked in the sort order of these tuples.
_Way = tuple[bool, bool, str, str, str, Link]


class Hop(NamedTuple):
    """A link walked from one entity (by key) to another; `first` if that one had not been reached before."""

    source: str
    target: str
    link: Link
    forward: bool
    first: bool


@dataclass(slots=True)
class Walk:
    """The result of a walk from an entity: hops in order of distance, each link once.

    For a whole graph: one root for each connected component, component by component.
    """

    roots: list[str]
    # Number of hops from its root, by the entity's key, in the order in which they were reached.
    distance: dict[str, int]
    hops: list[Hop]
    # Display names by key.
    names: dict[str, str] = field(default_factory=dict)


class Entity(NamedTuple):
    """An entity's name, how many visible links leave it, arrive at it and touch it, and its aliases."""

    name: str
    out: int
    into: int
    links: int
    aliases: list[str]
    trusted: bool = True
    """True if the owner stated any of its links."""


class _Keys(dict[str, str]):
    """A cache of entity keys by name as written: every link has two names, and each is normalised once."""

    def __init__(self, aliases: Mapping[str, str]) -> None:
        self._aliases = aliases

    def __missing__(self, name: str) -> str:
        key, passed = names.spelling_key(name), set()
        while key in self._aliases and key not in passed:  # merged stores may hold chains, even cycles
            passed.add(key)
            key = self._aliases[key]
        self[name] = key
        return key


class Graph:
    """The links of one space through a lens. Reads what it needs, once; use it and drop it."""

    def __init__(self, store: Store, space: str, lens: Lens) -> None:
        self.lens = lens
        self._store = store
        self.space = space
        self._aliases: dict[str, str] = {}
        self._written: dict[str, str] = {}  # aliases as written, by key
        self._shown: dict[str, str] = {}  # names of entities as written, by key
        self._named_outside: set[str] = set()  # keys of entities that only untrusted links name
        self._touching: defaultdict[str, list[Link]] = defaultdict(list)
        self._relations = _Keys({})
        self._whole = False
        for state in alias_states(store, space):
            self._aliases[state.key] = names.spelling_key(state.value["of"])
            self._written[state.key] = state.value["alias"]
            # If no link has the name itself, the alias's record tells how it is written.
            self._shown[self._aliases[state.key]] = state.value["of"]
        self._aliased = set(self._aliases.values())
        self._keys = _Keys(self._aliases)

    # Entities of the graph

    def key(self, name: str) -> str:
        """Return the key of the entity that a name means."""
        return self._keys[name]

    def name(self, key: str, otherwise: str | None = None, *, owners: bool = False) -> str:
        """Return the name of an entity as in the oldest link that was read, else `otherwise`.

        The owner's links count first; with `owners` only they do.
        """
        if owners and key in self._named_outside:
            return otherwise or key
        return self._shown.get(key, otherwise or key)

    def aliases(self, key: str | None = None) -> dict[str, str]:
        """Return the keys of aliases, of one entity or all, mapped to the entity's key."""
        return {
            alias: main
            for alias in sorted(self._aliases)
            if (main := self.key(alias)) != alias and key in (None, main)
        }

    def spelling_of(self, alias: str) -> str:
        """Return an alias (by key) as it was written."""
        return self._written[alias]

    def find_entity(self, name: str) -> str:
        """Return the key of an entity that has links, visible or not.

        Raises NotFound, naming similar names; BadInput for an invalid name.
        """
        key = self.key(names.check_entity_name("entity", name))
        self.load([key])
        if self._touching.get(key) or self._store_links([key]):
            return key
        from difflib import get_close_matches

        everything = Graph(self._store, self.space, self.lens._replace(ended=True))
        everything.load([], whole=True)
        written = {**everything._written, **everything._shown}
        near = [written[each] for each in get_close_matches(key, written, n=3, cutoff=0.6)]
        meant = f"near: {', '.join(near)}" if near else ""
        raise NotFound(
            f"no entity {name!r:.60} in space {self.space!r}",
            advice=meant,
            by_hand=message(Command("graph list"), " shows all"),
        )

    def entities(self) -> list[Entity]:
        """Return every entity with visible links, those with most links first."""
        self.load([], whole=True)
        seen = {link.id: link for links in self._touching.values() for link in links}
        out = Counter(self.key(link.subject) for link in seen.values())
        into = Counter(self.key(link.object) for link in seen.values())
        number = {key: len(links) for key, links in self._touching.items()}
        owners = {
            self.key(end)
            for link in filter(is_owners_link, seen.values())
            for end in (link.subject, link.object)
        }
        others: dict[str, list[str]] = {}
        for alias, main in self.aliases().items():
            others.setdefault(main, []).append(self.spelling_of(alias))
        return [
            Entity(self.name(key), out[key], into[key], number[key], others.get(key, []), key in owners)
            for key in sorted(number, key=lambda key: (-number[key], key))
        ]

    # Walks

    def walk_from(self, root: str, hops: int) -> Walk:
        """Return what lies up to `hops` links away from an entity, breadth first."""
        walk = Walk([], {}, [])
        self._walk_on(walk, root, range(1, hops + 1), set())
        return self._named(walk)

    def whole(self) -> Walk:
        """Return the whole graph, one connected component after another.

        Each is walked from its entity with most links, so that the result is the same each time.
        """
        walk, used = Walk([], {}, []), set[str]()
        for entity in self.entities():
            if (root := self.key(entity.name)) not in walk.distance:
                self._walk_on(walk, root, count(1), used)
        return self._named(walk)

    def _walk_on(self, walk: Walk, root: str, depths: Iterable[int], used: set[str]) -> None:
        walk.roots.append(root)
        walk.distance[root] = 0
        frontier = [root]
        for depth in depths:
            self.load(frontier)
            reached: list[str] = []
            for source in frontier:
                for _, backward, _, target, link_id, link in self._ways(source, used):
                    used.add(link_id)
                    first = target not in walk.distance
                    if first:
                        walk.distance[target] = depth
                        reached.append(target)
                    walk.hops.append(Hop(source, target, link, not backward, first))
            if not reached:
                break
            frontier = reached

    def path(self, start: str, goal: str, hops: int) -> Walk | None:
        """Return a shortest path of at most `hops` links, or None.

        Of several the first in the order of `_ways`: trusted, forward, by relation and name.
        """
        came: dict[str, Hop | None] = {start: None}
        frontier = [start]
        for _ in range(hops):
            if goal in came or not frontier:
                break
            self.load(frontier)
            reached: list[str] = []
            for source in frontier:
                for _, backward, _, target, _, link in self._ways(source, ()):
                    if target not in came:
                        came[target] = Hop(source, target, link, not backward, first=True)
                        reached.append(target)
            frontier = reached
        if goal not in came:
            return None
        steps: list[Hop] = []
        while step := came[goal]:
            steps.append(step)
            goal = step.source
        steps.reverse()
        distance = {start: 0} | {step.target: number for number, step in enumerate(steps, start=1)}
        return self._named(Walk([start], distance, steps))

    def links_of(self, keys: Sequence[str]) -> list[Link]:
        """Return the links that begin or end at one of these entities, each once, oldest first."""
        self.load(keys)
        found = {link.id: link for key in keys for link in self._touching.get(key, ())}
        return [found[link_id] for link_id in sorted(found)]

    def load(self, keys: Sequence[str], *, whole: bool = False) -> None:
        """Load the visible links of these entities, or those of the whole space."""
        new = [key for key in keys if key not in self._touching]
        if self._whole or not (new or whole):
            return
        self._whole, asked = whole or len(new) > MANY, set(new)
        if self._whole:
            self._touching.clear()
        else:
            self._touching.update((key, []) for key in new)
        touching, keys_of = self._touching, self._keys
        # Most links have no times, and skip `Lens.seen`: there may be tens of thousands.
        plain = self.lens.as_of is None and not self.lens.relations
        written: dict[str, str] = {}
        # An entity is shown by the name that its owner wrote first.
        found = self._store_links(None if self._whole else new)
        outside = [link for link in found if not is_owners_link(link)]
        for link in [*filter(is_owners_link, found), *outside] if outside else found:
            subject, obj = keys_of[link.subject], keys_of[link.object]
            if subject not in written:
                self._write(written, subject, link, link.subject)
            if obj not in written:
                self._write(written, obj, link, link.object)
            timeless = plain and link.ended_at is link.valid_from is link.valid_until is None
            seen = link if timeless else self.lens.seen(link)
            if seen is None:
                continue
            if self._whole or subject in asked:
                touching[subject].append(seen)
            if obj != subject and (self._whole or obj in asked):
                touching[obj].append(seen)
        # All links of the entities asked for have been read, oldest first, so these spellings are the first.
        self._shown |= {
            k: name for k, name in written.items() if self._whole or k in asked or k not in self._shown
        }

    def _write(self, written: dict[str, str], key: str, link: Link, name: str) -> None:
        """Note how an entity is written, unless the link names it by an alias."""
        if key not in self._aliased or names.spelling_key(name) == key:
            written[key] = name
            if not is_owners_link(link):
                self._named_outside.add(key)

    def evidence(self, links: Iterable[Link]) -> dict[str, Memory]:
        """Return the memories that are the evidence of these links, by id; see `evidence_memories`."""
        return evidence_memories(self._store, links)

    def _store_links(self, keys: Sequence[str] | None) -> list[Link]:
        wanted = set(keys or ())
        also = [alias for alias, main in self.aliases().items() if main in wanted]
        touching = None if keys is None else [*keys, *also]
        found = list(self._store.links((self.space,), touching=touching))
        if not self.lens.trusted:
            return found
        sources = self.evidence(found)
        return [link for link in found if is_trusted_link(link, sources)]

    def _ways(self, source: str, used: Container[str]) -> list[_Way]:
        """Return the links out of an entity that the lens allows, in display order."""
        ways = []
        for link in self._touching.get(source, ()):
            if link.id not in used:
                subject = self._keys[link.subject]
                backward = subject != source
                target = subject if backward else self._keys[link.object]
                outside = not is_owners_link(link)
                ways.append((outside, backward, self._relations[link.relation], target, link.id, link))
        if self.lens.direction != "both":
            against = self.lens.direction == "in"
            ways = [way for way in ways if way[1] == against or way[3] == source]
        ways.sort()
        return ways

    def _named(self, walk: Walk) -> Walk:
        walk.names = {key: self.name(key) for key in walk.distance}
        return walk


def alias_states(store: Store, space: str) -> list[State]:
    """Return the aliases of a space as stored; malformed ones (from an import) are left out."""
    return [
        state
        for state in store.states((space,), areas.ALIAS.name)
        if isinstance(state.value, dict)
        and isinstance(state.value.get("alias"), str)
        and isinstance(state.value.get("of"), str)
    ]


def evidence_memories(store: Store, links: Iterable[Link]) -> dict[str, Memory]:
    """Return the memories that are the evidence of links, by id, ended ones too; erased ones are left out."""
    return merged_memories(store, list({each: None for link in links for each in evidence_of(link)}))


def merged_memories(store: Store, wanted: Sequence[str]) -> dict[str, Memory]:
    """Return the memories with these ids; for one that was merged, the memory it was merged into."""
    if not wanted:
        return {}
    from memcli.storage.lookup import merged_into

    found = {memory.id: memory for memory in store.get(wanted)}
    return {memory_id: merged_into(store, memory) for memory_id, memory in found.items()}


def was_retracted(memory: Memory) -> bool:
    """True if somebody ended a memory; a turn that expired once it was folded was not retracted."""
    if memory.ended_at is None:
        return False
    lived_out = memory.expires_at is not None and memory.expires_at <= memory.ended_at
    return not (is_folded(memory) and (lived_out or memory.ended_as == "folded"))


def is_unsupported(link: Link, evidence: Mapping[str, Memory]) -> bool:
    """True if a link has evidence, and all of it was retracted or erased."""
    told = evidence_of(link)
    return bool(told) and all(each not in evidence or was_retracted(evidence[each]) for each in told)
