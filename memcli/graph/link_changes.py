"""Changes to links: state, restate, replace and end them. Reading them is `memcli.graph.walk`."""

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

# Repetition raises the confidence of a link to this at most: a guess that is repeated stays a guess.
_MOST_BY_REPETITION = 0.99
_EVER = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
# A lens that shows all links, of any validity, and ended ones too.
ALWAYS = Lens(*_EVER, ended=True)


class LinkResult(NamedTuple):
    """The result of stating a link: the link, what was done, and the links that it replaced."""

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
    """State that `subject` has a relation to `obj`, valid from `since` until `until`.

    A link that exists already is confirmed: its confidence rises as by an independent witness, the evidence
    is merged, and instants that are given override the old ones. If it was valid over another period, a
    second link is made; if it was ended, it is revived. `confidence` defaults to that of the evidence, else
    1. With `replaces`, the subject's other links of that relation are valid until `since` (default: now),
    and the new one from then on.

    A link from an untrusted origin is marked so; it confirms nothing, and changes only untrusted links. A
    link that the owner restates becomes the owner's, as it is stated now. Raises BadInput, and Refused
    (also if a name holds a secret).
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
    """A statement of a link: its names, validity, the memory that is its evidence, confidence if given."""

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
    """Return the three names as stored.

    Raises BadInput for an invalid name, Refused if they hold a secret.
    """
    from memcli.text.secrets.redaction import refuse_secrets

    subject = names.check_entity_name("subject", subject)
    relation = names.check_entity_name("relation", relation)
    obj = names.check_entity_name("object", obj)
    # Checked as one sentence, too, without the underscores of relations: `db has password …` tells a secret.
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
    """Return the result of stating a link that exists already. Raises Refused."""
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
    """Add to the result the links that it replaces, valid until `since` (None: now). Raises Refused."""
    replaced = _replaced(graph, result.link, since or now, now)
    for each in replaced:
        own = scope.is_own(untrusted_origin(each))
        scope.require(LINK, Deed.CHANGE, "replacing a link", own=own)
    if replaced and result.outcome == "added" and since is None:
        result = result._replace(link=result.link._replace(valid_from=now))
    return result._replace(replaced=replaced)


def _when_stated(scope: Scope) -> Iterator[datetime]:
    """Yield when the current origin stated its links; lazy, so nothing is read before it is asked for."""
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
    """End a link, over whatever period it was valid; linking again revives it.

    With `dry_run` only return which links would end. Raises NotFound, naming what there is instead; Refused
    if the reason holds a secret.
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
    """Return the links that state this, of any validity, ended ones too. Raises NotFound."""
    graph = Graph(scope.store, scope.space, ALWAYS)
    if found := _same(graph, subject, relation, obj):
        return found
    raise NotFound(_no_link(graph, subject, relation, obj))


def _sound(scope: Scope, evidence: Memory) -> Memory:
    """Return the current version of the memory, if it is in this space and in force.

    Raises NotFound, BadInput.
    """
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
    """Return the links that state this, of any validity, ended ones too, oldest first."""
    ends, wanted = (graph.key(subject), graph.key(obj)), names.spelling_key(relation)
    return [
        link
        for link in graph.links_of([ends[0]])
        if (graph.key(link.subject), graph.key(link.object)) == ends
        and names.spelling_key(link.relation) == wanted
    ]


def as_first_written(graph: Graph, name: str, *, owners: bool) -> str:
    """Return an entity's name as first written: in the owner's links if `owners`, else in any."""
    key = graph.key(name)
    graph.load([key])
    return graph.name(key, name, owners=owners)


def _relation_as_first_written(graph: Graph, subject: str, relation: str, *, owners: bool) -> str:
    """Return a relation as it is spelled in the subject's other links; else as given."""
    others = graph.links_of([graph.key(subject)])
    of_subject = (link.relation for link in others if is_owners_link(link) or not owners)
    return next(
        (each for each in of_subject if names.spelling_key(each) == names.spelling_key(relation)), relation
    )


def _meant(
    same: Sequence[Link], since: datetime | None, until: datetime | None, now: datetime
) -> tuple[Link | None, datetime | None]:
    """Return the link that is being restated, if any, and the start of its validity.

    Without instants the present is meant: if the link was valid once but is no more, it is a second link,
    from now on.
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
    """Return a link restated by an origin that may change it: revived, changed, confirmed or unchanged."""
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
    # The same memory does not count as a second witness.
    believed = _together(here.confidence, stated.sure) if evidence is None or new else here.confidence
    action: Literal["changed", "confirmed"] = (
        "changed" if any(getattr(here, name) != at for name, at in given.items()) else "confirmed"
    )
    again = amended_link(here, now, action, confidence=believed, evidence=sources, **given)
    if evidence is None or new:
        again = again._replace(data={**again.data, "confirmed": _count(again) + 1})
    return LinkResult(again, "unchanged" if again == here else action, [])


def _taken_over(here: Link, stated: _NewLink, now: datetime) -> Link:
    """Return an untrusted link that its owner has stated: now the owner's, with only what the owner gave."""
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
    """Return the joint confidence of two independent witnesses: 1 - (1-one)(1-other), as both must err.

    At least that of the surer one; otherwise at most `_MOST_BY_REPETITION`.
    """
    both = round(1 - (1 - one) * (1 - other), 4)
    return max(one, other, min(both, _MOST_BY_REPETITION))


def _count(link: Link) -> int:
    confirmed = link.data.get("confirmed")
    return confirmed if isinstance(confirmed, int) else 0


def _replaced(graph: Graph, by: Link, start: datetime, now: datetime) -> list[Link]:
    """Return the subject's links of this relation that are valid when the new one begins, ended then.

    One that begins at that very instant was never true, and is ended altogether.
    """
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
