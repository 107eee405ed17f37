"""What a short statement claims of its subject where one value at a time holds.

"The team lead is Kevin", "CI runs on Jenkins", "standup moved to 10:00": a
later claim of the same thing with another value has probably overtaken the
earlier, however far apart their vectors lie. English only; whatever is not of
a plain form claims nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from memcli.write_policy.claim_words import (
    ALCOHOL,
    ANIMAL,
    ASIDE,
    BUILT,
    CHANGED_TO,
    COMPLEX,
    CUES,
    DIETS,
    ENDS,
    GONE,
    HAVE,
    LEADS,
    LEFT,
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
from memcli.write_policy.tokens import Token, read
from memcli.write_policy.vocabulary import CALENDAR, NEGATION, TITLES, UNIT
from memcli.write_policy.word_forms import stem

# A statement, not a page.
_LONGEST = 160
_MOST_WORDS = 24
_NAME = frozenset((stem("name"),))
_PLACE = frozenset(
    ["in", "on", "at", "to", "under", "behind", "inside", "beside", "near", "with", "below", "above"]
)


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


def overtaken(new: str, old: str) -> tuple[bool, str | None]:
    """Whether two texts claim something each, and what stands against what ("place: Berlin -> Lisbon").

    (True, None): both may hold. They claim the same value, or something of two
    things, or two sorts of thing of one.
    """
    ours, theirs = claims(new), claims(old)
    met = False
    for claim in ours:
        if claim.relation == "gone":
            if _was_there(claim, old):
                return True, f"{claim.shown} is gone"
            continue
        for other in theirs:
            if (claim.subject, claim.relation) != (other.subject, other.relation):
                continue
            if claim.loose and not _now(new):
                continue
            met = True
            if _against(claim, other):
                named = "" if claim.loose or claim.relation == "is" else f"{claim.relation}: "
                return True, f"{named}{other.shown} -> {claim.shown}"
    return met or _two_things(ours, theirs), None


def _two_things(ours: Sequence[Claim], theirs: Sequence[Claim]) -> bool:
    if any(claim.relation == "gone" or claim.loose for claim in (*ours, *theirs)):
        return False
    pairs = [(a, b) for a in ours for b in theirs]
    return bool(pairs) and all(_beside(a, b) for a, b in pairs)


def _beside(one: Claim, other: Claim) -> bool:
    """The same of two things, or two sorts of thing of one."""
    if one.subject == other.subject:
        return one.relation != other.relation
    nested = one.subject <= other.subject or other.subject <= one.subject
    return one.relation == other.relation and not nested


def _against(claim: Claim, other: Claim) -> bool:
    if claim.relation == "diet":
        return _diets_differ(claim.value[0], other.value[0])
    ours, theirs = {*claim.value}, {*other.value}
    ended, there = [[v.removeprefix("not ") for v in each if v.startswith("not ")] for each in (ours, theirs)]
    if ended or there:
        return bool({*ended} & theirs or {*there} & ours)
    if claim.sort != other.sort:
        return False
    return not (ours <= theirs or theirs <= ours)


def _diets_differ(one: str, other: str) -> bool:
    if one in DIETS and other in DIETS:
        return one != other
    diet, food = (one, other) if one in DIETS else (other, one)
    return food in DIETS.get(diet, ())


def cues(text: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    """By which words to look for what a statement may have overtaken: all of the first, and one of the second.

    One pair a claim; an empty set asks for nothing.
    """
    found = []
    by_stem = {token.stem: token.text for token in read(re.sub(r"(?<=[a-z])-(?=[a-z])", "", text))}
    for claim in claims(text):
        about = claim.subject - {"i", "we", "user", "spouse"}
        told = frozenset(by_stem[stem] for stem in about if stem in by_stem)
        if claim.relation == "gone":
            told = frozenset(by_stem[stem] for stem in claim.value if stem in by_stem)
        if "spouse" in claim.subject:
            beside = SPOUSE | {"married"}
        elif told and claim.relation != "led by":
            beside = frozenset[str]()
        else:
            beside = _cue(claim)
        if told or beside:
            found.append((told, beside))
    return list(dict.fromkeys(found))


def _cue(claim: Claim) -> frozenset[str]:
    if claim.relation in CUES:
        return CUES[claim.relation]
    return frozenset(claim.relation.removeprefix("number of ").split()[:1])


@lru_cache(maxsize=4096)
def claims(text: str) -> tuple[Claim, ...]:
    """The claims of a statement; none where its form is not plain. Never raises."""
    if len(text) > _LONGEST or "\n" in text.strip() or text.rstrip().endswith("?"):
        return ()
    tokens = read(re.sub(r"(?<=[a-z])-(?=[a-z])", "", text))
    if not 2 <= len(tokens) <= _MOST_WORDS:
        return ()
    words = [token.text for token in tokens]
    if gone := _gone(tokens, words):
        return (gone, *_left(tokens, words))
    if not COMPLEX.isdisjoint(words) or not NEGATION.isdisjoint(words):
        return tuple(_habits(tokens, words))
    if left := tuple(_left(tokens, words)):
        return left
    return tuple(_found(tokens, words))


def _now(text: str) -> bool:
    return not ASIDE.isdisjoint(token.text for token in read(text))


def _found(tokens: Sequence[Token], words: Sequence[str]) -> Iterator[Claim]:
    for place in range(1, len(tokens)):
        word = words[place]
        if tokens[place].sort != "word" or word not in _VERBS or _is_noun(tokens, place):
            continue
        subject = _subject(tokens[:place])
        rest = [token for token in tokens[place + 1 :] if token.text not in ASIDE]
        if subject is None or not rest:
            return
        yield from _said_of(subject, tokens[:place], word, _trimmed(rest))
        return


def _is_noun(tokens: Sequence[Token], place: int) -> bool:
    """Whether what could be a verb is none there: "the shop opens", "the deploy key"."""
    word, before = tokens[place].text, tokens[place - 1]
    if word in _FINITE or before.text in ("i", "we"):
        return False
    return not (before.text.endswith("s") and before.content and not before.shown.endswith("'s"))


def _said_of(
    subject: frozenset[str], before: Sequence[Token], verb: str, rest: Sequence[Token]
) -> Iterator[Claim]:
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
        and (_named(after) or (after[:1] and after[0].text in ("a", "an", "the")))
    ):
        yield from _claim(subject, "employer", after)
    elif verb == "joined" and _named(rest) and first not in ("the", "our", "a"):
        yield from _claim(subject, "employer", rest)
    elif verb in (*STARTS, *ENDS) and (first in ("at", "on", "by") or verb in ENDS):
        yield from _times(subject, ENDS.get(verb, "time"), after if first in ("at", "on", "by") else rest)
    if verb in ("runs", "run") and first == "on" and _named(after):
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


def _being(
    subject: frozenset[str], before: Sequence[Token], rest: Sequence[Token], *, past: bool
) -> Iterator[Claim]:
    first, after = rest[0].text, rest[1:]
    second = after[0].text if after else ""
    if first in MOVED:
        yield from _moved(subject, after)
    elif first in CHANGED_TO:
        yield from _said_of(subject, before, first, after)
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
    elif first in ("running",) and second == "on" and _named(after[1:]):
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
    elif first in ("the", "our", "my") and _person(before):
        roles = {t.folded for t in rest} & ROLES
        if (first == "the" or roles) and (key := _stems(rest)) and len(rest) <= 6:
            yield from _held_by(key, before, sort="name")
    else:
        yield from _is(subject, before, rest)


def _is(subject: frozenset[str], before: Sequence[Token], rest: Sequence[Token]) -> Iterator[Claim]:
    """ "The X is VALUE" where there is one X and the value a name, a number, a date; of few X any word."""
    certain = {t.folded for t in before} & ONE_VALUED or "birthday" in subject
    owned = before[0].text in ("the", "my", "our") or before[0].shown.endswith("'s") or certain
    if not owned or rest[0].text in ("a", "an") or rest[0].text.endswith("ing"):
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
    lead = subject & {"lead", "leader", "head", "manager", "owner", "boss", "director", "captain", "chair"}
    if lead and subject - lead:
        yield from _claim(subject - lead, "led by", value, sort=sort)
    else:
        yield from _claim(subject - _NAME, "is", value, sort=sort)


def _moved(subject: frozenset[str], rest: Sequence[Token]) -> Iterator[Claim]:
    to = [n for n, token in enumerate(rest) if token.text in ("to", "for")]
    value = rest[to[-1] + 1 :] if to else ()
    if value and _has_time(value):
        yield from _times(subject, "time", value)
    elif value and rest[to[-1]].text == "to" and (_named(value) or value[0].text == "the"):
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


def _habits(tokens: Sequence[Token], words: Sequence[str]) -> Iterator[Claim]:
    """ "I don't drink", "I don't smoke"."""
    if len(tokens) <= 6 and words[0] == "i" and words[1:3] == ["do", "not"]:
        if words[3:] == ["smoke"]:
            yield Claim(frozenset("i"), "smoking", ("no",), "no", "word")
        elif words[3:4] == ["drink"] and (len(words) == 4 or words[-1] in ALCOHOL):
            yield Claim(frozenset("i"), "alcohol", ("no",), "no", "word")


def _habit(subject: frozenset[str], verb: str, rest: Sequence[Token]) -> Iterator[Claim]:
    if verb in ("eat", "eats") and (foods := {ANIMAL[t.folded] for t in rest if t.folded in ANIMAL}):
        yield from (Claim(subject, "diet", (food,), rest[-1].shown, "word") for food in sorted(foods))
    if verb in ("drink", "drinks") and {t.folded for t in rest} & ALCOHOL:
        yield Claim(subject, "alcohol", ("yes",), rest[-1].shown, "word")
    if verb in ("got", "gets") and rest[0].folded in MARITAL:
        yield Claim(subject, "marital status", (rest[0].text,), rest[0].shown, "word")


def _gone(tokens: Sequence[Token], words: Sequence[str]) -> Claim | None:
    """What somebody says to use, have or do no more."""
    found: Sequence[Token] = ()
    subject = _subject(tokens[:1])
    for place, word in enumerate(words[1:6], 1):
        rest = _trimmed(tokens[place + 1 :])
        if word in ("switched", "migrated", "moved") and rest and rest[0].text == "from":
            to = next((n for n, token in enumerate(rest) if token.text == "to"), 0)
            found = rest[1:to]
        elif word == "longer" and words[place - 1] == "no":
            found = rest[1:]
        elif word in ("stopped", "quit") and rest and rest[0].text.endswith("ing"):
            found = rest if len(rest) == 1 or not rest[1].content else rest[1:]
        elif word == "replaced" and any(t.text in ("with", "by") for t in rest):
            found = rest[: next(n for n, t in enumerate(rest) if t.text in ("with", "by"))]
        elif word in GONE:
            found = rest
        if found:
            break
    found = [t for t in found if t.content and t.text not in ASIDE][:3]
    if not found or subject is None:
        return None
    return Claim(subject, "gone", tuple(t.stem for t in found), " ".join(t.shown for t in found), "word")


def _was_there(gone: Claim, old: str) -> bool:
    """Whether a statement of the same person says that there is what is gone."""
    tokens = read(old)
    words = {token.text for token in tokens}
    if not tokens or len(old) > _LONGEST or words & NEGATION or words & {"was", "were", "used", "had"}:
        return False
    if _gone(tokens, [token.text for token in tokens]):
        return False
    first = tokens[0]
    own = {"i": "my", "we": "our"}
    same = first.stem in gone.subject or any(own.get(who) == first.text for who in gone.subject)
    return same and {*gone.value} <= {token.stem for token in tokens[1:]}


def _left(tokens: Sequence[Token], words: Sequence[str]) -> Iterator[Claim]:
    """Who has left an employer: another one, or none, is in its place."""
    for place in range(1, min(4, len(tokens))):
        if words[place] in LEFT and (subject := _subject(tokens[:place])) is not None:
            rest = tokens[place + 1 :]
            at = [n for n, token in enumerate(rest) if token.text in ("at", "from")]
            value = rest[at[-1] + 1 :] if at else rest if words[place] in ("left", "quit") else ()
            if value and (_named(value) or (at and value[0].text in ("the", "a"))):
                told = [t for t in value if t.content]
                yield Claim(
                    subject, "employer", (f"not {told[0].stem}",), f"left {told[0].shown}", _sort(value)
                )


def _subject(tokens: Sequence[Token]) -> frozenset[str] | None:
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


def _trimmed(rest: Sequence[Token]) -> Sequence[Token]:
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
    told = [
        t for t in value
        if (t.content or t.sort in ("name", "number", "code")) and t.folded not in TITLES and t.text not in ASIDE
    ]  # fmt: skip
    if subject and 1 <= len(told) <= 5:
        shown = " ".join(t.shown for t in told)
        yield Claim(subject, relation, tuple(t.stem for t in told), shown, sort or _sort(told), loose)


def _sort(tokens: Sequence[Token]) -> str:
    sorts = {token.sort for token in tokens}
    return "number" if "number" in sorts and "name" not in sorts else "name" if "name" in sorts else "word"


def _named(tokens: Sequence[Token]) -> bool:
    return any(token.sort in ("name", "code") for token in tokens)


def _person(tokens: Sequence[Token]) -> bool:
    """Whether a subject is a name and nothing else."""
    left = [t for t in tokens if t.text not in ASIDE]
    return 1 <= len(left) <= 3 and all(
        t.shown[:1].isupper() and t.text not in ("i", "the", "my", "our") for t in left
    )


_VERBS = frozenset(
    {"is", "are", "am", "was", "works", "work", "joined", "runs", "run", "upgraded", "updated", "migrated", "eat", "eats",
     "drink", "drinks", "got", "gets", *LEADS, *MOVED, *PLACING, *CHANGED_TO, *STARTS, *ENDS, *MEASURES, *HAVE,
     *VERSIONED, *LOOSE}
)  # fmt: skip
# What can be nothing but a verb where it stands.
_FINITE = frozenset(
    verb for verb in _VERBS
    if verb in ("is", "are", "am", "was", "has", "got", "went") or verb in LEADS or verb.endswith("ed") or verb in CHANGED_TO
    or (verb.endswith("s") and verb[:-1] in _VERBS)
)  # fmt: skip
