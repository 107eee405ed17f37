"""What two statements say differently: the words that turn one into another.

The order of the rules is that of certainty; the first that holds is the
reason shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from memcli.write_policy.phrasing import BEING, coordinated, inverted, owners, plain, voices
from memcli.write_policy.tokens import Token
from memcli.write_policy.vocabulary import (
    APPROXIMATE,
    CALENDAR,
    LIGHT,
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
    synonyms,
)
from memcli.write_policy.word_forms import agent, made_from

_NOW = frozenset({"is", "am", "are"})
_HELPING = PRESENT - {"do", "does"}

# "value": the same thing has another value. "more", "less": the new one says more, or less.
Nature = Literal["value", "more", "less"]


class Difference(NamedTuple):
    """What differs: its nature, the rule that found it, and the words ("5 -> 7")."""

    nature: Nature
    rule: str
    words: str
    one_sided: bool = False
    """Only one of the two says it."""
    apart: bool = False
    """Both say something of the kind, but neither in the other's place."""


class Compared:
    """Two readings against each other: what only one of them has, and what was put in whose place.

    Matched word by word only where somebody asks: that is slow for long texts.
    """

    def __init__(self, new: Sequence[Token], old: Sequence[Token]) -> None:
        self.new, self.old = new, old

    @cached_property
    def _only(self) -> tuple[list[Token], list[Token]]:
        new, old = self.new, self.old
        ours, theirs = _without(_one_word, _unmatched(new, old), _unmatched(old, new))
        return _without(_kin(new, old), ours, theirs)

    @property
    def only_new(self) -> list[Token]:
        """What the old statement does not say."""
        return self._only[0]

    @property
    def only_old(self) -> list[Token]:
        """What the new statement does not say."""
        return self._only[1]

    @cached_property
    def replaced(self) -> list[tuple[list[Token], list[Token]]]:
        """Stretches of the new statement with those of the old one in their place."""
        # Most neighbours share too little to be asked.
        from difflib import SequenceMatcher

        news, olds = [t.stem for t in self.new], [t.stem for t in self.old]
        return [
            ([*self.new[a:b]], [*self.old[c:d]])
            for what, c, d, a, b in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes()
            if what != "equal"
        ]


def compared(new: Sequence[Token], old: Sequence[Token]) -> Compared:
    """Set two readings against each other: phrases put plainly, words by their stems."""
    new, old = plain(new), plain(old)
    return Compared(new, old)


def telling(tokens: Iterable[Token]) -> list[Token]:
    """The tokens that tell something: no function words, and none that a statement says as much without."""
    return [t for t in tokens if t.content and not (t.sort == "word" and t.folded in LIGHT)]


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


def _without(
    same: Callable[[Token, Token], bool], ours: list[Token], theirs: list[Token]
) -> tuple[list[Token], list[Token]]:
    """Without the tokens that have the `same` on the other side."""
    theirs = list(theirs)
    left = []
    for token in ours:
        found = next((other for other in theirs if same(token, other)), None)
        if found is None:
            left.append(token)
        else:
            theirs.remove(found)
    return left, theirs


def _one_word(one: Token, other: Token) -> bool:
    """Whether two words are one in two spellings, or mean one thing."""
    if one.folded == other.folded and (one.sort == other.sort == "name" or one.text == other.text):
        return True
    return other.folded in synonyms(one.folded) or other.stem in synonyms(one.stem)


def _kin(new: Sequence[Token], old: Sequence[Token]) -> Callable[[Token, Token], bool]:
    """Whether two words are of one root: "has an allergy", "is allergic"; "manages", "is the manager of"."""

    def of_one_root(one: Token, other: Token) -> bool:
        if not (one.sort == other.sort == "word" and one.content and other.content):
            return False
        # Who *has* a manager manages nothing.
        for doer, deed, there in ((one, other, new), (other, one, old)):
            if agent(doer.stem, deed.stem):
                doers = telling(new)[:1], telling(old)[:1]
                return any(t.text in BEING for t in there) and doers[0][0].stem == doers[1][0].stem
        return made_from(one.stem, other.stem)

    return of_one_root


def _said(tokens: Iterable[Token]) -> str:
    return " ".join(token.shown for token in tokens)


