"""Figures: find the value that a later text updates: "150 commits", "has now reached 165".

Long messages say many things, of which one value is updated. So texts are read as *figures*: a value (a
number, a share, a date, a time of day), what it counts, and the words around it. A later figure updates an
earlier one if both are of one kind, their values differ, the words around them are about one thing, and the
later one sounds like news or its words are nearly the same. English cues; rules only, no model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memcli.named_tuple import NamedTuple
from memcli.text.dates.calendar import MONTHS, SHORT_MONTHS, WEEKDAYS
from memcli.text.english.tokens import Token, tokenize
from memcli.text.english.vocabulary import CALENDAR, UNIT, word_set
from memcli.text.expressions import expression

# At most so many characters of a message are read: the rest is mostly code and quotations.
_READ = 1500
# How many words on each side of a value say what it is about, within its sentence.
_AROUND = 20
_CODE = expression(r"```.*?(?:```|\Z)|`[^`\n]{0,200}`", re.DOTALL)
_SENTENCES = expression(r"(?<=[.!?])\s+|\n+")
# Recurring times: a shop may open at one hour in winter and at another in summer.
_SEASONS = word_set("winter summer spring autumn fall weekday weekdays weekend weekends holidays") | {
    f"{day}s" for day in WEEKDAYS
}
# A figure with at most so many words around it is about one thing.
_SHORT = 10
# Cosines: below the first, two texts are about different things whatever words they share; the others are
# required of less explicit updates.
FAR, CLOSE, ALIKE = 0.25, 0.45, 0.6
_TURN = (
    r"adjusted|changed|extended|postponed|moved|moving|rescheduled|shifted|pushed(?: back)?|increas(?:ed|ing)|grown|grew"
    r"|decreas(?:ed|ing)|dropped|rais(?:ed|ing)|lowered|reduced|improved|updated|boosted|expanded|revised|set|gone up"
)
# Phrases before a value that say that it changed, or is new.
_SAID = expression(
    rf"\b(?:(?:{_TURN})\b[^.!?]{{0,60}}?\bto\b[^.!?]{{0,25}}|reach(?:ed|ing|es)\b[^.!?]{{0,25}}"
    r"|new\b[^.!?]{0,45}|updated\b[^.!?]{0,30}|total of|now (?:at|have|has|is|averaging)\b[^.!?]{0,20}"
    r"|instead of[^.!?]{0,30})$",
    re.IGNORECASE,
)
_LIKELY = expression(
    rf"\b(?:now|new(?:ly)?|currently|recently|so far|already|just|completed|added|secured|reached|{_TURN})\b",
    re.IGNORECASE,
)
_MONTHS = frozenset((*MONTHS, *SHORT_MONTHS, "sept"))
# Stems of words that may stand around any value and do not tell things apart.
_EMPTY = word_set(
    """
    start complet recent current new now total just already reach increas adjust updat extend improv chang mov
    date tim time day week month year hour minut percent
    """
)


class Figure(NamedTuple):
    """A value, its kind, what it counts, and the stems around it."""

    value: str
    sort: str
    """`share`, `date`, `clock`, `money`, or `number`."""
    counts: frozenset[str]
    """Stems of what a number counts ("12 conditional probability problems"); empty if not stated."""
    about: frozenset[str]
    names: frozenset[str]
    """Those of `about` that are names."""
    news: str
    """`said`: the text says that it changed; `likely`: it sounds so; empty: neither."""
    shown: str


class Update(NamedTuple):
    """An earlier value that a later text updates: its kind, its subject (stems), and "150 -> 165"."""

    sort: str
    about: tuple[str, ...]
    words: str
    strength: float
    """The evidence for it; comparable between the updates of one text."""


def value_updates(new: str, old: str, cosine: float, *, statements: bool = False) -> list[Update]:
    """Return what the later text updates in the earlier one: for each kind of value the surest update.

    In `statements` ("the key of the Bergen flat has number 100") every word counts; messages word the same
    thing differently each time.
    """
    if cosine < FAR:
        return []
    ours = figures(new)
    # Most texts have no figures: then the other one need not be read.
    theirs = figures(old) if ours else ()
    if not theirs:
        return []
    repeated = {(each.sort, each.value) for each in theirs} & {(each.sort, each.value) for each in ours}
    surest: dict[str, Update] = {}
    for later in ours:
        for earlier in theirs:
            if (earlier.sort, earlier.value) in repeated or (later.sort, later.value) in repeated:
                continue
            found = None if _of_two_things(later, earlier, statements) else _updates(later, earlier, cosine)
            if found and (later.sort not in surest or found.strength > surest[later.sort].strength):
                surest[later.sort] = found
    return list(surest.values())


def _updates(later: Figure, earlier: Figure, cosine: float) -> Update | None:
    if later.sort != earlier.sort or later.value == earlier.value:
        return None
    shared = later.about & earlier.about
    if later.counts and earlier.counts and not later.counts & earlier.counts:
        return None
    if later.sort == "number" and later.counts and not later.counts & earlier.about:
        return None
    # The less it sounds like news, the more similar the two must be.
    if later.news == "said":
        enough = len(shared) >= 2
    elif later.news:
        enough = len(shared) >= 2 and cosine >= CLOSE
    else:
        enough = len(shared) >= 4 and cosine >= ALIKE
    if not enough:
        return None
    share = len(shared) / min(len(later.about), len(earlier.about))
    strength = cosine + share + {"said": 0.5, "likely": 0.2, "": 0.0}[later.news] + 0.1 * len(shared)
    return Update(later.sort, tuple(sorted(shared)), f"{earlier.shown} -> {later.shown}", round(strength, 3))


def _of_two_things(later: Figure, earlier: Figure, statements: bool) -> bool:
    """True if the two are about different things: the keys of Bergen, the keys of Porto."""
    ours, theirs = later.about - earlier.about, earlier.about - later.about
    if statements:
        return bool(ours and theirs)
    # A long sentence has many other words around a figure.
    short = max(len(later.about), len(earlier.about)) <= _SHORT
    return short and bool(ours & later.names and theirs & earlier.names)


@lru_cache(maxsize=32768)
def figures(text: str) -> tuple[Figure, ...]:
    """Return the figures of a text, in order; code is left out."""
    found: list[Figure] = []
    for sentence in _SENTENCES.split(_CODE.sub(" ", text[:_READ])):
        tokens = tokenize(sentence)
        for place, token in enumerate(tokens):
            figure = _figure(tokens, place, token, sentence)
            if figure:
                found.append(figure)
    return tuple(found)


def _figure(tokens: Sequence[Token], place: int, token: Token, sentence: str) -> Figure | None:
    if token.sort != "number":
        return None
    before = tokens[max(0, place - _AROUND) : place]
    after = tokens[place + 1 : place + 1 + _AROUND]
    near = [*before, *after]
    about = frozenset(t.stem for t in near if _is_topical(t))
    names = frozenset(t.stem for t in near if t.sort == "name" and _is_topical(t))
    shown = token.shown
    sort, value, counts = "number", token.text, frozenset[str]()
    if re.search("[:]", token.text) or re.search(r"[ap]\.?m", token.shown, re.IGNORECASE):
        sort = "clock"
    elif before and before[-1].folded in _MONTHS:
        sort, value, shown = (
            "date",
            f"{before[-1].folded[:3]} {token.text}",
            f"{before[-1].shown} {token.shown}",
        )
    elif re.fullmatch(r"(?:19|20)\d\d|\d+(?:\.\d+){2,}", token.text):
        return None
    elif (after and after[0].text in ("%", "percent")) or "%" in token.shown:
        sort = "share"
    elif before and before[-1].text in ("$", "€", "£"):
        sort = "money"
    else:
        counts = frozenset(t.stem for t in _counted(after))
    return Figure(value, sort, counts, about | counts, names, _news(sentence, shown), shown)


def _news(sentence: str, shown: str) -> str:
    found = re.search(rf"(?<!\w){re.escape(shown)}", sentence)
    place = found.start() if found else 0
    before = sentence[max(0, place - 120) : place]
    if _SAID.search(before):
        return "said"
    return "likely" if _LIKELY.search(sentence[max(0, place - 70) : place + 60]) else ""


def _counted(after: Sequence[Token]) -> list[Token]:
    found = []
    for token in after[:3]:
        if token.sort not in ("word", "name") or not token.content:
            break
        found.append(token)
    return found


def _is_topical(token: Token) -> bool:
    return (
        token.content
        and token.sort in ("word", "name")
        and token.stem not in _EMPTY
        and token.stem not in UNIT
        and token.folded not in _MONTHS
        and (token.shown.casefold() in _SEASONS or token.folded not in CALENDAR)
        and len(token.stem) > 2
    )
