"""What two statements say differently: the words that turn one into another.

The order of the rules is that of certainty; the first that holds is the
reason shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from memcli.write_policy.tokens import Token
from memcli.write_policy.vocabulary import (
    CALENDAR,
    HAVE_OPPOSITE,
    HAVE_SYNONYM,
    MODAL,
    NEGATION,
    OPPOSITES,
    PAST,
    PERSON,
    PRESENT,
    QUANTITY,
    RELATION,
    SYNONYMS,
    UNIT,
)

_BEING = PRESENT - {"do", "does"}

# "value": the same thing has another value. "more", "less": the new one says more, or less.
Nature = Literal["value", "more", "less"]


class Difference(NamedTuple):
    """What differs: its nature, the rule that found it, and the words ("5 -> 7")."""

    nature: Nature
    rule: str
    words: str
    one_sided: bool = False
    """Only one of the two says it."""


class Compared(NamedTuple):
    """Two readings against each other: what only one of them has, and what was put in whose place."""

    new: Sequence[Token]
    old: Sequence[Token]
    only_new: list[Token]
    only_old: list[Token]
    replaced: list[tuple[list[Token], list[Token]]]
    """Stretches of the new statement with those of the old one in their place."""


def compared(new: Sequence[Token], old: Sequence[Token]) -> Compared:
    """Set two readings against each other, words by their stems."""
    news, olds = [t.stem for t in new], [t.stem for t in old]
    only_new, only_old = _unmatched(new, old), _unmatched(old, new)
    replaced = [
        ([*new[a:b]], [*old[c:d]])
        for what, c, d, a, b in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes()
        if what != "equal"
    ]
    return Compared(new, old, *_without_synonyms(only_new, only_old), replaced)


def differences(pair: Compared) -> Iterator[Difference]:
    """What the two say differently, the most certain first; nothing where they only word it differently."""
    for rule in _RULES:
        if found := rule(pair):
            yield found


def _unmatched(these: Sequence[Token], those: Sequence[Token]) -> list[Token]:
    """The tokens of `these` that `those` do not have, each as often as it is missing."""
    left = Counter(t.stem for t in those)
    found = []
    for token in these:
        if left[token.stem] > 0:
            left[token.stem] -= 1
        else:
            found.append(token)
    return found


def _without_synonyms(ours: list[Token], theirs: list[Token]) -> tuple[list[Token], list[Token]]:
    theirs = list(theirs)
    left = []
    for token in ours:
        same = next((other for other in theirs if _one_word(token, other)), None)
        if same is None:
            left.append(token)
        else:
            theirs.remove(same)
    return left, theirs


def _one_word(one: Token, other: Token) -> bool:
    """Whether two words are one in two spellings, or mean one thing."""
    if one.folded == other.folded and (one.sort == other.sort == "name" or one.text == other.text):
        return True
    return _pair_in(SYNONYMS, HAVE_SYNONYM, one, other)


def _pair_in(pairs: frozenset[frozenset[str]], known: frozenset[str], one: Token, other: Token) -> bool:
    for a, b in ((one.folded, other.folded), (one.stem, other.stem)):
        if a in known and b in known and frozenset((a, b)) in pairs:
            return True
    return False


def _said(tokens: Iterable[Token]) -> str:
    return " ".join(token.shown for token in tokens)


def _alone(rule: str, new: list[Token], old: list[Token], turns: bool = False) -> Difference:
    words = f"+{_said(new)}" if new else f"-{_said(old)}"
    return Difference("value" if turns else "more" if new else "less", rule, words, one_sided=True)


def _exact(rule: str, belongs: Callable[[Token], bool], *, turns: bool = False) -> _Rule:
    """Tokens of a class must be the same on both sides.

    One that stands on one side only is an addition, or, where it `turns` the
    statement, another value.
    """

    def found(pair: Compared) -> Difference | None:
        new = [token for token in pair.only_new if belongs(token)]
        old = [token for token in pair.only_old if belongs(token)]
        if new and old:
            return Difference("value", rule, f"{_said(old)} -> {_said(new)}")
        if new or old:
            return _alone(rule, new, old, turns)
        return None

    return found


def _within(words: Iterable[str]) -> Callable[[Token], bool]:
    members = frozenset(words)
    return lambda token: token.sort != "name" and token.folded in members


def _is_date(token: Token) -> bool:
    return token.folded in CALENDAR or (token.sort == "name" and token.text == "may")


def _opposite(pair: Compared) -> Difference | None:
    for new in pair.only_new:
        for old in pair.only_old:
            if _pair_in(OPPOSITES, HAVE_OPPOSITE, new, old):
                return Difference("value", "opposite", f"{old.shown} -> {new.shown}")
    return None


def _person(pair: Compared) -> Difference | None:
    """Somebody else's: `my` and `your`; that both say `I` more or less often says nothing."""

    def persons(tokens: Sequence[Token]) -> dict[str, str]:
        return {PERSON[t.text]: t.shown for t in tokens if t.sort != "name" and t.text in PERSON}

    new, old = persons(pair.new), persons(pair.old)
    ours, theirs = new.keys() - old.keys(), old.keys() - new.keys()
    if ours and theirs:
        return Difference("value", "person", f"{old[min(theirs)]} -> {new[min(ours)]}")
    return None


