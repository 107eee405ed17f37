"""The forms of a claim: what a verb and the words behind it say of a subject."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memcli.text.contradiction.claim_words import (
    ALCOHOL,
    ANIMAL,
    ASIDE,
    BUILT,
    CHANGED_TO,
    DIETS,
    ENDS,
    HAVE,
    LEADS,
    LOOSE,
    MARITAL,
    MEASURES,
    MOVED,
    NATIONAL,
    ONE_VALUED,
    PLACED,
    PLACING,
    ROLES,
    SPOUSE,
    STARTS,
    STATES,
    UNKNOWN,
    VERSIONED,
)
from memcli.text.english.tokens import Token
from memcli.text.english.vocabulary import CALENDAR, PREPOSITIONS, TITLES, UNIT, words
from memcli.text.english.word_forms import stem

_NAME = frozenset((stem("name"),))
_PLACE = words("in on at to under behind inside beside near with below above")
_LEADING = words("lead leader head manager owner boss director captain chair")


class Claim(NamedTuple):
    """One value of one relation of a subject."""

    subject: frozenset[str]
    """Stems of what it is about, without articles and "my"."""
    relation: str
    value: tuple[str, ...]
    """Stems."""
    shown: str
    sort: str
    """"name", "number" or "word": only values of a sort stand against each other."""
    loose: bool = False
    """Several may hold at a time, unless the later one says that it changed."""


def said_of(  # noqa: PLR0912 - one branch a form
    subject: frozenset[str], before: Sequence[Token], verb: str, rest: Sequence[Token]
) -> Iterator[Claim]:
    """What a verb and the rest of the statement claim of a subject that stood `before` it."""
    if not rest:
        return
    first, after = rest[0].text, rest[1:]
    if verb in ("is", "are", "am", "was"):
        yield from _being(subject, before, rest, past=verb == "was")
    elif verb in LEADS:
        if _person(before) and first in ("the", "our"):
            yield from _claim(_stems(rest), "led by", before, sort="name")
    elif verb in MOVED:
        yield from _moved(subject, rest)
    elif verb in PLACING and first in _PLACE:
        yield from _claim(subject, "place", after)
    elif verb in CHANGED_TO:
        to = [n for n, token in enumerate(rest) if token.text == "to"]
        if to and rest[to[-1] + 1 :] and any(t.sort == "number" for t in rest[to[-1] + 1 :]):
            yield from _claim(subject - {"version"}, "is", rest[to[-1] + 1 :])
    elif (
        verb in ("works", "work")
        and first in ("at", "for")
        and (named(after) or (after[:1] and after[0].text in ("a", "an", "the")))
    ):
        yield from _claim(subject, "employer", after)
    elif verb == "joined" and named(rest) and first not in ("the", "our", "a"):
        yield from _claim(subject, "employer", rest)
    elif verb in (*STARTS, *ENDS) and (first in ("at", "on", "by") or verb in ENDS):
        yield from _times(subject, ENDS.get(verb, "time"), after if first in ("at", "on", "by") else rest)
    if verb in ("runs", "run") and first == "on" and named(after):
        yield from _claim(subject, "runs on", after)
    if verb in MEASURES:
        yield from _measured(subject, MEASURES[verb], rest)
    if verb in HAVE:
        yield from _counted(subject, rest)
    if verb in VERSIONED:
        yield from _version(subject, rest)
    if verb in ("upgraded", "updated", "migrated") and len(rest) > 2 and rest[-2].text == "to":
        yield from _version(subject, [*rest[:-2], rest[-1]])
    if verb in LOOSE and 1 <= len(rest) <= 5:
        prep = first if first in ("by", "with", "in", "at", "on", "for", "from") else ""
        yield from _claim(subject, f"{LOOSE[verb]} {prep}".strip(), after if prep else rest, loose=True)
    yield from _habit(subject, verb, rest)


def _being(  # noqa: PLR0912 - one branch a form
    subject: frozenset[str], before: Sequence[Token], rest: Sequence[Token], *, past: bool
) -> Iterator[Claim]:
    first, after = rest[0].text, rest[1:]
    second = after[0].text if after else ""
    if first in MOVED:
        yield from _moved(subject, after)
    elif first in CHANGED_TO:
        yield from said_of(subject, before, first, after)
    elif first in BUILT and second in ("in", "with", "on", "using"):
        yield from _claim(subject, "built with", after[1:])
    elif past:
        if first == "born" and second == "on":
            yield from _times(subject | {"birthday"}, "date", after[1:])
    elif first in ("called", "named"):
        yield from _claim(subject - _NAME, "is", after)
    elif first == "married" and second == "to":
        yield from _claim((subject - {"i"}) | {"spouse"}, "is", after[1:])
    elif first in PLACED and second in _PLACE:
        yield from _claim(subject, "place", after[1:])
    elif first in ("running",) and second == "on" and named(after[1:]):
        yield from _claim(subject, "runs on", after[1:])
    elif first in ("planned", "scheduled", "set") and second in ("for", "on", "at"):
        yield from _times(subject, "time", after[1:])
    elif first == "due" and second in ("on", "by", "at"):
        yield from _times(subject, "due", after[1:])
    elif rest[0].folded in MARITAL and len(rest) == 1:
        yield Claim(subject, "marital status", (first,), rest[0].shown, "word")
    elif rest[-1].folded in DIETS and len(rest) <= 2:
        yield Claim(subject, "diet", (rest[-1].folded,), rest[-1].shown, "word")
    elif rest[0].sort == "number" and [t.text for t in after[:2]] == ["year", "old"]:
        yield Claim(subject, "age", (first,), rest[0].shown, "number")
    elif first in ("at", "on", "by", "until") and _has_time(after):
        yield from _times(subject, "time", after)
    elif first in _PLACE:
        if (
            second not in ("a", "an")
            and before[0].text in ("the", "my", "our")
            and not STATES & {t.text for t in after}
        ):
            yield from _claim(subject, "place", after)
    elif first in ("the", "our", "my") and (
        _person(before) or (first == "the" and rest[-1].folded in ONE_VALUED)
    ):
        roles = {t.folded for t in rest} & ROLES
        if (first == "the" or roles) and (key := _stems(rest)) and len(rest) <= 6:
            yield from _held_by(key, before, sort="name")
    else:
        yield from _is(subject, before, rest)


def _is(subject: frozenset[str], before: Sequence[Token], rest: Sequence[Token]) -> Iterator[Claim]:
    """ "The X is VALUE" where there is one X and the value a name, a number, a date; of few X any word."""
    certain = {t.folded for t in before} & ONE_VALUED or "birthday" in subject
    owned = before[0].text in ("the", "my", "our") or before[0].shown.endswith("'s") or certain
    if not owned or rest[0].text in ("a", "an", *PREPOSITIONS) or rest[0].text.endswith("ing"):
        return
    if _has_time(rest) and not certain:
        yield from _times(subject, "time", rest)
    elif "birthday" in subject:
        yield from _times(subject, "date", rest)
    elif certain or any(t.sort in ("name", "number") for t in rest):
        if any(t.folded in NATIONAL for t in rest) and not certain:
            return
        yield from _held_by(subject, rest)


def _held_by(subject: frozenset[str], value: Sequence[Token], sort: str = "") -> Iterator[Claim]:
    """Who or what something is; who holds a role leads what the role is of."""
    lead = subject & _LEADING
    if lead and subject - lead:
        yield from _claim(subject - lead, "led by", value, sort=sort)
    else:
        yield from _claim(subject - _NAME, "is", value, sort=sort)


def _moved(subject: frozenset[str], rest: Sequence[Token]) -> Iterator[Claim]:
    to = [n for n, token in enumerate(rest) if token.text in ("to", "for")]
    value = rest[to[-1] + 1 :] if to else ()
    if value and _has_time(value):
        yield from _times(subject, "time", value)
    elif value and rest[to[-1]].text == "to" and (named(value) or value[0].text == "the"):
        yield from _claim(subject, "place", value)


def _has_time(tokens: Sequence[Token]) -> bool:
    return any(
        _clock(t) or t.folded in CALENDAR or (t.sort == "name" and t.text == "may") for t in tokens
    ) or (len(tokens) == 1 and tokens[0].sort == "number")


def _clock(token: Token) -> bool:
    return token.sort == "number" and re.fullmatch(r"\d{1,2}:\d\d", token.text) is not None


def _times(subject: frozenset[str], relation: str, tokens: Sequence[Token]) -> Iterator[Claim]:
    """A claim for the time of day, one for the weekday, one for the date: each stands for itself."""
    clock = [t for n, t in enumerate(tokens) if _clock(t)]
    days = [t for t in tokens if t.folded in CALENDAR and t.folded.endswith("day")]
    months = [t for t in tokens if (t.folded in CALENDAR or t.text == "may") and not t.folded.endswith("day")]
    numbers = [t for t in tokens if t.sort == "number" and not _clock(t)]
    # A year alone, or a number that says nothing of time, is no date.
    date = [*months, *numbers] if months else [t for t in numbers if re.search(r"\d[-./]\d", t.text)]
    if not clock and not date and not days and len(numbers) == 1:
        clock = [numbers[0]._replace(text=f"{numbers[0].text}:00")]
    for part, found in (("hour", clock), ("day", days), ("date", date)):
        if found:
            value = tuple(t.text.removeprefix("0") for t in found)
            yield Claim(subject, f"{relation} ({part})", value, " ".join(t.shown for t in found), "number")


def _measured(subject: frozenset[str], relation: str, rest: Sequence[Token]) -> Iterator[Claim]:
    rest = [t for t in rest if t.text not in ("after", "for", "in", "within", "about", "around", "only")]
    if rest and rest[0].sort == "number" and len(rest) <= 3:
        unit = " ".join(t.stem for t in rest[1:])
        yield Claim(subject, f"{relation} {unit}".strip(), (rest[0].text,), rest[0].shown, "number")


def _counted(subject: frozenset[str], rest: Sequence[Token]) -> Iterator[Claim]:
    things = [t for t in rest[1:] if t.text != "of"]
    if (
        rest[0].sort == "number"
        and 1 <= len(things) <= 3
        and all(t.sort == "word" and t.content for t in things)
    ):
        if things[0].folded in UNIT and len(things) == 1:
            return
        relation = f"number of {' '.join(t.stem for t in things)}"
        yield Claim(subject, relation, (rest[0].text,), f"{rest[0].shown} {things[-1].shown}", "number")


def _version(subject: frozenset[str], rest: Sequence[Token]) -> Iterator[Claim]:
    *name, number = [t for t in rest if t.text != "version"]
    if number.sort == "number" and len(name) == 1 and name[0].sort in ("name", "code"):
        of = subject - {"we", "i", "team"}
        yield Claim(of | {name[0].text}, "version", (number.text,), number.shown, "number")


def _habit(subject: frozenset[str], verb: str, rest: Sequence[Token]) -> Iterator[Claim]:
    if verb in ("eat", "eats") and (foods := {ANIMAL[t.folded] for t in rest if t.folded in ANIMAL}):
        yield from (Claim(subject, "diet", (food,), rest[-1].shown, "word") for food in sorted(foods))
    if verb in ("drink", "drinks") and {t.folded for t in rest} & ALCOHOL:
        yield Claim(subject, "alcohol", ("yes",), rest[-1].shown, "word")
    if verb in ("got", "gets") and rest[0].folded in MARITAL:
        yield Claim(subject, "marital status", (rest[0].text,), rest[0].shown, "word")


def subject_of(tokens: Sequence[Token]) -> frozenset[str] | None:
    """The stems of a subject; None where it is not plain who or what that is."""
    left = [token for token in tokens if token.text not in ASIDE]
    if not left or len(left) > 8 or not UNKNOWN.isdisjoint(token.text for token in left):
        return None
    if len(left) == 1 and left[0].text in ("i", "we"):
        return frozenset((left[0].text,))
    return _stems(left)


def _stems(tokens: Sequence[Token]) -> frozenset[str] | None:
    stems = {
        "spouse" if token.folded in SPOUSE else token.stem
        for token in tokens
        if token.content or token.sort in ("name", "number", "code")
    }
    return frozenset(stems - {"new", "current", "present"}) or None


def trimmed(rest: Sequence[Token]) -> Sequence[Token]:
    """Without what only says since when."""
    for place, token in enumerate(rest[1:], 1):
        year = token.sort == "number" and re.fullmatch(r"(?:19|20)\d\d", token.text)
        if year and rest[place - 1].text == "in" and place > 1:
            return rest[: place - 1]
        if token.text in ("since", "last", "ago", "this", "these", "starting"):
            return rest[: place - 1] if token.text == "ago" else rest[:place]
    return rest


def _claim(
    subject: frozenset[str] | None,
    relation: str,
    value: Sequence[Token],
    *,
    loose: bool = False,
    sort: str = "",
) -> Iterator[Claim]:
    # "Vault A": no article.
    value = [
        t._replace(sort="name", content=True) if n and t.shown == "A" else t for n, t in enumerate(value)
    ]
    value = [t for t in value if t.folded not in TITLES and t.text not in ASIDE]
    told = [t for t in value if t.content or t.sort in ("name", "number", "code")]
    if subject and 1 <= len(told) <= 5:
        shown = " ".join(t.shown for t in told)
        yield Claim(subject, relation, tuple(t.stem for t in told), shown, sort or sort_of(told), loose)


def sort_of(tokens: Sequence[Token]) -> str:
    """ "name", "number" or "word": what sort of value these make."""
    sorts = {token.sort for token in tokens}
    return "number" if "number" in sorts and "name" not in sorts else "name" if "name" in sorts else "word"


def named(tokens: Sequence[Token]) -> bool:
    """Whether a name, or something written as code, is among them."""
    return any(token.sort in ("name", "code") for token in tokens)


def _person(tokens: Sequence[Token]) -> bool:
    """Whether a subject is a name and nothing else."""
    left = [t for t in tokens if t.text not in ASIDE]
    return 1 <= len(left) <= 3 and all(
        t.shown[:1].isupper() and t.text not in ("i", "the", "my", "our") for t in left
    )
