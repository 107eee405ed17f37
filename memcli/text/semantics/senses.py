"""Senses of frequent words across languages: "by Friday", "bis Freitag", "do piątku" are one feature.

There are never enough examples of one language to learn each of its words from; what is learned of a sense in
one language holds in the others. The words are in `senses.txt`, those of the calendar where dates are read,
and the endings of tenses here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations, product
from pathlib import Path

from memcli.text.asking import may_be_french
from memcli.text.dates.ahead_words import UNITS
from memcli.text.expressions import expression
from memcli.text.numbers.quantities import calendar_words, number_words
from memcli.text.words import fold_case

# Two senses at most so many words apart make an ordered feature.
_NEAR = 3
# A shorter abbreviation of a day or a month is mostly another word.
_SHORTEST = 3
# Romance futures; pasts of English, German and the Romance languages. Accents tell them from the present.
_FUTURE = expression(r"\w{2,}(?:rai|ras|ra|rons|rez|ront|ré|rás|rá|remos|rán|rò|rà|remo|rete|ranno|rei|rão)")
# The French endings, which names and other words have as well: "Moira", "camera", "hora".
_FRENCH_FUTURE = expression(r"\w{2,}(?:rai|ras|ra|rons|rez|ront)")
# Endings that only verbs have: "visita", "cafetería" and "Karte" end like the other past forms.
_VERBS = "ó|ió|aron|ieron|ava|eva|aba|ait|aient|ou|łem|łam|liśmy"
_GERMANIC = r"ge\w{3,}(?:t|en)"
_PAST = expression(rf"\w{{3,}}(?:ed|té|ato|ita|ito|uto|ía|eu|{_VERBS})|{_GERMANIC}|\w{{2,}}te")
_VERB = expression(rf"\w{{3,}}(?:{_VERBS})")
# Participles directly after "have" (Romance, English), those that may stand farther off (German), and alone.
_PARTICIPLE = expression(r"\w{2,}(?:ée?s?|[aiu]d[oa]s?|[aiu]t[oiae]|ed)|\w+(?:us?|is|it|sto|cho)")
_FARTHER = expression(_GERMANIC)
_ALONE = expression(r"\w{2,}(?:ée?s?|[aiu]d[oa]s?|[aiu]t[oiae]|ed|(?:uel|ier|es|is|it|at|et)t[oaie]s?)")
# Verbs of German, Dutch, French and Italian whose past is formed with "be", each with any prefix: went,
# stayed, became, died. With other verbs "is" and a participle state what is so: "ist gebucht", "est payé".
_BY_BEING = expression(
    r"\w*(?:ge(?:kommen|gangen|fahren|flogen|laufen|reist|zogen|stiegen|fallen|stürzt|landet|sprungen|rannt|treten"
    r"|kehrt|blieben|wesen|worden|wachsen|standen|schlafen|storben|boren|schehen|komen|gaan|reden|vlogen|lopen"
    r"|reisd|vallen|varen|bleven|weest|storven|beurd|lukt)"
    r"|worden|passiert|verschwunden|erschienen|verhuisd|vertrokken|verdwenen|overleden|bevallen|begonnen"
    r"|(?:ven|descend)ue?s?|(?:all|arriv|entr|mont|tomb|rest|pass|retourn|décéd)ée?s?|(?:part|sort)ie?s?|morte?s?"
    r"|(?:andat|venut|arrivat|partit|tornat|entrat|uscit|salit|sces|cadut|rimast|restat|stat|diventat|passat|mort"
    r"|success|riuscit)[oaie])|née?s?|nat[oaie]|gone"
)
_LETTERS = expression(r"[^\W\d_]+")
# Words that end as verbs of the past do.
_NO_PAST = frozenset(
    ["need", "feed", "bed", "red", "speed", "seed", "weed", "shed", "med", "indeed", "embed", "hundred"]
)
_ITSELF = frozenset(["s", "se", "me", "m", "te", "t", "nous", "vous", "si", "mi", "ti", "ci", "vi"])
_PERSONS = frozenset({"other person", "we", "i", "you"})
_AHEAD = frozenset({"will", "future"})
_OF_CALENDAR = frozenset({"day", "month", "unit", "today", "tomorrow", "next"})


# A feature is one sense; two senses anywhere, in alphabetical order; or two in their order in the text, with
# None between them if adjacent and "then" if near.
SenseFeature = tuple[str] | tuple[str, str] | tuple[str, str | None, str]


def sense_features(words: Sequence[str]) -> list[SenseFeature]:
    """Return the sense features of a text: adjacent and near pairs in order, single senses, all pairs.

    The words are lower case, with digits as 0.
    """
    meant = [(place, senses) for place, word in enumerate(words) if (senses := senses_of(word))]
    found: list[SenseFeature] = []
    for n, (place, senses) in enumerate(meant):
        for there, others in meant[n + 1 : n + 1 + _NEAR]:
            if there - place <= _NEAR:
                found += _in_order(senses, others, "then" if there - place > 1 else None)
    every = sorted({sense for _, senses in meant for sense in senses})
    found += [(sense,) for sense in every]
    found += combinations(every, 2)
    return found


# Cached: there are few senses, and few combinations.
@lru_cache(maxsize=8192)
def _in_order(senses: Sequence[str], others: Sequence[str], then: str | None) -> Sequence[SenseFeature]:
    return tuple(product(senses, (then,), others))


def name_of(feature: SenseFeature) -> str:
    """Return the name of a feature, which is hashed."""
    one, *rest = feature
    if not rest:
        return f"sense {one}"
    *then, other = rest
    if not then:
        return f"senses {one} with {other}"
    return f"senses {one}, {'then ' if then[0] else ''}{other}"


def tells_of_past(text: str) -> bool:
    """True if the words of a text say that something is past, in any of the languages.

    By "was" and "yesterday", by endings that only past forms have, by "have" with a participle, and by "is"
    with a verb whose past is formed so ("est arrivé", as against "est réservé"). A capitalised word within
    the text is a name, or a German noun, and does not count.
    """
    return _tells_of_past(text, is_so=False)


def _tells_of_past(text: str, *, is_so: bool) -> bool:
    """True if a text says that something is past, or with `is_so` that it is done by now: "est payé"."""
    having = beside = being = False
    before, word_before = frozenset[str](), ""
    for place, said in enumerate(re.findall(r"\w+", text)):
        if place and said[0].isupper():
            continue
        word = said.lower()
        senses = frozenset(senses_of(word))
        if not senses & _OF_CALENDAR:
            if senses & {"was", "yesterday"} or _VERB.fullmatch(word):
                return True
            if (beside and _PARTICIPLE.fullmatch(word)) or (having and _FARTHER.fullmatch(word)):
                return True
            if being and _BY_BEING.fullmatch(word):
                return True
        # French and Italian reflexives form the past with "be": "s'est cassé".
        has = "perfect" in senses and (is_so or "is" not in senses or word_before in _ITSELF)
        # "A" is "has" only in French ("on a"); elsewhere it is "to" or an article.
        beside = has and word != "à" and (word != "a" or not before.isdisjoint(_PERSONS))
        having, being = having or beside, being or "is" in senses
        before, word_before = senses, word
    return False


def tells_ahead(text: str) -> bool:
    """True if the words of a text say that something will be, or would: "will", "wird", "apportera".

    The endings without accents that only French futures have count if the text may be French, and never in a
    name that has them: "Moira", "Sandra".
    """
    in_french = False
    for said in re.findall(r"\w+", text):
        word = said.lower()
        if word in ("would", "d") or not _AHEAD.isdisjoint(senses_of(word)):
            if not _FRENCH_FUTURE.fullmatch(word) or has_sense(fold_case(word), "will"):
                return True
            in_french = in_french or said == word
    return in_french and may_be_french(text)


def tells_done(text: str) -> bool:
    """True if the words of a text say that something is past or done: see `tells_of_past`."""
    return _tells_of_past(text, is_so=True) or any(
        has_sense(fold_case(said), "done") for said in re.findall(r"\w+", text.lower())
    )


@lru_cache(maxsize=4096)
def tells_deed(text: str) -> bool:
    """True if a text records a deed: it is in the past, or begins or ends with a verb of the past.

    "gave rm 4 paracetamol at 10", "Rechnung 101 bezahlt", "lait acheté". Two such records mostly both hold,
    however similar.
    """
    said = _LETTERS.findall(text.lower())
    return bool(said) and (any(map(_is_done, (said[0], said[-1]))) or tells_of_past(text))


def _is_done(word: str) -> bool:
    done = has_sense(fold_case(word), "done") or is_participle(word) or _VERB.fullmatch(word) is not None
    return done and word not in _NO_PAST


@lru_cache(maxsize=4096)
def asks_for_deed(text: str) -> bool:
    """True if a text begins or ends with the verb of an errand, not in the past: "Milch kaufen"."""
    said = _LETTERS.findall(text.lower())
    ends = (said[0], said[-1]) if said else ()
    return any(has_sense(fold_case(word), "errand") and not _is_done(word) for word in ends)


def is_participle(word: str) -> bool:
    """True if a lower-case word ends like participles that stand alone: "ordered", "achetés"."""
    return (_ALONE.fullmatch(word) or _FARTHER.fullmatch(word)) is not None


# Cached: most texts use few different words.
@lru_cache(maxsize=8192)
def senses_of(word: str) -> tuple[str, ...]:
    """Return the senses that a word may have, in any of the languages; mostly none."""
    if word.isdigit():
        return ("number" if len(word) < 3 else "year" if len(word) == 4 else "large number",)
    folded = fold_case(word)
    whole, beginnings = _lexicon()
    found = set(whole.get(folded, ()))
    for length in range(2, len(folded) + 1):
        found.update(beginnings.get(folded[:length], ()))
    found |= {name for name, ending in (("future", _FUTURE), ("past", _PAST)) if ending.fullmatch(word)}
    return tuple(sorted(found))


@lru_cache(maxsize=8192)
def has_sense(folded: str, sense: str) -> bool:
    """True if a folded word may have a sense of `senses.txt` or `untaught.txt`; loads only that sense."""
    whole, beginnings = _words_of(sense)
    return folded in whole or folded.startswith(beginnings)


def has_any_sense(folded: str, senses: tuple[str, ...]) -> bool:
    """True if a folded word may have one of several senses; faster than asking for each."""
    whole, beginnings = _words_of_any(senses)
    return folded in whole or folded.startswith(beginnings)


@cache
def _words_of_any(senses: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    words = [_words_of(sense) for sense in senses]
    return (
        frozenset[str]().union(*(whole for whole, _ in words)),
        tuple(each for _, beginnings in words for each in beginnings),
    )


@cache
def _words_of(sense: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the whole words of a sense, and its word beginnings."""
    written = (*_written(), *_written("untaught.txt"))
    words = next(words for name, words in written if name == sense)
    return (
        frozenset(word for word in words if not word.endswith("*")),
        tuple(word[:-1] for word in words if word.endswith("*")),
    )


_Lexicon = dict[str, list[str]]


@cache
def _lexicon() -> tuple[_Lexicon, _Lexicon]:
    """Return the senses by whole words, and by word beginnings."""
    whole: _Lexicon = {}
    beginnings: _Lexicon = {}
    for sense, words in (*_written(), *_of_calendar()):
        for word in words:
            if word.endswith("*"):
                beginnings.setdefault(word[:-1], []).append(sense)
            else:
                whole.setdefault(word, []).append(sense)
    return whole, beginnings


def _written(file: str = "senses.txt") -> Iterator[tuple[str, list[str]]]:
    for line in Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines():
        sense, _, words = line.partition(" = ")
        yield sense, words.replace("|", " ").split()


def _of_calendar() -> Iterator[tuple[str, Iterable[str]]]:
    for name, value in calendar_words().items():
        if len(name) >= _SHORTEST:
            yield "day" if value[0] == "d" else "month", (fold_case(name),)
    yield "unit", UNITS
    yield "number", map(fold_case, number_words())