def _tense(pair: Compared) -> Difference | None:
    """`was` for `is`, `lived` for `lives`."""
    past, present = _within(PAST), _within(PRESENT)
    for new in pair.only_new:
        for old in pair.only_old:
            if (past(new) and present(old)) or (present(new) and past(old)):
                return Difference("value", "tense", f"{old.shown} -> {new.shown}")
    forms = Counter(t.stem for t in pair.old if t.text.endswith("ed"))
    for token in pair.new:
        if token.sort == "word" and token.text.endswith("ed") and not forms[token.stem]:
            other = next((t for t in pair.old if t.stem == token.stem and t.text != token.text), None)
            if other and not other.text.endswith("ing"):
                return Difference("value", "tense", f"{other.shown} -> {token.shown}")
    return None


def _order(pair: Compared) -> Difference | None:
    """The same words with other roles: "Ann likes Bob", "Bob likes Ann".

    A block that only stands elsewhere ("if it rains, we stay" / "we stay if it
    rains") changes nothing, unless two of a sort changed places.
    """
    if any(token.content for token in (*pair.only_new, *pair.only_old)):
        return None
    new, old = _shared(pair.new, pair.old), _shared(pair.old, pair.new)
    a, b = [t.stem for t in new], [t.stem for t in old]
    if a == b or not a:
        return None
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
    end = next((i for i, (x, y) in enumerate(zip(a[::-1], b[::-1], strict=False)) if x != y), 0)
    middle, moved = b[start : len(b) - end], a[start : len(a) - end]
    for cut in range(1, len(middle)):
        if middle[cut:] + middle[:cut] == moved:
            first, second = old[start : start + cut], old[start + cut : len(b) - end]
            if not (len(first) == len(second) == 1 and first[0].sort == second[0].sort):
                return None
    return Difference(
        "value", "order", f"{_said(old[start : len(b) - end])} -> {_said(new[start : len(a) - end])}"
    )


def _scope(pair: Compared) -> Difference | None:
    """A negation that moved: "the problem isn't who has money", "… is who doesn't have money"."""
    new, old = _negated(pair.new), _negated(pair.old)
    if new and old and new.keys() != old.keys() and new.keys() <= {t.stem for t in pair.old}:
        return Difference("value", "negation", f"not {_said(old.values())} -> not {_said(new.values())}")
    return None


def _negated(tokens: Sequence[Token]) -> dict[str, Token]:
    """The words that stand after a negation, auxiliaries left out."""
    found = {}
    for place, token in enumerate(tokens):
        if token.sort != "name" and token.folded in NEGATION:
            after = next((t for t in tokens[place + 1 :] if t.content or t.text in _BEING), None)
            if after:
                found[after.stem] = after
    return found


def _shared(these: Sequence[Token], those: Sequence[Token]) -> list[Token]:
    """The tokens of `these` that `those` have as well, in order."""
    left = Counter(t.stem for t in those)
    found = []
    for token in these:
        if left[token.stem] > 0:
            left[token.stem] -= 1
            found.append(token)
    return found


def _slot(pair: Compared) -> Difference | None:
    """One word stands in another's place, and all the rest is the same: another value."""
    new = [t for t in pair.only_new if t.content]
    old = [t for t in pair.only_old if t.content]
    if not (new and old):
        return None
    places = [(ours, theirs) for ours, theirs in pair.replaced if any(t.content for t in (*ours, *theirs))]
    if len(places) == 1:
        return Difference("value", "slot", f"{_said(old)} -> {_said(new)}")
    return None


def _addition(pair: Compared) -> Difference | None:
    new = [t for t in pair.only_new if t.content]
    old = [t for t in pair.only_old if t.content]
    if bool(new) != bool(old):
        return _alone("addition", new, old)
    return None


_Rule = Callable[[Compared], Difference | None]
_RULES: tuple[_Rule, ...] = (
    _exact("number", lambda token: token.sort == "number"),
    _exact("negation", _within(NEGATION), turns=True),
    _scope,
    _opposite,
    _exact("calendar", _is_date),
    _exact("unit", _within(UNIT), turns=True),
    _exact("name", lambda token: token.sort == "name"),
    _exact("modal", _within(MODAL), turns=True),
    _exact("quantity", _within(QUANTITY), turns=True),
    _exact("relation", _within(RELATION), turns=True),
    _exact("sign", lambda token: token.sort == "sign", turns=True),
    _person,
    _tense,
    _order,
    _slot,
    _addition,
)