def _alone(rule: str, new: list[Token], old: list[Token], turns: bool = False) -> Difference:
    words = f"+{_said(new)}" if new else f"-{_said(old)}"
    return Difference("value" if turns else "more" if new else "less", rule, words, one_sided=True)


def _exact(
    rule: str, belongs: Callable[[Token], bool], *, turns: bool = False, vague: frozenset[str] = frozenset()
) -> _Rule:
    """Tokens of a class must be the same on both sides.

    One that stands on one side only is an addition, or, where it `turns` the
    statement, another value; but a `vague` one is nothing.
    """

    def found(pair: Compared) -> Difference | None:
        new = [token for token in pair.only_new if belongs(token)]
        old = [token for token in pair.only_old if belongs(token)]
        new, old = _but(vague, new, old), _but(vague, old, new)
        if new and old:
            return Difference(
                "value", rule, f"{_said(old)} -> {_said(new)}", apart=not _faced(pair, new, old)
            )
        return _alone(rule, new, old, turns) if new or old else None

    return found


def _but(vague: frozenset[str], these: list[Token], those: list[Token]) -> list[Token]:
    """Without vague words where the other side has none in their place."""
    if any(token.shown.casefold() in vague for token in those):
        return these
    return [token for token in these if token.shown.casefold() not in vague]


def _faced(pair: Compared, new: list[Token], old: list[Token]) -> bool:
    """Whether of two sides some stand in each other's place."""
    return any(
        any(t in new for t in ours) and any(t in old for t in theirs) for ours, theirs in pair.replaced
    )


def _within(words: Iterable[str]) -> Callable[[Token], bool]:
    members = frozenset(words)
    return lambda token: token.sort != "name" and token.folded in members


def _is_date(token: Token) -> bool:
    return token.folded in CALENDAR or (token.sort == "name" and token.text == "may")


def _opposite(pair: Compared) -> Difference | None:
    for new in pair.only_new:
        for old in pair.only_old:
            if old.folded in opposites(new.folded) or old.stem in opposites(new.stem):
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
    # "I owe her", "she owes me".
    for one, other in ((pair.new, pair.old), (pair.old, pair.new)):
        does = {SUBJECT[t.text] for t in one if t.text in SUBJECT}
        suffers = {OBJECT[t.text] for t in other if t.text in OBJECT}
        if (does & suffers) - {SUBJECT[t.text] for t in other if t.text in SUBJECT} and not _brings(pair):
            return Difference("value", "order", f"{_said(pair.old)} -> {_said(pair.new)}")
    return None


def _brings(pair: Compared) -> bool:
    """Whether either says something that the other does not."""
    return bool(telling((*pair.only_new, *pair.only_old)))


def _joined(pair: Compared) -> Difference | None:
    """`and` for `or`."""
    new, old = ([t for t in only if t.text in ("and", "or")] for only in (pair.only_new, pair.only_old))
    if new and old and not _brings(pair):
        return Difference("value", "relation", f"{old[0].shown} -> {new[0].shown}")
    return None


def _tense(pair: Compared) -> Difference | None:
    """`was` for `is`, `lived` for `lives`."""
    if voices(pair.new, pair.old):
        return None
    past, present = _within(PAST), _within(PRESENT)
    for new in pair.only_new:
        for old in pair.only_old:
            if (past(new) and present(old)) or (present(new) and past(old)):
                return Difference("value", "tense", f"{old.shown} -> {new.shown}")
    done = {t.stem: t for t in pair.new if t.text.endswith("ed")}
    for verb in (_perfect(pair.new) ^ _perfect(pair.old)) & done.keys():
        if any(t.stem == verb and t.text.endswith("ed") for t in pair.old):
            perfect = f"has {done[verb].shown}"
            now_perfect = verb in _perfect(pair.new)
            words = (done[verb].shown, perfect) if now_perfect else (perfect, done[verb].shown)
            return Difference("value", "tense", " -> ".join(words))
    for here, there, ours in ((pair.new, pair.old, True), (pair.old, pair.new, False)):
        forms = {t.stem for t in there if t.text.endswith("ed")}
        lasting = any(t.text in _NOW for t in there)
        for token in here:
            if token.sort == "word" and token.text.endswith("ed") and token.stem not in forms:
                other = next((t for t in there if t.stem == token.stem and t.text != token.text), None)
                if other and (lasting or not other.text.endswith("ing")):
                    shown = (other.shown, token.shown) if ours else (token.shown, other.shown)
                    return Difference("value", "tense", " -> ".join(shown))
    return None


