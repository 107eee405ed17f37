"""Differences of two statements: the words that turn one into the other, found by a list of rules.

The rules are ordered by certainty; the first that applies gives the reason that is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import chain

from memcli.text.comparison.alignment import (
    Alignment,
    Difference,
    as_written,
    one_sided,
    says_more,
    stand_for_each_other,
)
from memcli.text.comparison.function_words import (
    foreign_word_difference,
    number_difference,
    preposition_difference,
)
from memcli.text.comparison.reading import Reading, content_tokens
from memcli.text.comparison.word_order import order_difference
from memcli.text.english.literals import differ_by_tls
from memcli.text.english.tokens import Token
from memcli.text.english.vocabulary import (
    APPROXIMATE,
    CALENDAR,
    MODAL,
    NEGATION,
    OBJECT,
    PAST,
    PERSON,
    PRESENT,
    QUANTITY,
    RELATION,
    SUBJECT,
    TITLES,
    UNIT,
    opposites,
)
from memcli.text.english.word_forms import denial_roots, denies

_Rule = Callable[[Alignment], Difference | None]
# A class of tokens: a predicate that is true of its members.
_Class = Callable[[Token], bool]
_NOW = frozenset({"is", "am", "are"})
_HELPING = PRESENT - {"do", "does"}


def differences(pair: Alignment) -> Iterator[Difference]:
    """Yield the differences of a pair, the most certain first; none if the two only differ in wording."""
    # Results are kept in the pair, because verdict and judgement of one pair both ask for them.
    told, found = 0, pair.found
    rules = pair.once(_rules)
    while True:
        while told < len(found):
            yield found[told]
            told += 1
        if pair.asked == len(rules):
            return
        rule = rules[pair.asked]
        pair.asked += 1
        if each := rule(pair):
            found.append(each)


def _exact(rule: str, belongs: _Class, *, turns: bool = False, vague: frozenset[str] = frozenset()) -> _Rule:
    """Return a rule: tokens of a class must be the same on both sides.

    Tokens on one side only are an addition, or, with `turns`, another value; `vague` ones do not count.
    """

    def found(pair: Alignment) -> Difference | None:
        ours, theirs = pair.once(_by_class)
        new, old = ours.get(belongs, []), theirs.get(belongs, [])
        if vague:
            new, old = _but(vague, new, old), _but(vague, old, new)
        if new and old:
            return Difference(
                "value",
                rule,
                f"{as_written(old)} -> {as_written(new)}",
                apart=not stand_for_each_other(pair, new, old),
            )
        return one_sided(rule, new, old, turns) if new or old else None

    _CLASS_OF[found] = belongs
    return found


# The class of tokens that a rule concerns, for rules of one class alone.
_CLASS_OF: dict[_Rule, _Class] = {}


def _by_class(pair: Alignment) -> tuple[dict[_Class, list[Token]], dict[_Class, list[Token]]]:
    """Return, by class, the tokens that only the new, and that only the old statement has."""
    return _classed(pair.only_new), _classed(pair.only_old)


def _classed(tokens: Iterable[Token]) -> dict[_Class, list[Token]]:
    found: dict[_Class, list[Token]] = {}
    for token in tokens:
        for each in _classes(token):
            found.setdefault(each, []).append(token)
    return found


# Cached: most texts use few different words.
@lru_cache(maxsize=8192)
def _classes(token: Token) -> tuple[_Class, ...]:
    return tuple(belongs for belongs in (*_CLASS_OF.values(), _is_past, _is_present) if belongs(token))


def _but(vague: frozenset[str], these: list[Token], those: list[Token]) -> list[Token]:
    """Return the tokens without vague words, unless the other side has one, too."""
    if any(token.shown.casefold() in vague for token in those):
        return these
    return [token for token in these if token.shown.casefold() not in vague]


def _within(words: Iterable[str]) -> _Class:
    members = frozenset(words)
    return lambda token: token.sort != "name" and token.folded in members


_is_past, _is_present = _within(PAST), _within(PRESENT)


def _is_date(token: Token) -> bool:
    return token.folded in CALENDAR or (token.sort == "name" and token.text == "may")


def _opposite(pair: Alignment) -> Difference | None:
    keys = [*map(_opposite_keys, pair.only_old)]
    there = frozenset().union(*keys)
    for new in pair.only_new:
        ours = _opposite_keys(new)
        if there.isdisjoint(ours):
            continue
        for old, theirs in zip(pair.only_old, keys, strict=True):
            if ours.isdisjoint(theirs):
                continue
            if differ_by_tls(old.folded, new.folded) or (
                _against(old, new) and not _hyphened(new, old, pair)
            ):
                return Difference("value", "opposite", f"{old.shown} -> {new.shown}")
    return None


@lru_cache(maxsize=8192)
def _opposite_keys(token: Token) -> frozenset[str]:
    """Return the keys of a token: two tokens of opposite meaning share at least one of them."""
    found = {token.folded.removesuffix("s")}
    for word in (token.folded, token.stem):
        found |= denial_roots(word) | opposites(word)
    return frozenset(found)


def _against(one: Token, other: Token) -> bool:
    if other.folded in opposites(one.folded) or other.stem in opposites(one.stem):
        return True
    return one.sort == other.sort == "word" and (
        denies(one.folded, other.folded) or denies(one.stem, other.stem)
    )


def _hyphened(one: Token, other: Token, pair: Alignment) -> bool:
    """True if the shorter word follows the longer one's prefix as a word: "non-binding", "nonbinding"."""
    short, long = sorted((one.folded, other.folded), key=len)
    start = long.removesuffix(short)
    return start != long and any(t.text == start for t in (*pair.only_new, *pair.only_old))


