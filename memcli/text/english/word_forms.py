"""Word forms of English: spellings, stems, inflections and derivations of one word."""

from __future__ import annotations

import re
from functools import lru_cache

from memcli.text.english.literals import differ_by_tls

# Irregular British spellings, each with the American one, which is used for both.
_SPELLINGS = """
centre center theatre theater metre meter litre liter fibre fiber grey gray licence license defence defense
programme program catalogue catalog dialogue dialog tyre tire aluminium aluminum judgement judgment
practise practice cosy cozy maths math storey story towards toward learnt learned burnt burned mum mom
"""
_AMERICAN = dict(zip(_SPELLINGS.split()[::2], _SPELLINGS.split()[1::2], strict=True))
# "Colour", "behaviour", "odour"; not "four", "hours" and "poured", with fewer letters before "our".
_OUR = "^(?:[a-z]{3,}|od)our(?=$|s|e|i|a|h|f|l)"
_STEMS = {"using": "use", "used": "use", "uses": "use", "dying": "die", "lying": "lie", "having": "hav"}
# Pairs of endings of derivations with the same meaning: manage, management; allergic, allergy.
_MADE = [
    {"", "ment"}, {"", "ion"}, {"", "ation"}, {"", "ly"}, {"ic", "y"}, {"ical", "y"}, {"at", "ation"},
    {"iz", "ization"}, {"t", "c"},
]  # fmt: skip
_AGENT = ("er", "or")
_ROOT = 5
# Words of one root begin with at least so many equal letters: see `is_derivation`, `is_agent_of`.
ROOT_LETTERS = _ROOT - 1


def american_spelling(word: str) -> str:
    """Return a folded word in its American spelling: colour, color; organise, organize."""
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
    """Return an English word without its inflectional ending; rough, but equal for forms of one word."""
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
    """True if one of two folded words negates the other by a prefix or suffix: unlocked, locked."""
    short, long = sorted((one, other), key=len)
    if long.endswith(short) and len(short) > 3:
        return long.removesuffix(short) in _DENYING
    root = one.removesuffix("ful").removesuffix("less")
    return root != one and {one, other} == {f"{root}ful", f"{root}less"}


def denial_roots(word: str) -> set[str]:
    """Return keys of a folded word: two words of which one negates the other (`denies`) share one."""
    roots = {word, word.removesuffix("ful"), word.removesuffix("less")}
    if word.startswith(_DENYING):
        roots.update(word.removeprefix(each) for each in _DENYING)
    return roots


# Words in -s that are not the plural of the word without it.
_OWN_PLURALS = {
    "arms", "customs", "glasses", "goods", "manners", "means", "news", "odds", "pants", "savings", "shorts",
    "spirits",
}  # fmt: skip


# Cached: most texts use few different words.
@lru_cache(maxsize=8192)
def are_inflections(one: str, other: str) -> bool:
    """True if two folded words of one stem are forms of one word: plan, planned; but not plan, plane."""
    one, other = american_spelling(one), american_spelling(other)
    if differ_by_tls(one, other):
        return False
    if one == other or {one, other} <= _STEMS.keys() | {"use", "die", "lie"}:
        return True
    if not _OWN_PLURALS.isdisjoint((one, other)):
        return False
    return not _lemmas(one).isdisjoint(_lemmas(other))


def is_plural_of(one: str, other: str) -> bool:
    """True if one of two folded words is the plural of the other."""
    short, long = sorted((american_spelling(one), american_spelling(other)), key=len)
    return short != long and long.endswith("s") and not long.endswith("ss") and short in _lemmas(long)


def _lemmas(word: str) -> set[str]:
    """Return the words of which a word may be a form, itself included."""
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
            # "hoping" is a form of hope only, because hop doubles its p.
            found.add(root)
    if word.endswith("ll"):
        found.add(word[:-1])
    return found


def is_derivation(one: str, other: str) -> bool:
    """True if two stems are derivations of one word: manage, management; allergy, allergic."""
    if one[:_ROOT] != other[:_ROOT]:
        return False
    root, *ends = _root(one, other)
    return len(root) >= _ROOT and {*ends} in _MADE


def is_agent_of(one: str, other: str) -> bool:
    """True if `one` is the agent noun of the verb `other`: manager, manage."""
    if one[:ROOT_LETTERS] != other[:ROOT_LETTERS]:
        return False
    root, ours, theirs = _root(one, other)
    return len(root) >= ROOT_LETTERS and ours in _AGENT and not theirs


def _root(one: str, other: str) -> tuple[str, str, str]:
    """Return the common beginning of two words, and the rest of each."""
    size = next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    return one[:size], one[size:], other[size:]
