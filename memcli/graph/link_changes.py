"""Writing links: stated, stated again, replaced, ended. What is read of them is `memcli.graph.walk`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from memcli import ids
from memcli.doors import LINK, Deed
from memcli.errors import BadInput, NotFound
from memcli.graph.links import (
    amended_link,
    evidence_of,
    is_owners_link,
    is_true_within,
    link_statement,
    untrusted_origin,
)
from memcli.graph.walk import Graph, Lens, was_retracted
from memcli.messages import Command, message
from memcli.model import Link, Memory
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.text.checks import check_fraction
from memcli.text.naming import names
from memcli.write_policy.flood import check_flood

# However often a guess is repeated, it does not become certain.
_MOST_BY_REPETITION = 0.99
_EVER = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
# All links, whenever they were true, ended ones too.
ALWAYS = Lens(*_EVER, ended=True)


class LinkResult(NamedTuple):
    """What became of a statement: the link, and those whose truth it ended."""

    link: Link
    outcome: Literal["added", "confirmed", "changed", "revived", "unchanged"]
    replaced: list[Link]


def link_entities(
    scope: Scope,
    subject: str,
    relation: str,
    obj: str,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    evidence: Memory | None = None,
    confidence: float | None = None,
    replaces: bool = False,
) -> LinkResult:
    """State that `subject` has a relation to `obj`, true from `since` until `until`.

    A statement that is there already is confirmed: confidence rises as that of
    independent witnesses does, evidence is united, instants that are given
    win. Where it was true over another time, a second link is made; where it
    was unlinked, it is revived. `confidence` left out is that of the evidence,
    else 1. With `replaces` what the subject had by that relation is true until
    `since` (left out: now), and the new link from then on. What an untrusted origin
    adds says so; it confirms nothing, and changes only what is untrusted; what the owner
    states again is the owner's, as it is said now. Raises BadInput, and Refused;
    that too where a name holds a secret.
    """
    subject, relation, obj = _checked_names(subject, relation, obj)
    said = None if confidence is None else check_fraction("confidence", confidence)
    stated = _NewLink(subject, relation, obj, since, until, evidence, said)
    _check_order(since, until)
    store = scope.store
    with store.writing():
        now = scope.now()
        if evidence is not None:
            stated = stated._replace(evidence=_sound(scope, evidence))
        graph = Graph(store, scope.space, ALWAYS)
        same = _same(graph, stated.subject, stated.relation, stated.object)
        if not scope.is_untrusted:
            same = list(filter(is_owners_link, same)) or same
        here, since = _meant(same, since, until, now)
        stated = stated._replace(since=since)
        if here is None:
            check_flood(scope, "links", _when_stated(scope))
            result = LinkResult(_new_link(scope, graph, stated, now), "added", [])
        else:
            result = _restated(scope, here, stated, now)
        if replaces:
            result = _with_replaced(scope, graph, result, since, now)
        store.put_links([result.link, *result.replaced])
    return result


class _NewLink(NamedTuple):
    """What is stated: a link, over which time, by which memory, and how surely where that is said."""

    subject: str
    relation: str
    object: str
    since: datetime | None
    until: datetime | None
    evidence: Memory | None
    confidence: float | None

    @property
    def sure(self) -> float:
        """The confidence that was given, else that of the evidence, else 1."""
        if self.confidence is not None:
            return self.confidence
        return self.evidence.confidence if self.evidence else 1.0


def _checked_names(subject: str, relation: str, obj: str) -> tuple[str, str, str]:
    """The three as they are kept. Raises BadInput for what is no name, Refused where they hold a secret."""
    from memcli.text.secrets.redaction import refuse_secrets

    subject = names.check_entity_name("subject", subject)
    relation = names.check_entity_name("relation", relation)
    obj = names.check_entity_name("object", obj)
    # In one line `db has_password …` gives itself away; relations are written with underscores.
    spoken = f"{subject} {relation.replace('_', ' ')} {obj}"
    refuse_secrets("\n".join((subject, relation, obj, spoken)), "the link")
    return subject, relation, obj


def _new_link(scope: Scope, graph: Graph, stated: _NewLink, now: datetime) -> Link:
    owners = not scope.is_untrusted
    return Link(
        scope.new_id(now), scope.space, as_first_written(graph, stated.subject, owners=owners),
        _relation_as_first_written(graph, stated.subject, stated.relation, owners=owners),
        as_first_written(graph, stated.object, owners=owners),
        stated.evidence.id if stated.evidence else None, stated.sure, stated.since, stated.until, now, None,
        {"origin": scope.origin} if scope.is_untrusted else {},
    )  # fmt: skip


def _restated(scope: Scope, here: Link, stated: _NewLink, now: datetime) -> LinkResult:
    """What becomes of a link that is there when it is stated again. Raises Refused."""
    if not scope.is_untrusted and not is_owners_link(here):
        return LinkResult(_taken_over(here, stated, now), "changed", [])
    result = _said_again(here, stated, now)
    if result.outcome == "confirmed" and scope.is_untrusted:
        # An untrusted source confirms nothing.
        return LinkResult(here, "unchanged", [])
    if result.outcome != "unchanged":
        deed = Deed.VOUCH if result.outcome == "revived" else Deed.CHANGE
        own = scope.is_own(untrusted_origin(here))
        scope.require(LINK, deed, "changing a link that is there", own=own)
    return result


def _with_replaced(
    scope: Scope, graph: Graph, result: LinkResult, since: datetime | None, now: datetime
) -> LinkResult:
    """The result with the links that it replaces, true until `since` (None: now). Raises Refused."""
    replaced = _replaced(graph, result.link, since or now, now)
    for each in replaced:
        own = scope.is_own(untrusted_origin(each))
        scope.require(LINK, Deed.CHANGE, "replacing a link", own=own)
    if replaced and result.outcome == "added" and since is None:
        result = result._replace(link=result.link._replace(valid_from=now))
    return result._replace(replaced=replaced)


def _when_stated(scope: Scope) -> Iterator[datetime]:
    """When whoever works here stated a link; nothing is read before it is asked."""
    for each in scope.store.links((scope.space,)):
        if each.data.get("origin") == scope.origin:
            yield each.created_at


def unlink_entities(
    scope: Scope,
    subject: str,
    relation: str,
    obj: str,
    *,
    reason: str | None = None,
    dry_run: bool = False,
) -> list[Link]:
    """End a link, over whatever time it was true; linking again revives it.

    With `dry_run` only says which. Raises NotFound, with what there is instead;
    Refused for a reason that holds a secret.
    """
    from memcli.text.secrets.redaction import refuse_secrets

    refuse_secrets(reason or "", "the reason")
    store = scope.store
    with store.writing():
        graph = Graph(store, scope.space, ALWAYS)
        live = [link for link in _same(graph, subject, relation, obj) if link.ended_at is None]
        if not live:
            raise NotFound(_no_link(graph, subject, relation, obj))
        if dry_run:
            return live
        for link in live:
            scope.require(LINK, Deed.END, "ending a link", own=scope.is_own(untrusted_origin(link)))
        now = scope.now()
        ended = [amended_link(link, now, "unlink", reason=reason, ended_at=now) for link in live]
        store.put_links(ended)
    return ended


def find_links(scope: Scope, subject: str, relation: str, obj: str) -> list[Link]:
    """The links that state this, whenever it was true, unlinked ones too. Raises NotFound."""
    graph = Graph(scope.store, scope.space, ALWAYS)
    if found := _same(graph, subject, relation, obj):
        return found
    raise NotFound(_no_link(graph, subject, relation, obj))


def _sound(scope: Scope, evidence: Memory) -> Memory:
    """The memory as it is now, if it is of this space and in force. Raises NotFound, BadInput."""
    if evidence.space != scope.space:
        raise NotFound(f"no memory {evidence.id} in space {scope.space!r}")
    here = next(iter(scope.store.get([evidence.id])), None)
    if here is None:
        raise NotFound(f"no memory {evidence.id} in space {scope.space!r} any more: it was erased meanwhile")
    if was_retracted(here):
        later = scope.current_version(here)
        if later.ended_at is None:
            raise BadInput(
                f"memory {here.id} is {here.ended_as}, and {later.id} stands in its place",
                by_hand=f"--from {ids.short_id(later.id)} rests it on that",
            )
        raise BadInput(
            f"memory {here.id} is {here.ended_as or 'ended'}",
            by_hand=message(Command(f"restore {here.id}"), " first"),
        )
    return here


def _check_order(since: datetime | None, until: datetime | None) -> None:
    if since and until and until <= since:
        raise BadInput("--until lies before --since; swap them")


def _same(graph: Graph, subject: str, relation: str, obj: str) -> list[Link]:
    """The links that state this, whenever it was true, unlinked ones too, oldest first."""
    ends, wanted = (graph.key(subject), graph.key(obj)), names.spelling_key(relation)
    return [
        link
        for link in graph.links_of([ends[0]])
        if (graph.key(link.subject), graph.key(link.object)) == ends
        and names.spelling_key(link.relation) == wanted
    ]


def as_first_written(graph: Graph, name: str, *, owners: bool) -> str:
    """An entity's name as it was first written: in its owner's links, for an untrusted origin in any."""
    key = graph.key(name)
    graph.load([key])
    return graph.name(key, name, owners=owners)


def _relation_as_first_written(graph: Graph, subject: str, relation: str, *, owners: bool) -> str:
    """A relation as it is written in the subject's other links; else as given."""
    others = graph.links_of([graph.key(subject)])
    of_subject = (link.relation for link in others if is_owners_link(link) or not owners)
    return next(
        (each for each in of_subject if names.spelling_key(each) == names.spelling_key(relation)), relation
    )