def _person(pair: Alignment) -> Difference | None:
    """Find another person: `my` for `your`, or roles exchanged; how often both say `I` does not matter."""
    new, old = pair.new.once(_persons), pair.old.once(_persons)
    ours, theirs = new.keys() - old.keys(), old.keys() - new.keys()
    if ours and theirs:
        return Difference("value", "person", f"{old[min(theirs)]} -> {new[min(ours)]}")
    # "I owe her", "she owes me".
    for one, other in ((pair.new, pair.old), (pair.old, pair.new)):
        does, suffers = one.once(_doing), other.once(_suffering)
        if (does & suffers) - other.once(_doing) and not says_more(pair):
            return Difference("value", "order", f"{as_written(pair.old)} -> {as_written(pair.new)}")
    return None


def _persons(tokens: Reading) -> Mapping[str, str]:
    if PERSON.keys().isdisjoint(tokens.texts):
        return {}
    return {PERSON[t.text]: t.shown for t in tokens if t.sort != "name" and t.text in PERSON}


def _doing(tokens: Reading) -> set[str]:
    return {SUBJECT[text] for text in SUBJECT.keys() & tokens.texts}


def _suffering(tokens: Reading) -> set[str]:
    return {OBJECT[text] for text in OBJECT.keys() & tokens.texts}


def _is_joint(token: Token) -> bool:
    return token.text in ("and", "or")


def _joined(pair: Alignment) -> Difference | None:
    """Find `and` for `or`."""
    ours, theirs = pair.once(_by_class)
    new, old = ours.get(_is_joint), theirs.get(_is_joint)
    if new and old and not says_more(pair):
        return Difference("value", "relation", f"{old[0].shown} -> {new[0].shown}")
    return None


def _tense(pair: Alignment) -> Difference | None:
    """Find another tense: `was` for `is`, `lived` for `lives`, `has lived` for `lived`."""
    if pair.voice:
        return None
    if found := _past_for_present(pair):
        return found
    new, old = pair.new.once(_in_ed), pair.old.once(_in_ed)
    return _perfect_for_past(pair, new, old) or _past_for_any(pair, new, old) if new or old else None


def _past_for_present(pair: Alignment) -> Difference | None:
    """Find a word of one tense that only one has, with a word of the other tense that only the other has."""
    ours, theirs = pair.once(_by_class)
    # Most words have no tense.
    if not ((_is_past in ours and _is_present in theirs) or (_is_present in ours and _is_past in theirs)):
        return None
    told = [(old, _is_past(old), _is_present(old)) for old in pair.only_old]
    told = [each for each in told if each[1] or each[2]]
    for new in pair.only_new if told else ():
        was, is_now = _is_past(new), _is_present(new)
        for old, old_was, old_is_now in told:
            if (was and old_is_now) or (is_now and old_was):
                return Difference("value", "tense", f"{old.shown} -> {new.shown}")
    return None


def _perfect_for_past(pair: Alignment, new: Sequence[Token], old: Sequence[Token]) -> Difference | None:
    """Find a verb in `-ed` that both have, only one of them after `has`."""
    shown = {token.stem: token.shown for token in new}
    if not (both := shown.keys() & {token.stem for token in old}):
        return None
    now_has, had = pair.new.once(_perfect), pair.old.once(_perfect)
    for verb in both:
        if verb in now_has and verb not in had:
            return Difference("value", "tense", f"{shown[verb]} -> has {shown[verb]}")
        if verb in had and verb not in now_has:
            return Difference("value", "tense", f"has {shown[verb]} -> {shown[verb]}")
    return None


def _past_for_any(pair: Alignment, new: Sequence[Token], old: Sequence[Token]) -> Difference | None:
    """Find a verb in `-ed` that the other has in another form."""
    if found := _other_form(new, pair.old, {token.stem for token in old}):
        now, before = found
        return Difference("value", "tense", f"{before.shown} -> {now.shown}")
    if found := _other_form(old, pair.new, {token.stem for token in new}):
        before, now = found
        return Difference("value", "tense", f"{before.shown} -> {now.shown}")
    return None