def _perfect(tokens: Sequence[Token]) -> set[str]:
    """What somebody has done, and not just did: by stem."""
    return {
        token.stem
        for place, token in enumerate(tokens)
        if token.text.endswith("ed")
        and any(t.text in ("have", "has") for t in tokens[max(0, place - 2) : place])
    }


def _order(pair: Compared) -> Difference | None:
    """The same words with other roles: "Ann likes Bob", "Bob likes Ann"; "Ann's boss", "Bob's boss"."""
    if telling((*pair.only_new, *pair.only_old)):
        return None
    ours, theirs = owners(pair.new), owners(pair.old)
    mine, yours = ours.keys() - theirs.keys(), theirs.keys() - ours.keys()
    if mine and yours:
        return Difference("value", "order", f"{theirs[min(yours)].shown} -> {ours[min(mine)].shown}")
    voice = voices(pair.new, pair.old)
    if voice == "swapped":
        return Difference("value", "order", f"{_said(pair.old)} -> {_said(pair.new)}")
    if voice == "alike" or inverted(pair.new, pair.old):
        return None
    moved, before = _moved(pair)
    if not moved or _moves_freely(moved, before, of=len(ours) != len(theirs) and _belonging(pair)):
        return None
    return Difference("value", "order", f"{_said(before)} -> {_said(moved)}")


def _moved(pair: Compared) -> tuple[list[Token], list[Token]]:
    """The shared words without those that begin and end both statements: as now, as before."""
    new, old = _shared(pair.new, pair.old), _shared(pair.old, pair.new)
    while new and old and new[0].stem == old[0].stem:
        new, old = new[1:], old[1:]
    while new and old and new[-1].stem == old[-1].stem:
        new, old = new[:-1], old[:-1]
    return new, old


def _moves_freely(moved: list[Token], before: list[Token], of: bool) -> bool:
    """Whether a block only stands elsewhere ("if it rains, we stay", "we stay if it rains").

    That changes nothing, unless two of a sort changed places; which two may
    where "and" joins them, or, with `of`, where one belongs to the other.
    """
    now, then = [t.stem for t in moved], [t.stem for t in before]
    if coordinated(now, then):
        return True
    cut = next((n for n in range(1, len(then)) if then[n:] + then[:n] == now), None)
    return cut is not None and (len(then) != 2 or of or before[0].sort != before[1].sort)


def _belonging(pair: Compared) -> bool:
    """Whether one of two says "the deadline of the project" where the other may say "the project's"."""
    return any(token.text in ("of", "for") for token in (*pair.new, *pair.old))


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
            after = next((t for t in tokens[place + 1 :] if t.content or t.text in _HELPING), None)
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
    # "Uses" in the place of "hates" is another value, "uses" in the place of "has" is not.
    if not (new and old and telling((*new, *old))):
        return None
    places = [(ours, theirs) for ours, theirs in pair.replaced if any(t.content for t in (*ours, *theirs))]
    if len(places) == 1:
        return Difference("value", "slot", f"{_said(old)} -> {_said(new)}")
    return None


def _addition(pair: Compared) -> Difference | None:
    new, old = telling(pair.only_new), telling(pair.only_old)
    if bool(new) != bool(old):
        return _alone("addition", new, old)
    return None


_Rule = Callable[[Compared], Difference | None]
_RULES: tuple[_Rule, ...] = (
    _exact("number", lambda token: token.sort == "number", vague=frozenset({"one"})),
    _exact("negation", _within(NEGATION), turns=True),
    _scope,
    _opposite,
    _exact("calendar", _is_date),
    _exact("unit", _within(UNIT), turns=True),
    _exact("name", lambda token: token.sort == "name", vague=TITLES),
    _exact("modal", _within(MODAL), turns=True),
    _exact("quantity", _within(QUANTITY), turns=True, vague=APPROXIMATE),
    _exact("relation", _within(RELATION), turns=True),
    _exact("sign", lambda token: token.sort == "sign", turns=True),
    _joined,
    _person,
    _tense,
    _order,
    _slot,
    _addition,
)
