"""Function words that change a statement: prepositions, singular or plural, and those of other languages."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.text.comparison.alignment import (
    Alignment,
    Difference,
    Nature,
    as_written,
    one_sided,
    says_more,
)
from memcli.text.comparison.reading import Reading
from memcli.text.english.tokens import Token
from memcli.text.english.vocabulary import (
    ARTICLES,
    CALENDAR,
    FOREIGN_ARTICLES,
    GENERIC,
    PARTICLES,
    PERSON,
    POSSESSIVE,
    PREPOSITIONS,
    UNIT,
)
from memcli.text.english.word_forms import is_plural_of, stem
from memcli.text.stopwords import ENGLISH, STOPWORDS

_ANY_ARTICLES = ARTICLES | FOREIGN_ARTICLES
_LITTLE = STOPWORDS - _ANY_ARTICLES
_GENERAL = GENERIC | {stem(word) for word in GENERIC}


def number_difference(pair: Alignment) -> Difference | None:
    """Find singular for plural where it matters: "my son", "my sons"; not "allergic to nut", "nuts"."""
    known, forms = pair.old.folded, pair.new.forms
    # Mostly all shared words have the same form in both.
    if all(forms[stem] <= known for stem in pair.shared_stems if stem in forms):
        return None
    first = pair.old.once(_first_of_stem)
    for place, token in enumerate(pair.new):
        there = first.get(token.stem)
        if there is None or token.sort != "word" or token.folded in known:
            continue
        if token.folded in CALENDAR or token.folded in UNIT:
            continue
        other = pair.old[there]
        if is_plural_of(token.folded, other.folded) and _counted(pair, place, there):
            return Difference("value", "plural", f"{other.shown} -> {token.shown}",
                              apart=says_more(pair))  # fmt: skip
    return None


def _first_of_stem(tokens: Reading) -> dict[str, int]:
    """Return the place of the first token of each stem."""
    return {token.stem: n for n, token in reversed([*enumerate(tokens)])}


def _counted(pair: Alignment, place: int, there: int) -> bool:
    """True if a noun, singular in one and plural in the other, is definite in both."""
    ours, theirs = _before(pair.new, place), _before(pair.old, there)
    if ours and theirs and ours[-1].sort == theirs[-1].sort == "number":
        return False
    one, other = _determined(ours), _determined(theirs)
    if bool(one) == bool(other):
        before = ours[-1] if ours else None
        general = not one and before is not None and {before.folded, before.stem} & _GENERAL
        return [t.stem for t in ours[-1:]] == [t.stem for t in theirs[-1:]] and not general
    # In "a nut allergy" the article does not belong to the nut.
    tokens, n = (pair.new, place) if one else (pair.old, there)
    return (one or other) == "a" and not any(t.content and t.sort == "word" for t in tokens[n + 1 : n + 2])


def _before(tokens: Sequence[Token], place: int) -> Sequence[Token]:
    return tokens[max(0, place - 4) : place]


def _determined(before: Sequence[Token]) -> str | None:
    """Return what makes the following noun definite: "a", "the" for any other determiner, or None."""
    for token in reversed(before):
        if token.text in ("a", "an"):
            return "a"
        if token.text in ARTICLES or token.text in POSSESSIVE or token.shown.endswith(("'s", "s'")):
            return "the"
        if not token.content or token.sort != "word":
            return None
    return None


def preposition_difference(pair: Alignment) -> Difference | None:
    """Find another relation: "with the eggs", "into the eggs"; "left Berlin", "left for Berlin"."""
    new, old = pair.new.once(_leading), pair.old.once(_leading)
    facing = pair.old.once(_leading_to)
    for (word, thing), (token, _) in new.items():
        if thing in facing and (word, thing) not in old:
            words = f"{facing[thing].shown} -> {token.shown}"
            return Difference("value", "preposition", words, apart=says_more(pair))
    if not (new or old) or pair.voice:
        return None
    for these, those, sign in ((new, pair.old, "+"), (old, pair.new, "-")):
        said_there = those.once(_relations)
        for (word, thing), (token, before) in these.items():
            if word not in said_there and _bare(those, before, thing):
                nature: Nature = "more" if sign == "+" else "less"
                return Difference(nature, "preposition", f"{sign}{token.shown}", apart=says_more(pair))
    return None


def _leading_to(tokens: Reading) -> dict[str, Token]:
    """Return the first preposition before each stem."""
    found: dict[str, Token] = {}
    for (_, thing), (token, _) in tokens.once(_leading).items():
        found.setdefault(thing, token)
    return found


def _relations(tokens: Reading) -> set[str]:
    """Return the relations that the prepositions of a statement express."""
    return {PREPOSITIONS[word] for word in PREPOSITIONS.keys() & tokens.folded}


def _leading(tokens: Reading) -> dict[tuple[str, str], tuple[Token, str]]:
    """Return the prepositions, by relation and the stem they govern, each with the stem before it."""
    found: dict[tuple[str, str], tuple[Token, str]] = {}
    if PREPOSITIONS.keys().isdisjoint(tokens.folded):
        return found
    for place, token in enumerate(tokens):
        if token.sort != "word" or token.folded not in PREPOSITIONS:
            continue
        after = next((t for t in tokens[place + 1 :] if not (t.text in ARTICLES or t.text in PERSON)), None)
        if after is None:
            if token.folded not in PARTICLES:
                continue
        elif (
            after.sort == "number"
            or after.folded in CALENDAR
            or after.folded in PREPOSITIONS
            or (
                token.folded in ("to", "as", "like", "of")
                and after is tokens[place + 1]
                and after.sort == "word"
            )
        ):
            continue
        before = tokens[place - 1].stem if place else ""
        found[PREPOSITIONS[token.folded], after.stem if after else ""] = (token, before)
    return found


def _bare(tokens: Reading, before: str, thing: str) -> bool:
    """True if two stems are adjacent, apart from articles."""
    # Most statements do not have both.
    if not before or before not in tokens.places or (thing and thing not in tokens.places):
        return False
    return (before, thing) in tokens.once(_side_by_side)


def _side_by_side(tokens: Reading) -> set[tuple[str, str]]:
    """Return the pairs of adjacent stems of a statement, articles skipped."""
    left = [t.stem for t in tokens if not (t.text in ARTICLES or t.text in PERSON)]
    return {*zip(left, [*left[1:], ""], strict=True)} if left else set()


def foreign_word_difference(pair: Alignment) -> Difference | None:
    """Find another function word of a language that is not analysed here: "im Haus", "am Haus"."""
    new, old = (
        [token for token in only if token.sort == "word" and token.folded in _LITTLE]
        for only in (pair.only_new, pair.only_old)
    )
    for token in (*new, *old):
        if not token.text.isascii():
            return one_sided("word", new, [] if new else old, turns=True)
    # "Ich" in one and "mir" in the other exchange the roles, wherever they stand.
    if new and old and any(t.folded not in ENGLISH or t.text == "im" for t in (*new, *old)):
        return Difference("value", "word", f"{as_written(old)} -> {as_written(new)}")
    return None