def _other_form(
    past: Sequence[Token], others: Sequence[Token], others_past: Set[str]
) -> tuple[Token, Token] | None:
    """Return the first verb in `-ed` that `others` have in another form only, and that form."""
    for token in past:
        if token.sort == "word" and token.stem not in others_past:
            other = next((t for t in others if t.stem == token.stem and t.text != token.text), None)
            if other and (not other.text.endswith("ing") or any(t.text in _NOW for t in others)):
                return token, other
    return None


def _in_ed(tokens: Reading) -> list[Token]:
    return [token for token in tokens if token.text.endswith("ed")]


def _perfect(tokens: Reading) -> set[str]:
    """Return the stems of verbs in the present perfect."""
    return {
        token.stem
        for place, token in enumerate(tokens)
        if token.text.endswith("ed")
        and any(t.text in ("have", "has") for t in tokens[max(0, place - 2) : place])
    }


def _scope(pair: Alignment) -> Difference | None:
    """Find a negation that moved: "the problem isn't who has money", "… is who doesn't have money"."""
    new, old = pair.new.once(_negated), pair.old.once(_negated)
    if new and old and new.keys() != old.keys() and new.keys() <= {t.stem for t in pair.old}:
        return Difference(
            "value", "negation", f"not {as_written(old.values())} -> not {as_written(new.values())}"
        )
    return None


def _negated(tokens: Reading) -> dict[str, Token]:
    """Return the words that follow a negation, auxiliaries skipped, by stem."""
    found: dict[str, Token] = {}
    if NEGATION.isdisjoint(tokens.folded):
        return found
    for place, token in enumerate(tokens):
        if token.sort != "name" and token.folded in NEGATION:
            after = next((t for t in tokens[place + 1 :] if t.content or t.text in _HELPING), None)
            if after:
                found[after.stem] = after
    return found


def _slot(pair: Alignment) -> Difference | None:
    """Find the one word in which the two differ: another value."""
    # "Uses" for "hates" is another value, "uses" for "has" is not.
    if not says_more(pair):
        return None
    new = [t for t in pair.only_new if t.content]
    old = [t for t in pair.only_old if t.content]
    if not (new and old):
        return None
    places = [(ours, theirs) for ours, theirs in pair.replaced if any(t.content for t in (*ours, *theirs))]
    if len(places) == 1:
        return Difference("value", "slot", f"{as_written(old)} -> {as_written(new)}")
    return None


def _in_place(pair: Alignment) -> Difference | None:
    """Find content words that replaced others with another meaning: "windmill", "lighthouse".

    However different the wording is otherwise. A word that only moved counts if it alone replaced another.
    """
    for ours, theirs in pair.replaced:
        new, old = content_tokens(ours), content_tokens(theirs)
        if len(new) != 1 or len(old) != 1 or not pair.only_new or not pair.only_old:
            new = [token for token in new if token in pair.only_new]
            old = [token for token in old if token in pair.only_old]
        elif new[0] not in pair.only_new and old[0] not in pair.only_old:
            continue
        if new and old:
            return Difference("more", "in place", f"{as_written(old)} -> {as_written(new)}")
    return None


def _addition(pair: Alignment) -> Difference | None:
    new, old = pair.telling_new, pair.telling_old
    if bool(new) != bool(old):
        return one_sided("addition", new, old)
    return None


_RULES: tuple[_Rule, ...] = (
    _exact("number", lambda token: token.sort == "number", vague=frozenset({"one"})),
    _exact("negation", _within(NEGATION), turns=True),
    _scope,
    _opposite,
    _exact("calendar", _is_date),
    _exact("unit", _within(UNIT), turns=True),
    _exact("literal", lambda token: token.sort == "code", turns=True),
    _exact("name", lambda token: token.sort == "name", vague=TITLES),
    _exact("modal", _within(MODAL), turns=True),
    _exact("quantity", _within(QUANTITY), turns=True, vague=APPROXIMATE),
    _exact("relation", _within(RELATION), turns=True),
    _exact("sign", lambda token: token.sort == "sign", turns=True),
    preposition_difference,
    foreign_word_difference,
    number_difference,
    _joined,
    _person,
    _tense,
    order_difference,
    _slot,
    _in_place,
    _addition,
)


# The rule `_joined` looks at conjunctions by itself.
_CLASS_OF[_joined] = _is_joint


def _rules(pair: Alignment) -> Sequence[_Rule]:
    return _rules_of(frozenset(chain(*pair.once(_by_class))))


# Cached: in most pairs few classes of words differ, and mostly the same.
@lru_cache(maxsize=1024)
def _rules_of(classes: frozenset[_Class]) -> Sequence[_Rule]:
    """Return the rules, in order, that may find something if tokens of these classes differ."""
    return [rule for rule in _RULES if _CLASS_OF.get(rule) in (None, *classes)]