def _meant(
    same: Sequence[Link], since: datetime | None, until: datetime | None, now: datetime
) -> tuple[Link | None, datetime | None]:
    """Which link is stated again, if any, and from when it is true.

    Without instants the present is meant: what was true once and is stated
    again is a second link, true from now on.
    """
    start, end = since or _EVER[0], until or _EVER[1]
    if since is None and until is None:
        start = now
    fitting = [link for link in same if is_true_within(link, start, end)]
    live = [link for link in fitting if link.ended_at is None]
    if live:
        return live[-1], since
    if fitting:
        return max(fitting, key=lambda link: link.ended_at or now), since
    over = any(link.ended_at is None for link in same)
    return None, now if over and since is None and until is None else since


def _said_again(here: Link, stated: _NewLink, now: datetime) -> LinkResult:
    """A link that is stated once more by those whose it is: revived, changed, confirmed, or as it was."""
    evidence = stated.evidence
    given: dict[str, Any] = {
        name: at for name, at in (("valid_from", stated.since), ("valid_until", stated.until)) if at
    }
    _check_order(given.get("valid_from", here.valid_from), given.get("valid_until", here.valid_until))
    told = evidence_of(here)
    new = evidence is not None and evidence.id not in told
    sources = [*told, evidence.id] if evidence and new else told or None
    if here.ended_at:
        believed = here.confidence if stated.confidence is None and not new else stated.sure
        revived = amended_link(
            here, now, "revive", ended_at=None, confidence=believed, evidence=sources, **given
        )
        return LinkResult(revived, "revived", [])
    # The same memory is no second witness.
    believed = _together(here.confidence, stated.sure) if evidence is None or new else here.confidence
    action: Literal["changed", "confirmed"] = (
        "changed" if any(getattr(here, name) != at for name, at in given.items()) else "confirmed"
    )
    again = amended_link(here, now, action, confidence=believed, evidence=sources, **given)
    if evidence is None or new:
        again = again._replace(data={**again.data, "confirmed": _count(again) + 1})
    return LinkResult(again, "unchanged" if again == here else action, [])


