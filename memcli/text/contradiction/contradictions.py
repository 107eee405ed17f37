"""Which of two statements may have overtaken the other: by meaning and form, without an LLM.

What is found is said, never acted upon. Knowledge of the world is out of
reach: that a vegetarian eats no steak is in neither text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from memcli.text.comparison.alignment import Alignment, Difference, align_texts, content_tokens
from memcli.text.comparison.differences import differences
from memcli.text.comparison.duplicates import BRIEF, is_question
from memcli.text.contradiction.claims import overtaken_claim
from memcli.text.contradiction.subjects import (
    hold_beside_each_other,
    is_attributive,
    is_label,
    one_place,
    other_subject,
    tell_of_events,
)
from memcli.text.english.tokens import Token
from memcli.text.english.vocabulary import PREPOSITIONS, UNIT, word_set
from memcli.text.english.word_forms import stem
from memcli.text.stopwords import STOPWORDS
from memcli.text.words import fold_case

# Below this two texts are about different things, whatever their form. Low: the vectors of short
# statements lie far apart where names differ ("I prefer Python", "I prefer Rust now": 0.30).
RELATED = 0.28
# From here on the same kind of value (a date, a number, a name) is taken for one of the same thing.
CLOSE_MEANING = 0.55
_SUBJECTS = word_set("i we he she they you user")
# A longer text is a story; one word of it says little about another.
STATEMENT = 14
SHORT = 5

_VERB = (
    r"(?:switched|swapped|migrated|moved|changed|upgraded|downgraded|updated|extended|postponed|rescheduled"
    r"|increased|decreased|adjusted|revised|improved|raised|lowered|shifted|grown|grew|risen|rose|fallen|fell)"
)
_CHANGED = (
    rf"\b(?:now|nowadays|no longer|any ?more|instead|{_VERB}(?: \w+)? to|replaced|gave up|given up|quit"
    r"|stopped|used to|from now on|has become|became"
    r"|jetzt|nicht mehr|stattdessen|maintenant|desormais|ahora|ya no)\b"
)
_SWITCHED = r"\b(?:switch|migrat|mov|chang|convert)(?:e|ed|ing)?\b.*\b(?:to|zu|nach)\b"
_TO_NUMBER = rf"\b(?:{_VERB}(?: \w+)? to|now (?:at|reaching|averaging)) (?=[$€£]?\d)"
_QUESTION = (
    r"^\W*(?:\w+:\s*)?(?:(?:hmm+|so|and|ok|okay|well|also|hey|but)\W+)*(?:what|when|where|which|who|whose|why|how|do"
    r"|does|did|is|are|was|can|could|would|should|will|have|has|any)\b"
)


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


# Beside one of these a negation says the same once more: "cannot eat", "avoids".
NEGATIVE = _stems(
    """
    avoid refuse dislike hate loathe aversion free hard struggle uncomfortable allergic stop quit
    """
)
# Said out of politeness, they negate nothing.
_IDIOM = r"\b(?:no (?:problem|worries|doubt|wonder|way)|can't wait|long time no (?:see|talk)|don't worry)\b"
# Left out of what two statements share: they say how one stands to a thing, not which it is.
STANCE = _stems(
    """
    like love enjoy hate dislike prefer adore use want need have get go think say now move switch change feel
    strongly really very strong aversion avoid not thank great
    """
)


def may_contradict(new: str, old: str, cosine: float) -> str | None:
    """What makes it likely that both cannot hold ("home: berlin -> paris"); None if nothing does.

    `cosine` is that of the vectors of two texts of one space, `new` the later
    one: what it says of a change counts. Plain questions state nothing.
    """
    if only_asks(new) or only_asks(old):
        return None
    met, claimed = overtaken_claim(new, old)
    if met or cosine < RELATED:
        return claimed
    pair = align_texts(without_idioms(new), without_idioms(old))
    if max(content_size(pair.new), content_size(pair.old)) > STATEMENT:
        return _other_measure(pair) if cosine >= CLOSE_MEANING else None
    return _turned(pair, cosine) or _other_measure(pair) or _said_changed(new, pair, cosine)


def without_idioms(text: str) -> str:
    """A text without the idioms that negate nothing."""
    if any(bit in text.lower() for bit in ("no ", "wait", "worry")):
        return re.sub(_IDIOM, "", text.replace("’", "'"), flags=re.IGNORECASE)
    return text


def only_asks(text: str) -> bool:
    """Whether a text is a plain question, which states nothing."""
    return is_question(text) and re.match(_QUESTION, text, re.IGNORECASE) is not None


def content_size(tokens: Sequence[Token]) -> int:
    """How many tokens tell something."""
    return sum(token.content for token in tokens)


def topics(tokens: Sequence[Token]) -> set[str]:
    """The stems of what a statement is about: no numbers, no names of those who say it."""
    return {t.stem for t in tokens if t.content and t.sort == "word" and t.stem not in STANCE}


def _share(pair: Alignment) -> float:
    only = [t for t in (*pair.only_new, *pair.only_old) if t.content and t.stem not in STANCE]
    both = topics(pair.new) & topics(pair.old)
    names = {t.stem for t in pair.new if t.sort in ("name", "number")} & {t.stem for t in pair.old}
    common = len(both) + 0.5 * len(names)
    # A value and the one in its place are one thing that differs, not two.
    return common / (common + len(only) / 2) if both or names else 0.0


def _only_tells_which(pair: Alignment, found: Difference, share: float) -> bool:
    """ "The old pipeline": an opposite that names another thing."""
    if is_attributive(pair.new, pair.only_new) and not one_place(pair):
        return True
    # "to", "from": little words stand in opposite pairs by chance.
    return share < 0.67 and all(word.casefold() in STOPWORDS for word in found.words.split(" -> "))


def _swaps_too_little(pair: Alignment, found: Difference, share: float) -> bool:
    """ "Short answers", "answers that are short"."""
    return len(found.words.partition(" -> ")[0].split()) < 3


def _is_another_doing(pair: Alignment, found: Difference, share: float) -> bool:
    """Whether whole phrases stand in one place, or verbs: who drinks coffee may take it as well."""
    return len(found.words.split()) > 4 or _doings(pair)


class _Turn(NamedTuple):
    """When a difference that one rule found turns a statement into one that contradicts it."""

    share: float
    """The least share of content words that both have in common. What stands on both sides is more telling
    than what one side leaves out."""
    value: bool = False
    """A value in the place of another: nothing, where both may hold of one thing."""
    of_two: bool = False
    """It counts although the subjects differ."""
    one_sided: bool = False
    """It counts where only one of the two says it."""
    topic: bool = False
    """Both must be about one thing by the words that do not differ."""
    unless: Callable[[Alignment, Difference, float], bool] = lambda pair, found, share: False


# Any of a rule's conditions is enough to let a difference be; their order says nothing.
TURNS = {
    "opposite": _Turn(0.33, topic=True, unless=_only_tells_which),
    "number": _Turn(0.25, value=True),
    "calendar": _Turn(0.33, value=True),
    "unit": _Turn(0.5, value=True),
    "name": _Turn(0.33, value=True),
    "sign": _Turn(0.5, value=True),
    "order": _Turn(1.0, of_two=True, unless=_swaps_too_little),
    "slot": _Turn(0.5, value=True, topic=True, unless=_is_another_doing),
    "negation": _Turn(0.6, of_two=True, one_sided=True, topic=True),
}


def _turned(pair: Alignment, cosine: float) -> str | None:
    """A decisive word differs, and most of the rest is shared."""
    if cosine < CLOSE_MEANING:
        return None
    share = _share(pair)
    two_things = other_subject(pair)
    brief = max(content_size(pair.new), content_size(pair.old)) <= BRIEF
    both_hold = hold_beside_each_other(pair) or (brief and not one_place(pair))
    # A rule may find what has another name: of other persons, two things are told.
    open_to = {
        rule
        for rule, turn in TURNS.items()
        if not ((two_things and not turn.of_two) or (both_hold and turn.value) or share < turn.share)
    }
    if not open_to:
        return None
    found = {each.rule: each for each in differences(pair, open_to | {"negation", "opposite"})}
    if _turned_twice(pair, found):
        return None
    about = topics(pair.new) & topics(pair.old)
    # "Olga likes blues", "Olga prefers trains": that both begin with her makes them no one thing.
    about_after = topics(pair.new[1:]) & topics(pair.old[1:])
    for rule, each in found.items():
        if rule in open_to and not (
            (each.one_sided and not TURNS[rule].one_sided)
            or (TURNS[rule].topic and not (about_after if TURNS[rule].value else about))
            or TURNS[rule].unless(pair, each, share)
        ):
            return each.words
    return None


def _turned_twice(pair: Alignment, found: Mapping[str, Difference]) -> bool:
    """ "Does not enjoy", "dislikes": turned twice is not turned."""
    negative = {t.stem for t in (*pair.only_new, *pair.only_old)} & NEGATIVE
    opposite = found.get("opposite")
    if "negation" in found and (negative or (opposite and "without" not in opposite.words)):
        return True
    return opposite is not None and bool(negative - STANCE)


def _doings(pair: Alignment) -> bool:
    """Whether what stands in one place are verbs."""
    places = []
    for tokens, only in ((pair.new, pair.only_new), (pair.old, pair.only_old)):
        first = next((n for n, token in enumerate(tokens) if token in only and token.content), 0)
        before = tokens[first - 1] if first else None
        acts = before and (before.sort == "name" or before.text in _SUBJECTS or _opens(tokens, first))
        places.append(bool(acts))
    return all(places) and all(t.sort == "word" for t in (*pair.only_new, *pair.only_old))


def _opens(tokens: Sequence[Token], place: int) -> bool:
    """Whether a word follows the one that opens a statement as its verb: "Ann drinks"."""
    return place == 1 and tokens[1].text.endswith("s") and tokens[0].content and tokens[0].stem not in STANCE


def said_change(text: str) -> re.Match[str] | None:
    """Where a text says that something changed."""
    return re.search(_CHANGED, fold_case(text))


def _instead(pair: Alignment, named: bool = False) -> str | None:
    """What the new statement puts in the one place of another: "Python -> Rust"; only a name if `named`."""
    found = []
    for ours, theirs in pair.replaced:
        new = [t for t in content_tokens(ours) if t in pair.only_new]
        old = [t for t in content_tokens(theirs) if t in pair.only_old]
        if new or old:
            found.append((new, old))
    if len(found) != 1:
        return None
    new, old = found[0]
    if len(new) != 1 or len(old) != 1 or new[0].sort != old[0].sort or (named and new[0].sort != "name"):
        return None
    return f"{old[0].shown} -> {new[0].shown}"


def _other_measure(pair: Alignment) -> str | None:
    """ "150 commits", "165 commits": another number of the same thing."""
    if other_subject(pair) or (
        max(content_size(pair.new), content_size(pair.old)) <= BRIEF and tell_of_events(pair)
    ):
        return None
    ours, theirs = measures(pair.new), measures(pair.old)
    said = " ".join(t.text for t in pair.new)
    if theirs and (grown := re.search(_TO_NUMBER, said)):
        number = said[grown.end() :].split()[0]
        about = topics(pair.new)
        for thing in theirs:
            if thing in about and number not in theirs[thing][0]:
                return f"{theirs[thing][1]} -> {number}"
    # Sixty maps in Parma and eighty in Krakow are both there; in a story other names stand about.
    if (
        max(content_size(pair.new), content_size(pair.old)) <= STATEMENT
        and _names(pair.only_new)
        and _names(pair.only_old)
    ):
        return None
    for thing, (values, shown) in ours.items():
        before = theirs.get(thing)
        if before and not values & before[0]:
            return f"{before[1]} -> {shown}"
    return None


def _names(tokens: Sequence[Token]) -> bool:
    return any(token.sort == "name" for token in tokens)


def measures(tokens: Sequence[Token]) -> dict[str, tuple[set[str], str]]:
    """Numbers by what they count: the first telling words after each."""
    found: dict[str, tuple[set[str], str]] = {}
    for place, token in enumerate(tokens):
        if token.sort != "number" or re.fullmatch(r"(?:19|20)\d\d", token.text) or is_label(tokens, place):
            continue
        after = [t for t in tokens[place + 1 : place + 5] if t.content and t.stem not in UNIT]
        for thing in after[:2]:
            if thing.sort != "word" or thing.folded in PREPOSITIONS:
                break
            values, _ = found.setdefault(thing.stem, (set(), f"{token.shown} {thing.shown}"))
            values.add(token.text)
    return found


def _said_changed(new: str, pair: Alignment, cosine: float) -> str | None:
    """The new statement says itself that something changed, and it is about the same thing."""
    said = said_change(new)
    if (
        said is None
        or is_question(new)
        or (said[0] in ("quit", "stopped") and any(t.text == "not" for t in pair.new))
    ):
        return None
    # That both begin with "Ann" makes them no one thing.
    about = topics(pair.new[1:]) & topics(pair.old[1:])
    if cosine >= CLOSE_MEANING and _share(pair) >= 0.3 and about:
        return _instead(pair) or said[0]
    # "We use Postgres", "we switched to MySQL"; "I prefer Python", "I prefer Rust now".
    if max(content_size(pair.new), content_size(pair.old)) > SHORT or pair.new[0].stem != pair.old[0].stem:
        return None
    verbs = {t.stem for t in pair.new} & {t.stem for t in pair.old} & STANCE
    switched = re.search(_SWITCHED, fold_case(new)) and any(
        t.stem in ("use", "run", "work", "writ") for t in pair.old
    )
    if switched:
        return said[0]
    # "Now" alone says of nothing that it was otherwise.
    told = _instead(pair, named=True) if verbs - {"hav", "get", "go", "not"} else None
    return told or (said[0] if verbs and said[0] not in ("now", "nowadays") else None)
