"""Forms of one English word: its spellings, its endings, and the words made from it."""

from __future__ import annotations

import re
from functools import lru_cache

from memcli.text.english.literals import differ_by_tls

# British spellings that no ending shows; the American ones stand for both.
_SPELLINGS = """
centre center theatre theater metre meter litre liter fibre fiber grey gray licence license defence defense
programme program catalogue catalog dialogue dialog tyre tire aluminium aluminum judgement judgment
practise practice cosy cozy maths math storey story towards toward learnt learned burnt burned mum mom
"""
_AMERICAN = dict(zip(_SPELLINGS.split()[::2], _SPELLINGS.split()[1::2], strict=True))
# "Colour", "behaviour", "odour"; "four", "hours" and "poured" have fewer letters before it.
_OUR = "^(?:[a-z]{3,}|od)our(?=$|s|e|i|a|h|f|l)"
_STEMS = {"using": "use", "used": "use", "uses": "use", "dying": "die", "lying": "lie", "having": "hav"}
# What makes another sort of word of the same meaning: manage, management; allergic, allergy.
_MADE = [
    {"", "ment"}, {"", "ion"}, {"", "ation"}, {"", "ly"}, {"ic", "y"}, {"ical", "y"}, {"at", "ation"},
    {"iz", "ization"}, {"t", "c"},
]  # fmt: skip
_AGENT = ("er", "or")
_ROOT = 5
# Words of one root begin with so many common letters: `is_derivation`, `is_agent_of`.
ROOT_LETTERS = _ROOT - 1


def american_spelling(word: str) -> str:
    """A folded word in its American spelling: colour, color; organise, organize."""
    if not word.isascii():
        return word
    if word in _AMERICAN:
        return _AMERICAN[word]
    if word.endswith("s") and word[:-1] in _AMERICAN:
        return _AMERICAN[word[:-1]] + "s"
    if "our" in word and (british := re.match(_OUR, word)):
        word = word[: british.end() - 2] + word[british.end() - 1 :]
    if "is" in word or "ys" in word:
        word = re.sub(r"(?<=[a-z]{3})([iy])s(?=(?:e|es|ed|er|ers|ing|ation|ations)$)", r"\1z", word)
    return word


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """An English word without its ending of number, person or form; rough, and alike for alike forms."""
    if len(word) <= 3 or not word.isascii():
        return american_spelling(word)
    word = american_spelling(word)
    if word in _STEMS:
        return _STEMS[word]
    for ending, put in (
        ("ies", "y"),
        ("sses", "ss"),
        ("shes", "sh"),
        ("ches", "ch"),
        ("xes", "x"),
        ("s", ""),
    ):
        if word.endswith(ending) and not word.endswith(("ss", "us", "is")):
            word = word.removesuffix(ending) + put
            break
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) > 2 and re.search("[aeiouy]", root):
            doubled = len(root) > 3 and root[-1] == root[-2] and root[-1] not in "sz"
            # "travelling", but "calling".
            return (root[:-1] if doubled and (root[-1] != "l" or len(root) > 5) else root).rstrip("e")
    if word.endswith("ll") and len(word) > 5:
        word = word[:-1]
    return word.rstrip("e") if len(word) > 3 else word


_DENYING = ("un", "dis", "in", "im", "ir", "il", "non", "de", "mis", "anti")


def denies(one: str, other: str) -> bool:
    """Whether of two folded words one denies the other by its first or last letters: unlocked, locked."""
    short, long = sorted((one, other), key=len)
    if long.endswith(short) and len(short) > 3:
        return long.removesuffix(short) in _DENYING
    root = one.removesuffix("ful").removesuffix("less")
    return root != one and {one, other} == {f"{root}ful", f"{root}less"}


def denial_roots(word: str) -> set[str]:
    """Strings of which two folded words share one wherever one denies the other: see `denies`."""
    roots = {word, word.removesuffix("ful"), word.removesuffix("less")}
    if word.startswith(_DENYING):
        roots.update(word.removeprefix(each) for each in _DENYING)
    return roots


# Their plural is another word.
_OWN_PLURALS = {
    "arms", "customs", "glasses", "goods", "manners", "means", "news", "odds", "pants", "savings", "shorts",
    "spirits",
}  # fmt: skip


# People use few words most of the time.
@lru_cache(maxsize=8192)
def are_inflections(one: str, other: str) -> bool:
    """Whether two folded words of one stem are forms of one word: plan, planned; but not plan, plane."""
    one, other = american_spelling(one), american_spelling(other)
    if differ_by_tls(one, other):
        return False
    if one == other or {one, other} <= _STEMS.keys() | {"use", "die", "lie"}:
        return True
    if not _OWN_PLURALS.isdisjoint((one, other)):
        return False
    return not _lemmas(one).isdisjoint(_lemmas(other))


def is_plural_of(one: str, other: str) -> bool:
    """Whether of two folded words one is the other with a plural's ending."""
    short, long = sorted((american_spelling(one), american_spelling(other)), key=len)
    return short != long and long.endswith("s") and not long.endswith("ss") and short in _lemmas(long)


def _lemmas(word: str) -> set[str]:
    """What a word may be a form of, itself among it."""
    found = {word}
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and re.search("[aeiouy]", word[:-1]):
        found.add(word[:-1])
        if word.endswith("ies"):
            found.add(word[:-3] + "y")
        if re.search("(?:[sxzo]|ch|sh)es$", word):
            found.add(word[:-2])
    if word.endswith("ied"):
        found.add(word[:-3] + "y")
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root == word or len(root) < 2:
            continue
        found.add(root + "e")
        if len(root) > 2 and root[-1] == root[-2]:
            found.update({root, root[:-1]})
        elif not re.fullmatch("[^aeiou]*[aeiou][^aeiouwxy]", root):
            # "hoping" is of hope: that of hop doubles its p.
            found.add(root)
    if word.endswith("ll"):
        found.add(word[:-1])
    return found


def is_derivation(one: str, other: str) -> bool:
    """Whether two stems are one word as another sort of word: manage, management; allergy, allergic."""
    if one[:_ROOT] != other[:_ROOT]:
        return False
    root, *ends = _root(one, other)
    return len(root) >= _ROOT and {*ends} in _MADE


def is_agent_of(one: str, other: str) -> bool:
    """Whether `one` is who does what `other` says: manager, manage."""
    if one[:ROOT_LETTERS] != other[:ROOT_LETTERS]:
        return False
    root, ours, theirs = _root(one, other)
    return len(root) >= ROOT_LETTERS and ours in _AGENT and not theirs


def _root(one: str, other: str) -> tuple[str, str, str]:
    """What two words begin with, and what each goes on with."""
    size = next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    return one[:size], one[size:], other[size:]
