"""Pair features: two statements as numbers: how much they share, what only one says, and where it stands.

Whether a newer statement repeats an older one, or gives the same thing a new value, shows in what replaced
what: another number at the end of the same sentence is a new value, another name at its beginning another
person. So the two are aligned word by word (stems, a few synonyms, in other languages a long common
beginning), and what is left over on each side is counted by its kind and its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import cache, lru_cache
from math import log, log1p

from memcli.judgement.text_features import Features, frame_features, pieces_apart, side_by_side
from memcli.text.comparison.alignment import Alignment, align, align_texts
from memcli.text.comparison.differences import differences
from memcli.text.comparison.duplicates import compare_texts
from memcli.text.comparison.reading import Reading
from memcli.text.english.tokens import Sort, Token, tokenize
from memcli.text.english.vocabulary import PLAIN_NEGATION, word_set
from memcli.text.numbers.quantities import quantities
from memcli.text.semantics.senses import asks_for_deed, tells_deed
from memcli.text.words import fold_case

# At most so many tokens of a text are compared: a statement is short.
_TOKENS = 60
_SORTS: tuple[Sort, ...] = ("number", "name", "code")
_OF_SORT = {
    sort: (f"{sort} replaced", f"{sort} added", f"{sort} dropped", f"{sort} kept", f"{sort}s replaced")
    for sort in _SORTS
}
# Two words are forms of one if they begin with so many equal letters, and so large a part of the longer one.
_COMMON, _COMMON_PART = 4, 0.65
# As the judges were taught, who would have to learn another list anew: with "no longer" and its like, without
# what denies in part.
_NEGATIONS = PLAIN_NEGATION | word_set("longer anymore mehr plus ya mai senza nessun piu zonder sem")


def pair_features(newer: str, older: str) -> dict[str, float]:
    """Return the features of a pair of texts by name; a feature not named is 0."""
    new, old = tokenize(newer), tokenize(older)
    whole = max(len(new), len(old)) <= _TOKENS
    # Texts compared as a whole share the cached alignment with `compare_texts` below.
    pair = align_texts(newer, older) if whole else align(new[:_TOKENS], old[:_TOKENS])
    only_new, only_old = _unlike(pair.only_new, pair.only_old)
    features = _shared(pair, only_new, only_old)
    features |= _by_sort(pair, only_new, only_old)
    features |= _by_place(pair, only_new, only_old)
    features |= _by_quantity(newer, older)
    features["letters in common"] = _letters_in_common(newer, older)
    of_new, of_old = min(len(new), _TOKENS), min(len(old), _TOKENS)
    features["longer"] = log((of_new + 1) / (of_old + 1))
    features["length"] = log1p(of_new + of_old)
    features["asks"] = float(newer.rstrip().endswith("?"))
    features["asks, old"] = float(older.rstrip().endswith("?"))
    denied_new, denied_old = _denies(newer), _denies(older)
    features["denied, new"] = float(denied_new and not denied_old)
    features["denied, old"] = float(denied_old and not denied_new)
    done_new, done_old, to_do = tells_deed(newer), tells_deed(older), asks_for_deed(older)
    features["done, both"] = float(done_new and done_old)
    features["done, new"] = float(done_new and not done_old)
    features["to do, then done"] = float(to_do and done_new and not done_old)
    features["to do, both"] = float(to_do and not done_new and asks_for_deed(newer))
    verdict = compare_texts(newer, older, None).verdict
    # What merely differs in a value is an update of a state, and of a deed another one.
    features["done, both, changed"] = float(verdict == "changed" and done_new and done_old)
    features["wording: same"] = float(verdict == "same")
    features["wording: changed"] = float(verdict == "changed")
    for found in differences(pair):
        features[_named(found.rule, found.nature, found.one_sided)] = 1.0
    return features


@cache
def _named(rule: str, nature: str, one_sided: bool) -> str:
    """Return the name of the feature for a difference."""
    return f"differs: {rule}, {nature}{', one-sided' if one_sided else ''}"


# Cached, because one statement is compared with many.
@lru_cache(maxsize=4096)
def _denies(text: str) -> bool:
    return not _NEGATIONS.isdisjoint([token.folded for token in tokenize(text)[:_TOKENS]])


# Columns of `pair_pieces`, in `WIDTH`s.
PIECES = 4


def pair_pieces(newer: str, older: str) -> Features:
    """Return the words of two texts as hashed features: what only one has, what both have, and the frame.

    If just one stretch of a sentence differs, the rest of it (the frame) tells whether it has room for one
    value or for several: "the captain is …", "Dana knows …".
    """
    return side_by_side([*pieces_apart(newer, older), frame_features(frame_words(newer, older))])


def frame_words(newer: str, older: str) -> list[str]:
    """Return the stems around the one replaced stretch, with its position; none if not just one."""
    return [*_frame(align_texts(newer, older))]


def _frame(pair: Alignment) -> Iterator[str]:
    if len(pair.replaced) != 1 or not all(pair.replaced[0]):
        return
    filled = pair.replaced[0][0]
    place = "head" if filled[0] == pair.new[0] else "end" if filled[-1] == pair.new[-1] else "middle"
    yield from (f"{place} {token.stem}" for token in pair.new if token not in filled)


def cosine_features(cosine: float, shared: float) -> dict[str, float]:
    """Return the features of a cosine by the default model; `shared` is the share of common words, 0 to 1."""
    return {
        "cosine": cosine,
        "cosine squared": cosine * cosine,
        "cosine, high": max(0.0, cosine - 0.8) * 5,
        "cosine, low": max(0.0, 0.4 - cosine) * 3,
        "words less cosine": shared - cosine,
        "words by cosine": shared * cosine,
    }


def _unlike(new: Sequence[Token], old: Sequence[Token]) -> tuple[list[Token], list[Token]]:
    """Return both token lists without the words that both have in some form."""
    left, found = list(old), []
    # Only tokens with a common stem, or common first letters, can be forms of one word.
    known = {key for token in old for key in (token.stem, token.folded[:_COMMON])}
    for token in new:
        other = None
        stem, head = token.stem, token.folded[:_COMMON]
        if stem in known or head in known:
            near = (each for each in left if each.stem == stem or each.folded[:_COMMON] == head)
            other = next((each for each in near if _alike(token, each)), None)
        if other is None:
            found.append(token)
        else:
            left.remove(other)
    return found, left


def _alike(one: Token, other: Token) -> bool:
    if one.stem == other.stem:
        return True
    short, long = sorted((one.folded, other.folded), key=len)
    common = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return common >= max(_COMMON, _COMMON_PART * len(long))


def _content(tokens: Sequence[Token]) -> list[Token]:
    return [token for token in tokens if token.content]


def _number_of_content(tokens: Reading) -> int:
    return len(_content(tokens))


def _shared(pair: Alignment, only_new: Sequence[Token], only_old: Sequence[Token]) -> dict[str, float]:
    new, old = _content(only_new), _content(only_old)
    of_new, of_old = pair.new.once(_number_of_content), pair.old.once(_number_of_content)
    shared = of_new - len(new)
    one_for_one = len(new) == len(old) == 1
    names = sum(token.sort == "name" for token in pair.new) - sum(token.sort == "name" for token in only_new)
    return {
        "words shared": log1p(shared),
        # Names of people and places recur in all notes of one person, and tell little of a note's subject.
        "shared, no names": log1p(max(0, shared - names)),
        "names alone shared": float(0 < shared <= names),
        "words in common": shared / max(1, shared + len(new) + len(old)),
        "of the new shared": shared / max(1, of_new),
        "of the old shared": max(0, of_old - len(old)) / max(1, of_old),
        "only new": log1p(len(new)),
        "only old": log1p(len(old)),
        "none new": float(not new),
        "none old": float(not old),
        "none": float(not new and not old),
        "one for one": float(one_for_one),
        "one for one of its sort": float(one_for_one and new[0].sort == old[0].sort),
    }


def _by_sort(pair: Alignment, only_new: Sequence[Token], only_old: Sequence[Token]) -> dict[str, float]:
    sorts = [[t.sort for t in tokens] for tokens in (only_new, only_old, pair.new)]
    found: dict[str, float] = {}
    for sort in _SORTS:
        new, old, all_new = (each.count(sort) for each in sorts)
        if new or old or all_new:
            told = (new and old, new and not old, old and not new, all_new > new)
            found.update(
                zip(_OF_SORT[sort], [*map(float, map(bool, told)), log1p(min(new, old))], strict=True)
            )
    return found


def _by_place(pair: Alignment, only_new: Sequence[Token], only_old: Sequence[Token]) -> dict[str, float]:
    """Return features of where texts differ: the beginning is mostly the subject, the end the predicate."""
    new, old = _places(only_new, pair.new), _places(only_old, pair.old)
    head, tail = 0.0 in new and 0.0 in old, 1.0 in new and 1.0 in old
    replaced = [(bool(ours), bool(theirs)) for ours, theirs in pair.replaced]
    ours, theirs = pair.new.stems, pair.old.stems
    return {
        "head, new": float(0.0 in new),
        "head, old": float(0.0 in old),
        "head only": float(head and not tail),
        "tail only": float(tail and not head),
        "head and tail": float(head and tail),
        "mean place, new": sum(new) / len(new) if new else 0.5,
        "mean place, old": sum(old) / len(old) if old else 0.5,
        "stretches replaced": min(4, replaced.count((True, True))),
        "stretches added": min(4, replaced.count((True, False))),
        "stretches dropped": min(4, replaced.count((False, True))),
        "one stretch replaced": float(replaced == [(True, True)]),
        "same first word": float(ours[:1] == theirs[:1]),
        "same first two words": float(ours[:2] == theirs[:2]),
        "same last word": float(ours[-1:] == theirs[-1:]),
    }


def _places(some: Sequence[Token], tokens: Reading) -> list[float]:
    """Return the places of some tokens among the content of a statement, 0 to 1."""
    places = tokens.once(_places_of_content)
    return [places[token] for token in some if token in places]


def _places_of_content(tokens: Reading) -> dict[Token, float]:
    """Return the first place of each content token, 0 to 1."""
    content = _content(tokens)
    return {token: n / max(1, len(content) - 1) for n, token in reversed([*enumerate(content)])}


def _by_quantity(newer: str, older: str) -> dict[str, float]:
    ours, theirs = quantities(newer), quantities(older)
    found: dict[str, float] = {}
    # Most texts have neither.
    if ours.numbers or theirs.numbers:
        found |= _apart("number", _of_the_half_day(ours.numbers), _of_the_half_day(theirs.numbers))
    if ours.calendar or theirs.calendar:
        found |= _apart("day", ours.calendar, theirs.calendar)
    return found


def _apart(name: str, new: Set[object], old: Set[object]) -> dict[str, float]:
    return {
        f"{name} equal": float(bool(new) and new == old),
        f"{name} differs": float(bool(new and old) and not new & old),
        f"{name} in part": float(bool(new & old) and new != old),
        f"{name}, new only": float(bool(new and not old)),
        f"{name}, old only": float(bool(old and not new)),
    }


def _of_the_half_day(numbers: frozenset[float]) -> frozenset[object]:
    """Map hours to twelve-hour time (22 to 10), because "at ten" may be either; larger numbers stay."""
    return frozenset(each % 12 if 12 < each <= 24 else each for each in numbers)


def _letters_in_common(newer: str, older: str) -> float:
    new, old = _trigrams(newer), _trigrams(older)
    both = len(new & old)
    return both / max(1, len(new) + len(old) - both)


# Cached, because one statement is compared with many.
@lru_cache(maxsize=2048)
def _trigrams(text: str) -> frozenset[tuple[str, str, str]]:
    text = f" {fold_case(text)} "
    return frozenset(zip(text, text[1:], text[2:], strict=False))
