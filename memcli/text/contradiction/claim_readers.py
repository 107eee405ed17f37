"""What a form of a claim reads of a clause: its value, cut out and told of which sort it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memcli.text.contradiction.claim_words import (
    ALCOHOL,
    ANIMAL,
    ARTICLE,
    ASIDE,
    JOB_ROLES,
    LEADING,
    MARITAL,
    NATIONAL,
    ONE_VALUED,
    SINCE,
    SPOUSE,
    STATES,
    UNKNOWN,
)
from memcli.text.english.tokens import Token
from memcli.text.english.vocabulary import CALENDAR, PREPOSITIONS, TITLES, UNIT
from memcli.text.english.word_forms import stem

_NAME = frozenset((stem("name"),))


class RelationClaim(NamedTuple):
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


class Predicate(NamedTuple):
    """What is said of a subject: its tokens and their stems, the verb, and what is left to read after it."""

    subject: Sequence[Token]
    about: frozenset[str]
    verb: Token
    rest: Sequence[Token]


def value(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """All that follows."""
    yield from _claim(said.about, relation, said.rest)


def loosely(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """All that follows, a few words of it; several values may hold beside each other."""
    prep = said.rest[0].text if said.rest[0].text in ("by", "with", "in", "at", "on", "for", "from") else ""
    if len(said.rest) <= 5:
        kept = said.rest[1:] if prep else said.rest
        yield from _claim(said.about, f"{relation} {prep}".strip(), kept, loose=True)


def called(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """What something is called, which its name is as well."""
    yield from _claim(said.about - _NAME, relation, said.rest)


def spouse(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """Who somebody is married to, which their wife or husband is as well."""
    yield from _claim((said.about - {"i"}) | {"spouse"}, relation, said.rest)


def leader(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """By whom what follows is led."""
    if person(said.subject):
        yield from _claim(_stems(said.rest), relation, said.subject, sort="name")


def role(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """Who holds the role that follows: "Maria is the new team lead"."""
    whole = (said.verb, *said.rest)
    roles = {t.folded for t in whole} & JOB_ROLES
    if (said.verb.text == "the" or roles) and (key := _stems(whole)) and len(whole) <= 6:
        yield from _held_by(key, said.subject, relation, sort="name")


def moved(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """Where something was moved to, or to what time."""
    to = [n for n, token in enumerate(said.rest) if token.text in ("to", "for")]
    end = said.rest[to[-1] + 1 :] if to else ()
    if end and has_time(end):
        yield from _times(said.about, "time", end)
    elif end and said.rest[to[-1]].text == "to" and (has_name(end) or end[0].text == "the"):
        yield from _claim(said.about, relation, end)


def changed(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """The number that something rose or fell to."""
    to = [n for n, token in enumerate(said.rest) if token.text == "to"]
    end = said.rest[to[-1] + 1 :] if to else ()
    if any(t.sort == "number" for t in end):
        yield from _claim(said.about - {"version"}, relation, end)


def place(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """Where a certain thing is; not in which state."""
    first = said.rest[0].text if said.rest else ""
    certain = said.subject[0].text in ("the", "my", "our")
    if first not in ("a", "an") and certain and not STATES & {t.text for t in said.rest}:
        yield from _claim(said.about, relation, said.rest)


def times(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """When."""
    yield from _times(said.about, relation, said.rest)


def birthday(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """When somebody was born."""
    yield from _times(said.about | {"birthday"}, relation, said.rest)


def age(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """How old somebody is."""
    yield RelationClaim(said.about, relation, (said.verb.text,), said.verb.shown, "number")


def state(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """One word that says what somebody is."""
    yield RelationClaim(said.about, relation, (said.verb.text,), said.verb.shown, "word")


def last_word(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """The last word says what somebody is: "a vegetarian"."""
    last = (said.verb, *said.rest)[-1]
    yield RelationClaim(said.about, relation, (last.folded,), last.shown, "word")


def measured(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """How much, in which unit."""
    rest = [t for t in said.rest if t.text not in ("after", "for", "in", "within", "about", "around", "only")]
    if rest and rest[0].sort == "number" and len(rest) <= 3:
        unit = " ".join(t.stem for t in rest[1:])
        yield RelationClaim(
            said.about, f"{relation} {unit}".strip(), (rest[0].text,), rest[0].shown, "number"
        )


def counted(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """How many of what."""
    first, *things = [t for n, t in enumerate(said.rest) if not n or t.text != "of"]
    if (
        first.sort == "number"
        and 1 <= len(things) <= 3
        and all(t.sort == "word" and t.content for t in things)
        and not (things[0].folded in UNIT and len(things) == 1)
    ):
        named_so = f"{relation} {' '.join(t.stem for t in things)}"
        yield RelationClaim(
            said.about, named_so, (first.text,), f"{first.shown} {things[-1].shown}", "number"
        )


def version(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """The version of what is named."""
    said_so = [t for t in said.rest if t.text != "version"]
    if len(said_so) == 2 and said_so[0].sort in ("name", "code") and said_so[1].sort == "number":
        name, number = said_so
        of = said.about - {"we", "i", "team"}
        yield RelationClaim(of | {name.text}, relation, (number.text,), number.shown, "number")


def version_reached(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """The version that what is named was brought to."""
    if len(said.rest) > 2 and said.rest[-2].text == "to":
        yield from version(said._replace(rest=[*said.rest[:-2], said.rest[-1]]), relation)


def eaten(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """Which foods that a diet may leave out."""
    for food in sorted({ANIMAL[t.folded] for t in said.rest if t.folded in ANIMAL}):
        yield RelationClaim(said.about, relation, (food,), said.rest[-1].shown, "word")


def drunk(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """Whether alcohol."""
    if {t.folded for t in said.rest} & ALCOHOL:
        yield RelationClaim(said.about, relation, ("yes",), said.rest[-1].shown, "word")


def became(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """Married, divorced."""
    if said.rest[0].folded in MARITAL:
        yield RelationClaim(said.about, relation, (said.rest[0].text,), said.rest[0].shown, "word")


def described(said: Predicate, relation: str) -> Iterator[RelationClaim]:
    """ "The X is VALUE" where there is one X and the value a name, a number, a date; of few X any word."""
    rest = (said.verb, *said.rest)
    certain = {t.folded for t in said.subject} & ONE_VALUED or "birthday" in said.about
    owned = said.subject[0].text in ("the", "my", "our") or said.subject[0].shown.endswith("'s") or certain
    if not owned or rest[0].text in ("a", "an", *PREPOSITIONS) or rest[0].text.endswith("ing"):
        return
    if has_time(rest) and not certain:
        yield from _times(said.about, "time", rest)
    elif "birthday" in said.about:
        yield from _times(said.about, "date", rest)
    elif certain or (
        any(t.sort in ("name", "number") for t in rest) and not any(t.folded in NATIONAL for t in rest)
    ):
        yield from _held_by(said.about, rest, relation)


def left_behind(before: str, rest: Sequence[Token]) -> Sequence[Token]:
    """ "from Jenkins to Actions"."""
    if not rest or rest[0].text != "from":
        return ()
    return rest[1 : next((n for n, token in enumerate(rest) if token.text == "to"), 0)]


def no_longer(before: str, rest: Sequence[Token]) -> Sequence[Token]:
    """ "no longer use Vim"."""
    return rest[1:] if before == "no" else ()


def given_up(before: str, rest: Sequence[Token]) -> Sequence[Token]:
    """ "smoking", "using Vim"."""
    if not rest or not rest[0].text.endswith("ing"):
        return ()
    return rest if len(rest) == 1 or not rest[1].content else rest[1:]


def replaced(before: str, rest: Sequence[Token]) -> Sequence[Token]:
    """ "Jenkins with Actions"."""
    return rest[: next((n for n, token in enumerate(rest) if token.text in ("with", "by")), 0)]


def all_of_it(before: str, rest: Sequence[Token]) -> Sequence[Token]:
    """ "the old car"."""
    return rest


def _held_by(
    subject: frozenset[str], holder: Sequence[Token], relation: str, sort: str = ""
) -> Iterator[RelationClaim]:
    """Who or what something is; who holds a role leads what the role is of."""
    lead = subject & LEADING
    if lead and subject - lead:
        yield from _claim(subject - lead, "led by", holder, sort=sort)
    else:
        yield from _claim(subject - _NAME, relation, holder, sort=sort)


def _times(subject: frozenset[str], relation: str, tokens: Sequence[Token]) -> Iterator[RelationClaim]:
    """A claim for the time of day, one for the weekday, one for the date: each stands for itself."""
    clock = [t for t in tokens if _clock(t)]
    days = [t for t in tokens if t.folded in CALENDAR and t.folded.endswith("day")]
    months = [t for t in tokens if (t.folded in CALENDAR or t.text == "may") and not t.folded.endswith("day")]
    numbers = [t for t in tokens if t.sort == "number" and not _clock(t)]
    # A year alone, or a number that says nothing of time, is no date.
    date = [*months, *numbers] if months else [t for t in numbers if re.search(r"\d[-./]\d", t.text)]
    if not clock and not date and not days and len(numbers) == 1:
        clock = [numbers[0]._replace(text=f"{numbers[0].text}:00")]
    for part, found in (("hour", clock), ("day", days), ("date", date)):
        if found:
            said = tuple(t.text.removeprefix("0") for t in found)
            yield RelationClaim(
                subject, f"{relation} ({part})", said, " ".join(t.shown for t in found), "number"
            )


def _clock(token: Token) -> bool:
    return token.sort == "number" and re.fullmatch(r"\d{1,2}:\d\d", token.text) is not None


def _claim(
    subject: frozenset[str] | None,
    relation: str,
    tokens: Sequence[Token],
    *,
    loose: bool = False,
    sort: str = "",
) -> Iterator[RelationClaim]:
    # "Vault A": no article.
    tokens = [
        t._replace(sort="name", content=True) if n and t.shown == "A" else t for n, t in enumerate(tokens)
    ]
    tokens = [t for t in tokens if t.folded not in TITLES and t.text not in ASIDE]
    told = [t for t in tokens if t.content or t.sort in ("name", "number", "code")]
    if subject and 1 <= len(told) <= 5:
        shown = " ".join(t.shown for t in told)
        yield RelationClaim(
            subject, relation, tuple(t.stem for t in told), shown, sort or sort_of(told), loose
        )


def has_time(tokens: Sequence[Token]) -> bool:
    """Whether a time of day, a day or a month stands there, or nothing but a number."""
    return any(
        _clock(t) or t.folded in CALENDAR or (t.sort == "name" and t.text == "may") for t in tokens
    ) or (len(tokens) == 1 and tokens[0].sort == "number")


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


def without_since(rest: Sequence[Token]) -> Sequence[Token]:
    """Without what only says since when."""
    for place, token in enumerate(rest[1:], 1):
        year = token.sort == "number" and re.fullmatch(r"(?:19|20)\d\d", token.text)
        if year and rest[place - 1].text == "in" and place > 1:
            return rest[: place - 1]
        if token.text in SINCE:
            return rest[: place - 1] if token.text == "ago" else rest[:place]
    return rest


def sort_of(tokens: Sequence[Token]) -> str:
    """ "name", "number" or "word": what sort of value these make."""
    sorts = {token.sort for token in tokens}
    return "number" if "number" in sorts and "name" not in sorts else "name" if "name" in sorts else "word"


def has_name(tokens: Sequence[Token]) -> bool:
    """Whether a name, or something written as code, is among them."""
    return any(token.sort in ("name", "code") for token in tokens)


def definite(tokens: Sequence[Token]) -> bool:
    """Whether it is a name, or a noun with its article."""
    return has_name(tokens) or (bool(tokens) and tokens[0].text in ARTICLE)


def person(tokens: Sequence[Token]) -> bool:
    """Whether a subject is a name and nothing else."""
    left = [t for t in tokens if t.text not in ASIDE]
    return 1 <= len(left) <= 3 and all(
        t.shown[:1].isupper() and t.text not in ("i", "the", "my", "our") for t in left
    )
