"""Full names of people: find a person in a text by the full name and its shorter forms, apart from namesakes.

"Dr. Kevin J. Malone" matches the Kevin, the K. Malone and the "Malone, Kevin" of a text, but neither Sarah
Malone nor Kevin Hart. Titles, initials, middle names, case, accents, spelled-out umlauts and the genitive do
not matter. By form alone: capitals, order and what stands between.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

from memcli.named_tuple import NamedTuple
from memcli.text.expressions import expression
from memcli.text.naming.name_or_word import CALENDAR, doubt_of
from memcli.text.naming.name_words import NameWord, folds_of, is_genitive_mark, name_words
from memcli.text.naming.names import RUN_ON
from memcli.text.stopwords import STOPWORDS

# How a text mentions a name. "full": given name and surname, or all that was asked for; "given", "surname":
# that one alone; "titled": the surname with a title; "namesake": the given name with another surname;
# "relative": the surname with another given name; "other title": with a title of the other sex; "unsure": may
# be a common word; "word": certainly a common word, and so no mention.
Form = Literal["full", "given", "surname", "titled", "namesake", "relative", "other title", "unsure", "word"]

# What may stand between the words of one name, and after a surname that comes first.
_NEAR, _TURNED = expression(r"[\s.\-]{1,3}"), expression(r",?\s{1,2}")
# The most words between given name and surname, and the most words of a name.
_BETWEEN, _LONGEST = 3, 6
_TITLE_WORDS = """
mr mister dr doctor prof professor sir lord herr hr herrn monsieur don senor sr signor sig signore dott
dottore senhor meneer dhr pan jr phd md ii iii
"""
_HER_TITLE_WORDS = """
mrs ms miss lady madam frau fr fraulein madame mme mademoiselle mlle senora sra senorita dona signora
dottoressa senhora mevrouw mevr pani
"""
_PARTICLE_WORDS = "von van der den de la le di da del della du dos ter zu af al bin ibn"
_TITLES, _HER_TITLES = frozenset(_TITLE_WORDS.split()), frozenset(_HER_TITLE_WORDS.split())
_PARTICLES = frozenset(_PARTICLE_WORDS.split())
# A function that encodes a folded word, so that a name can be recognised from digests alone.
Code = Callable[[str], str]


class Mention(NamedTuple):
    """A mention of a name in a text: where, in which form, and as written."""

    start: int
    end: int
    form: Form
    written: str
    proper: bool
    """True if written as a name: each word capitalised, not just at the beginning of a sentence."""


class FullName:
    """A name by the codes of its words: the given name first, the surname last, middle names between.

    A name of one word, or in a script without spaces, has only one form. `hers`: it was given with a woman's
    title.
    """

    def __init__(
        self, words: Sequence[Iterable[str]], initial: str, *, hers: bool = False, run_on: bool = False,
        code: Code = str,
    ) -> None:  # fmt: skip
        self._words = [frozenset(each) for each in words]
        self._initial = initial
        self._hers = hers
        self._run_on = run_on
        self._code = code
        # Strings of which every text with the name contains one: a quick test that most texts fail.
        self._plainly = code is str
        self._stems = [fold for n in {0, len(words) - 1} for fold in self._words[n]]

    def record(self, code: Code) -> dict[str, Any]:
        """Return the name as JSON types, in other codes; `known_name` reads it back."""
        return {
            "words": [sorted(map(code, each)) for each in self._words],
            "initial": code(self._initial),
            "hers": self._hers,
            "run_on": self._run_on,
        }

    def mentions(self, text: str) -> list[Mention]:
        """Return every mention of the name, or of part of it, in order."""
        if self._plainly and not any(each in haystack for haystack in folds_of(text) for each in self._stems):
            return []
        words = list(name_words(text))
        codes = [frozenset(map(self._code, word.folds)) for word in words]
        hits = [{n for n, each in enumerate(self._words) if each & code} for code in codes]
        if not any(hits):
            return []
        found = self._whole(text, words, hits) if self.has_one_form else self._parts(text, words, hits)
        return [mention for mention in found if mention.form != "word"]

    @property
    def has_one_form(self) -> bool:
        """True if no part of it can stand for the whole."""
        return self._run_on or len(self._words) == 1

    def _whole(self, text: str, words: Sequence[NameWord], hits: Sequence[set[int]]) -> Iterator[Mention]:
        """Yield mentions of a name that has only one form."""
        length = len(self._words)
        for i in range(len(words) - length + 1):
            if all(n in hits[i + n] for n in range(length)):
                form: Form = "full"
                if length == 1 and not self._run_on and (doubt := doubt_of(text, words, i)):
                    form = doubt
                yield _mention(text, words[i], words[i + length - 1], form)

    def _parts(self, text: str, words: Sequence[NameWord], hits: Sequence[set[int]]) -> Iterator[Mention]:
        last = len(self._words) - 1
        taken = -1
        for i, word in enumerate(words):
            if i <= taken or not hits[i] & {0, last}:
                continue
            end = self._full_from(text, words, hits, i)
            if end is not None:
                taken = end
                yield _mention(text, word, words[end], "full")
            elif 0 in hits[i]:
                end, form = self._given_alone(text, words, i)
                yield _mention(text, word, words[end], form)
            else:
                start, form = self._surname_alone(text, words, hits, i)
                yield _mention(text, words[start], word, form)

    def _full_from(
        self, text: str, words: Sequence[NameWord], hits: Sequence[set[int]], i: int
    ) -> int | None:
        """Return where the full name ends that begins at a word, in either order; None without one."""
        last = len(self._words) - 1
        if 0 in hits[i]:
            for k in range(i + 1, min(i + 2 + _BETWEEN, len(words))):
                if not _NEAR.fullmatch(text, words[k - 1].end, words[k].start):
                    break
                if last in hits[k]:
                    return k
                between = words[k]
                if not (between.capital or len(between.plain) == 1 or between.plain in _PARTICLES or hits[k]):
                    break
        turned = i + 1 < len(words) and _TURNED.fullmatch(text, words[i].end, words[i + 1].start)
        return i + 1 if last in hits[i] and turned and 0 in hits[i + 1] else None

    def _given_alone(self, text: str, words: Sequence[NameWord], i: int) -> tuple[int, Form]:
        word, after = words[i], words[i + 1] if i + 1 < len(words) else None
        if doubt := doubt_of(text, words, i):
            return i, doubt
        if after and _is_name(after) and _NEAR.fullmatch(text, word.end, after.start):
            genitive = word.plain.endswith("s") and len(word.folds) > 1
            if "." not in text[word.end : after.start] and not genitive:
                return i + 1, "namesake"
        return i, "given"

    def _surname_alone(
        self, text: str, words: Sequence[NameWord], hits: Sequence[set[int]], i: int
    ) -> tuple[int, Form]:
        word, k = words[i], i - 1
        while k >= 0 and words[k].plain in _PARTICLES and _near(text, words, k):
            k -= 1
        if k < 0 or not _near(text, words, k):
            return i, doubt_of(text, words, i) or "surname"
        before = words[k]
        if len(before.plain) == 1 and before.capital:
            return k, "full" if self._code(before.plain) == self._initial else "relative"
        if before.plain in _TITLES or before.plain in _HER_TITLES:
            return k, "titled" if (before.plain in _HER_TITLES) <= self._hers else "other title"
        if hits[k]:
            return k, "full"
        # If names are written in lower case, any word before the surname may be another given name.
        another = _is_name(before) or (not word.capital and before.plain not in STOPWORDS)
        return (k, "relative") if another else (i, doubt_of(text, words, i) or "surname")


class NameForms(NamedTuple):
    """A name, the forms of it that mean the person, and longer names that contain it and are others'."""

    name: FullName
    forms: frozenset[str]
    others: tuple[FullName, ...] = ()

    def mentions(self, text: str) -> list[Mention]:
        """Return every mention of the name or part of it, except within another person's."""
        found = self.name.mentions(text)
        places = [each for other in self.others if found for each in other.mentions(text)]
        full = [each for each in places if each.form == "full"]
        return [m for m in found if not any(m.start < each.end and each.start < m.end for each in full)]

    def found_in(self, text: str) -> bool:
        """True if a text names the person."""
        return any(mention.form in self.forms for mention in self.mentions(text))


