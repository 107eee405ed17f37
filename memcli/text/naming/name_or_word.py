"""Name or word: whether a word is a person's name or a common word: Will, May, Per, Mark.

A capital within a sentence makes it a name, and so does a genitive, or, at the beginning of a sentence, a
verb after it. In lower case among capitalised words it is no name. Otherwise it is in doubt, and nothing that
cannot be undone may depend on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from memcli.text.dates.calendar import MONTHS, WEEKDAYS
from memcli.text.english.vocabulary import POSSESSIVE, PREPOSITIONS
from memcli.text.naming.name_words import NameWord, is_genitive_mark
from memcli.text.stopwords import FUNCTION_WORDS

# Names that are words as well: in lower case they are the word.
_NAMES_AND_WORDS = """
will may mark rose grace hope joy bill frank jack rich art drew pat sue dawn june april august don guy
ivy lance lily nick olive penny pearl ray robin rob ruby rusty sandy skip summer violet wade ward brown
white black green king young long short stone wood woods hill field rivers banks baker cook smith carter
mason page price rice rush sharp small strong swift walker west wise fox wolf bird bush cross day gray
grey hall hunt hunter lake land lane law little love major marsh moody moon noble north park parker pool
potter power post pound read reed rock sage sands savage shields singer snow spring steel storm street
temple waters wells winter worth faith chance chase miles max dale glen heath iris jasmine melody
klein lange koch bauer richter kaiser gross schwarz weiss blanc petit roux marin noel claire aurora luz
sol mercedes paz dolores angel jesus santos cruz reyes flores rosa blanca stella alba serena
liv odd even else dag stig
"""
_GERMAN_DAYS = "montag dienstag mittwoch donnerstag freitag samstag sonntag"
# Words before a month that is no person: "every May", "last May".
_DATING_WORDS = """
in by since until till im en every each last next this that of from before after during early late mid
through til ab seit bis vor nach jeden fra siden
"""
# Verbs that follow a person's name at the beginning of a sentence.
_PREDICATE_WORDS = """
is was has had isn wasn hasn hadn does doesn did didn can could would should must will
said says told tells went goes came comes got gets made makes gave gives took takes knew knows thought thinks
wrote writes left met sold sells bought buys taught teaches sent kept felt began broke brought brings chose
drove drives fell found ran runs sat saw spoke speaks lost paid pays ate eats drinks sings plays lives works
likes loves hates prefers wants needs fixes helps moved asked called lived worked liked wanted joined started
stopped promised married hired fixed helped studies leads owns
ist hat hatte wohnt heisst kommt sagt mag est habite vit aime es vive era tiene
er har havde hadde bor heter jobber liker sier sa kommer
"""
_NO_VERB_WORDS = "always sometimes perhaps besides afterwards towards upwards plus news"
# Words that describe a month, and no person.
_TIME_WORDS = """
month months monat mois mes season time deadline target due date when busiest warm warmest cold coldest hot
hottest dry driest wet wettest rainy sunny best worst favourite favorite holiday holidays start end launch
release peak last first next
"""
_ALSO_WORDS = frozenset(_NAMES_AND_WORDS.split()) | FUNCTION_WORDS
CALENDAR = frozenset((*WEEKDAYS, *MONTHS, *_GERMAN_DAYS.split()))
_MONTHS = frozenset({"april", "may", "june", "august"})
_DATING, _PREDICATES = frozenset(_DATING_WORDS.split()), frozenset(_PREDICATE_WORDS.split())
_NO_VERBS, _TIMES = frozenset(_NO_VERB_WORDS.split()), frozenset(_TIME_WORDS.split())
_BE, _AND = frozenset({"is", "was", "ist", "est", "er"}), frozenset({"and", "und", "og", "et", "y"})
# The number of words on each side that show whether a text uses capital letters.
_AROUND = 40
# A line of fewer capitalised words is a name rather than a headline.
_TITLE_LENGTH = 3


def doubt_of(text: str, words: Sequence[NameWord], i: int) -> Literal["unsure", "word"] | None:
    """Return "word" if a possible name is a common word, "unsure" if it may be either; None for a name."""
    word = words[i]
    also = next((fold for fold in sorted(word.folds) if fold in _ALSO_WORDS), None)
    if also is None:
        return None
    if not word.capital:
        return "word" if _is_cased(text, words, i) else "unsure"
    return None if len(words) == 1 or _is_by_its_capital(text, words, i, also) else "unsure"


def _is_by_its_capital(text: str, words: Sequence[NameWord], i: int, also: str) -> bool:
    """True if a capitalised word is a name, and no acronym, month or first word of a sentence."""
    word, sentence = words[i], _sentence(words, i)
    in_capitals = text[word.start : word.end].isupper() and len(word.plain) > 1
    if in_capitals or (also in _MONTHS and _is_dated(words, i)):
        return False
    if word.first:
        return _opens_as_name(text, words[i : sentence.stop], also)
    # In a headline all words are capitalised, which shows nothing.
    may_be_title = also in FUNCTION_WORDS and len(sentence) >= _TITLE_LENGTH
    return not (may_be_title and all(words[k].capital for k in sentence))


def _is_cased(text: str, words: Sequence[NameWord], i: int) -> bool:
    """True if the words near one are written with capitals where these belong."""
    near = words[max(0, i - _AROUND) : i + _AROUND]
    return any(each.capital and not text[each.start + 1 : each.end].isupper() for each in near)


def _sentence(words: Sequence[NameWord], i: int) -> range:
    """Return the range of the words in the sentence of a word."""
    first = last = i
    while first and not words[first].first and i - first < _AROUND:
        first -= 1
    while last + 1 < len(words) and not words[last + 1].first and last - i < _AROUND:
        last += 1
    return range(first, last + 1)


def _is_dated(words: Sequence[NameWord], i: int) -> bool:
    beside = {words[k].plain for k in (i - 1, i + 1) if 0 <= k < len(words)}
    before = words[i - 1].plain if i else ""
    return any(each.isdigit() for each in beside) or before in _DATING


def _opens_as_name(text: str, words: Sequence[NameWord], also: str) -> bool:
    """True if the first word of a sentence is a person's name, by what follows it."""
    head, rest = words[0], words[1:]
    asks = text[words[-1].end :].lstrip(" )\"'”’")[:1] == "?"
    if not rest or asks or head.plain != also:
        return not rest and also not in _MONTHS and also not in PREPOSITIONS
    if is_genitive_mark(text, rest[0]):
        return also not in _MONTHS
    between = text[head.end : rest[0].start]
    if also in _MONTHS:
        theirs = len(rest) > 1 and rest[0].plain in _BE and rest[1].plain in POSSESSIVE
        return theirs and not any(each.plain in _TIMES for each in rest)
    if between.startswith(",") and also not in PREPOSITIONS:
        return rest[0].plain in POSSESSIVE | {"who"}
    if rest[0].plain in _AND and len(rest) > 1:
        return _is_name(rest[1]) or rest[1].plain == "i"
    if _is_name(rest[0]):
        # Skip the surname after the given name.
        rest = rest[1:]
    return bool(rest) and text[rest[0].start - 1].isspace() and _says_something(text, rest, also)


def _says_something(text: str, words: Sequence[NameWord], also: str) -> bool:
    """True if the words after a name begin with a verb in the third person."""
    verb, after = words[0], words[1] if len(words) > 1 else None
    if verb.plain in _PREDICATES:
        # "Will er": the German verb and "he".
        return not (verb.plain == "er" and also == "will")
    if (
        also in PREPOSITIONS
        or verb.capital
        or verb.plain in FUNCTION_WORDS | _NO_VERBS
        or len(verb.plain) < 4
    ):
        return False
    follows = after is None or (after.plain != "of" and not text[verb.end :].startswith(","))
    return follows and verb.plain.endswith(("s", "ed")) and not verb.plain.endswith(("ss", "us", "is"))


def _is_name(word: NameWord) -> bool:
    """True if a word after another may be a name, too."""
    return (
        word.capital and len(word.plain) > 1 and word.plain not in FUNCTION_WORDS | CALENDAR
        and word.plain.isalpha()
    )  # fmt: skip