def _taken_over(here: Link, stated: _NewLink, now: datetime) -> Link:
    """An untrusted link, stated by its owner: from now on the owner's, with nothing but what they said."""
    source = stated.evidence.id if stated.evidence else None
    taken = amended_link(
        here, now, "stated", evidence=[source] if source else None, confidence=stated.sure,
        valid_from=stated.since, valid_until=stated.until, ended_at=None,
    )  # fmt: skip
    data = {
        name: value for name, value in taken.data.items() if name not in ("origin", "evidence", "confirmed")
    }
    return taken._replace(evidence=source, data=data)


def _together(one: float, other: float) -> float:
    """How sure two independent witnesses make: they err together only if both do."""
    both = round(1 - (1 - one) * (1 - other), 4)
    return max(one, other, min(both, _MOST_BY_REPETITION))


def _count(link: Link) -> int:
    confirmed = link.data.get("confirmed")
    return confirmed if isinstance(confirmed, int) else 0


def _replaced(graph: Graph, by: Link, start: datetime, now: datetime) -> list[Link]:
    """What the subject had by this relation when the new link came true: true until then, or never."""
    subject, obj, relation = graph.key(by.subject), graph.key(by.object), names.spelling_key(by.relation)
    over = []
    for link in graph.links_of([subject]):
        same_role = graph.key(link.subject) == subject and names.spelling_key(link.relation) == relation
        if (
            same_role
            and graph.key(link.object) != obj
            and not link.ended_at
            and is_true_within(link, start, start)
        ):
            change: dict[str, Any] = {"ended_at": now} if link.valid_from == start else {"valid_until": start}
            over.append(amended_link(link, now, "replaced", reason=f"by {by.id}", **change))
    return over


def _no_link(graph: Graph, subject: str, relation: str, obj: str) -> str:
    key = graph.find_entity(subject)
    there = [link_statement(link) for link in graph.links_of([key]) if link.ended_at is None]
    instead = f"there is: {'; '.join(there[:3])}{'; …' if len(there) > 3 else ''}" if there else "it has none"
    return f"no link '{subject} {relation} {obj}'; {instead}"