def full_name(text: str) -> FullName | None:
    """Return the name that a text is, in any form (titles, initials, surname first, genitive); else None."""
    if text.count(",") == 1:
        surname, _, given = text.partition(",")
        text = f"{given.strip()} {surname}"
    words = [word for word in name_words(text) if not is_genitive_mark(text, word)]
    hers = any(word.plain in _HER_TITLES for word in words)
    kept = [word for word in words if word.plain not in _TITLES | _HER_TITLES | _PARTICLES]
    kept = kept if len(kept) < 2 else [word for word in kept if len(word.plain) > 1 or _runs_on(word.plain)]
    run_on = any(_runs_on(word.plain) for word in kept)
    if not kept or (len(kept) > _LONGEST and not run_on):
        return None
    folds = [folds_of(text[word.start : word.end]) for word in kept]
    return FullName(folds, sorted(folds[0])[0][0], hers=hers, run_on=run_on)


def known_name(record: Any, code: Code) -> FullName:
    """Return the name of a `FullName.record`, to be found by the codes in which it is written."""
    return FullName(
        record["words"], record["initial"], hers=bool(record["hers"]), run_on=bool(record["run_on"]),
        code=code,
    )  # fmt: skip


def is_written_as_name(text: str) -> bool:
    """True if a text is only a name: one to six capitalised words, titles, particles, initials."""
    words = list(name_words(text))
    named = [word for word in words if word.plain not in _PARTICLES | _TITLES | _HER_TITLES]
    return 0 < len(words) <= _LONGEST and bool(named) and all(_may_be_named(text, word) for word in named)


def _may_be_named(text: str, word: NameWord) -> bool:
    written = word.capital or _runs_on(word.plain) or is_genitive_mark(text, word)
    return len(word.plain) == 1 or (written and word.plain not in STOPWORDS)


def _mention(text: str, first: NameWord, last: NameWord, form: Form) -> Mention:
    written = text[first.start : last.end].split()
    proper = all(word[:1].isupper() for word in written) and (len(written) > 1 or not first.first)
    return Mention(first.start, last.end, form, " ".join(written), proper)


def _is_name(word: NameWord) -> bool:
    """True if a word beside a name may be part of a name, too."""
    return (
        word.capital
        and len(word.plain) > 1
        and word.plain not in STOPWORDS
        and word.plain not in CALENDAR
        and word.plain not in _TITLES
        and not any(character.isdigit() for character in word.plain)
    )


def _near(text: str, words: Sequence[NameWord], k: int) -> bool:
    """True if a word stands directly before the next one; a full stop only after a title or an initial."""
    between = text[words[k].end : words[k + 1].start]
    shortened = len(words[k].plain) == 1 or words[k].plain in _TITLES | _HER_TITLES
    return bool(_NEAR.fullmatch(between)) and (shortened or "." not in between)


def _runs_on(word: str) -> bool:
    return len(word) == 1 and re.match(rf"[{RUN_ON}]", word) is not None
