"""Two statements set against each other: what only one of them has, and what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from memcli.text.english.paraphrases import BEING, plainly_put, voice_relation
from memcli.text.english.tokens import MAX_TOKENS, Token, tokenize
from memcli.text.english.vocabulary import LIGHT, synonyms
from memcli.text.english.word_forms import ROOT_LETTERS, are_inflections, is_agent_of, is_derivation

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
    adds: bool = False
    """Only the new one says it."""


class Alignment:
    """Two readings against each other: what only one of them has, and what was put in whose place.

    Matched word by word only where somebody asks: that is slow for long texts.
    """

    def __init__(self, new: Sequence[Token], old: Sequence[Token]) -> None:
        self.new, self.old = new, old
        self.found: dict[int, Difference | None] = {}
        """What the rules that were asked have found, by their places: see `differences`."""

    @cached_property
    def _only(self) -> tuple[list[Token], list[Token]]:
        new, old = self.new, self.old
        ours, theirs = _without(_one_word, _unmatched(new, old), _unmatched(old, new), word_keys)
        return _without(_kin(new, old), ours, theirs, root_keys)

    @property
    def only_new(self) -> list[Token]:
        """What the old statement does not say."""
        return self._only[0]

    @property
    def only_old(self) -> list[Token]:
        """What the new statement does not say."""
        return self._only[1]

    @cached_property
    def voice(self) -> Literal["alike", "swapped"] | None:
        """Where one is the other in the passive voice: whether the same one does it."""
        return voice_relation(self.new, self.old)

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


def align(new: Sequence[Token], old: Sequence[Token]) -> Alignment:
    """Set two readings against each other: phrases put plainly, words by their stems."""
    return Alignment(*stems_told_apart(plainly_put(new), plainly_put(old)))


@lru_cache(maxsize=16)
def align_texts(new: str, old: str) -> Alignment:
    """Align two texts (of a long one its beginning); cached, as the same pair is often asked about again."""
    return Alignment(*stems_told_apart(_plain_reading(new), _plain_reading(old)))


# A statement is set against all that are like it.
@lru_cache(maxsize=4096)
def _plain_reading(text: str) -> Sequence[Token]:
    return plainly_put(tokenize(text)[:MAX_TOKENS])


def content_tokens(tokens: Iterable[Token]) -> list[Token]:
    """The tokens that tell something: no function words, and none that a statement says as much without."""
    return [t for t in tokens if t.content and not (t.sort == "word" and t.folded in LIGHT)]


def _unmatched(these: Sequence[Token], those: Sequence[Token]) -> list[Token]:
    """The tokens of `these` that `those` do not have, each as often as it is missing."""
    left = Counter([t.stem for t in those])
    found = []
    for token in these:
        if left.get(token.stem):
            left[token.stem] -= 1
        else:
            found.append(token)
    return found


def stems_told_apart(new: Sequence[Token], old: Sequence[Token]) -> tuple[list[Token], list[Token]]:
    """Two readings in which words of one stem that are no forms of one word have stems of their own.

    And a name has one stem, at the head of a sentence too, where it looks like a word ("Jonas owes Liv").
    """
    if names := {token.folded: token.stem for token in (*new, *old) if token.sort == "name"}:
        new, old = ([_stemmed_as_named(token, names) for token in tokens] for tokens in (new, old))
    # Most words of one statement have no form in the other.
    shared = {token.stem for token in new} & {token.stem for token in old}
    ours, theirs = _forms(new, shared), _forms(old, shared)
    return _own_stems(new, theirs), _own_stems(old, ours)


def _stemmed_as_named(token: Token, names: Mapping[str, str]) -> Token:
    stem = names.get(token.folded, token.stem)
    return token if stem == token.stem else token._replace(stem=stem)


def _forms(tokens: Iterable[Token], stems: Container[str]) -> dict[str, set[str]]:
    """The forms of words with these stems, by stem."""
    found: dict[str, set[str]] = {}
    for token in tokens:
        if token.stem in stems and _is_word(token):
            found.setdefault(token.stem, set()).add(token.folded)
    return found


def _own_stems(tokens: Sequence[Token], others: Mapping[str, set[str]]) -> list[Token]:
    return [
        token._replace(stem=f"={token.folded}")
        if token.stem in others and _is_word(token) and _is_another(token, others[token.stem])
        else token
        for token in tokens
    ]


def _is_word(token: Token) -> bool:
    return token.sort == "word"


def _is_another(token: Token, forms: Collection[str]) -> bool:
    """Whether a word is a form of no word that has these forms."""
    return token.folded not in forms and not any(are_inflections(token.folded, form) for form in forms)


def _without(
    same: Callable[[Token, Token], bool],
    ours: list[Token],
    theirs: list[Token],
    keys: Callable[[Token], frozenset[str]],
) -> tuple[list[Token], list[Token]]:
    """Without the tokens that have the `same` on the other side; only what shares a key may be."""
    theirs = list(theirs)
    known = frozenset[str]().union(*map(keys, theirs))
    left = []
    for token in ours:
        found = None
        if not known.isdisjoint(keys(token)):
            found = next((other for other in theirs if same(token, other)), None)
        if found is None:
            left.append(token)
        else:
            theirs.remove(found)
    return left, theirs


# People use few words most of the time.
@lru_cache(maxsize=8192)
def word_keys(token: Token) -> frozenset[str]:
    """Strings of which two tokens share one wherever `_one_word` takes them for one."""
    named = {token.folded, token.stem, token.shown, token.shown.strip("`")}
    return synonyms(token.folded) | synonyms(token.stem) | named


@lru_cache(maxsize=8192)
def root_keys(token: Token) -> frozenset[str]:
    """Strings of which two tokens share one wherever they are of one root, see `_kin`."""
    return frozenset({token.stem[:ROOT_LETTERS]} if token.sort == "word" and token.content else ())


def _one_word(one: Token, other: Token) -> bool:
    """Whether two words are one in two spellings, or mean one thing."""
    if "code" in (one.sort, other.sort):
        # "`ruff`", "ruff".
        return (
            one.sort != other.sort and other.shown == one.shown.strip("`")
        ) or one.shown == other.shown.strip("`")
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
            if is_agent_of(doer.stem, deed.stem):
                doers = content_tokens(new)[:1], content_tokens(old)[:1]
                return any(t.text in BEING for t in there) and doers[0][0].stem == doers[1][0].stem
        return is_derivation(one.stem, other.stem)

    return of_one_root


def as_written(tokens: Iterable[Token]) -> str:
    """The tokens as they are written."""
    return " ".join(token.shown for token in tokens)


def one_sided(rule: str, new: list[Token], old: list[Token], turns: bool = False) -> Difference:
    """What one side says and the other does not; where it `turns` the statement, another value."""
    words = f"+{as_written(new)}" if new else f"-{as_written(old)}"
    return Difference(
        "value" if turns else "more" if new else "less", rule, words, one_sided=True, adds=bool(new)
    )


def stand_for_each_other(pair: Alignment, new: list[Token], old: list[Token]) -> bool:
    """Whether of two sides some stand in each other's place."""
    return any(
        any(t in new for t in ours) and any(t in old for t in theirs) for ours, theirs in pair.replaced
    )


def says_more(pair: Alignment) -> bool:
    """Whether either says something that the other does not."""
    return bool(content_tokens((*pair.only_new, *pair.only_old)))


def shared_tokens(these: Sequence[Token], those: Sequence[Token]) -> list[Token]:
    """The tokens of `these` that `those` have as well, in order."""
    left = Counter([t.stem for t in those])
    found = []
    for token in these:
        if left.get(token.stem):
            left[token.stem] -= 1
            found.append(token)
    return found
