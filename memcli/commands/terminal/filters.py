"""Filters: turn the options that narrow a command down into the store's `Filter`."""

from __future__ import annotations

from collections.abc import Callable

from memcli.commands.terminal import output
from memcli.commands.terminal.values import fraction_option, period_options, span_option
from memcli.errors import BadInput
from memcli.model import KINDS, SOURCES, Filter
from memcli.scope import Scope


def has_unknown_names(scope: Scope, where: Filter) -> bool:
    """True if a filter names a tag or session that no memory has, which was reported when it was made."""
    return bool(_unknown_names(scope, where))


def _unknown_names(scope: Scope, where: Filter) -> list[tuple[str, str]]:
    """Return the names in a filter that no memory (ended ones too) has, each after "tag" or "session"."""
    here = Filter(spaces=where.spaces, live=False)
    unknown = [("tag", tag) for tag in where.tags if not _any(scope, here._replace(tags=(tag,)))]
    unknown += [
        ("session", name) for name in where.sessions if not _any(scope, here._replace(sessions=(name,)))
    ]
    return unknown


def _tell_unknown_names(scope: Scope, where: Filter) -> None:
    """Say which names no memory has, and what may have been meant."""
    unknown = _unknown_names(scope, where)
    if not unknown:
        return
    from memcli.text.spelling import did_you_mean

    known: dict[str, set[str]] = {"tag": set(), "session": set()}
    for memory in scope.store.select(Filter(spaces=where.spaces, live=False)):
        known["tag"].update(memory.tags)
        known["session"].update([memory.session] if memory.session else ())
    for what, name in unknown:
        meant = did_you_mean(name, known[what]).strip()
        output.to_stderr(f"no memory has the {what} {name!r:.60}{f'; {meant}' if meant else ''}")


def _stored_tag(scope: Scope, here: Filter, tag: str) -> str:
    """Return a tag as it is stored: in NFC, or in another form if an older version stored only that."""
    return _stored(tag, lambda each: _any(scope, here._replace(tags=(each,))))


def _stored_session(scope: Scope, here: Filter, session: str) -> str:
    """Return a session's name as it is stored, likewise."""
    return _stored(session, lambda each: _any(scope, here._replace(sessions=(each,))))


def _stored(name: str, is_there: Callable[[str], bool]) -> str:
    if name.isascii():
        return name
    from memcli.text.checks import spellings

    names = spellings(name)
    return next(filter(is_there, names), names[0])


def _any(scope: Scope, where: Filter) -> bool:
    return next(scope.store.select(where, limit=1), None) is not None


def filter_options(
    scope: Scope,
    *,
    all_spaces: bool = False,
    kinds: list[str] | None = None,
    tags: list[str] | None = None,
    sessions: list[str] | None = None,
    sources: list[str] | None = None,
    since: str | None = None,
    until: str | None = None,
    min_confidence: float = 0,
    min_importance: float = 0,
    ended: bool = False,
    trusted_only: bool = False,
    at: str | None = None,
) -> Filter:
    """Return the filter that these options ask for. Raises BadInput."""
    fraction_option("--min-confidence", min_confidence)
    fraction_option("--min-importance", min_importance)
    for option, names in (("--tag", tags), ("--session", sessions)):
        if any(not name.strip() for name in names or ()):
            raise BadInput(f"{option} is empty; give a name, or leave it out")
    if kinds or sources:
        from memcli.text.checks import check_choice

        for kind in kinds or ():
            check_choice("kind", kind, KINDS)
        for source in sources or ():
            check_choice("source", source, SOURCES)
    spaces = None if all_spaces else (scope.space,)
    here = Filter(spaces=spaces, live=False)
    now = scope.now()
    first, last = period_options(since, until, now)
    then = span_option(at, now)
    where = Filter(
        spaces=spaces,
        kinds=tuple(kinds or ()),
        tags=tuple(_stored_tag(scope, here, tag) for tag in tags or ()),
        sessions=tuple(_stored_session(scope, here, session) for session in sessions or ()),
        sources=tuple(sources or ()),
        since=first,
        until=last,
        min_confidence=min_confidence,
        min_importance=min_importance,
        trusted=True if trusted_only else None,
        live=not ended,
        at=now,
        past=then,
        past_only=then is not None,
    )
    _tell_unknown_names(scope, where)
    return where
