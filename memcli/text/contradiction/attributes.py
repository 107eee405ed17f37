"""Subject, attribute and value of a statement whose form leaves no doubt.

"My salary is 50k", "Ann lives in Berlin", "the meeting moved to Wednesday":
forms in which a subject has one value at a time, so that a new one ends the
old. English only, one short sentence; whatever is not certain is None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from memcli.text.english.tokens import tokenize
from memcli.text.english.vocabulary import CALENDAR, word_set
from memcli.text.english.word_forms import american_spelling
from memcli.text.words import fold_case

# A statement, not a page.
_LONGEST = 160
_NOW = r"(?:\s+(?:now|currently|recently|just|actually|still|already|has|have|had))*"
_LATER = (
    r"(?:\s+(?:now|currently|these days|at present|as of \S+|since \S+(?:\s\d{4})?|instead|recently"
    r"|last \w+|this \w+|in (?:19|20)\d\d|\w+ \w+ ago))?"
)
_BE = r"(?:am|is|are|'s|'m|'re)"
_SUBJECT = r"(?P<subject>(?:the|our|my|his|her|their|your)?\s*[\w.-]+(?:['’]s)?(?:\s+[\w.-]+){0,3}?)"
_VALUE = r"(?P<value>[^,;:!?]+?)"
# What a value must not go on with: then it says more than one thing.
_MORE = r"\b(?:and|or|but|if|when|because|although|while|unless|except|not|never|which|who)\b"
_QUESTION = r"\?\s*$|^\s*(?:who|what|when|where|why|how|do|does|did|is|are|can|could|should)\b"
# What one has one of, whatever it is; of anything else only a number or a name is a certain value.
_ONE_VALUED = (
    r"^(?:favou?rite|preferred|default|current|main|primary|new)\b|\b(?:name|birthday|age|salary|income|rent|height"
    r"|weight|address|number|email|job|profession|title|employer|manager|boss|budget|deadline|quota|limit|goal"
    r"|target|timezone|time zone|editor|type|size|colou?r|language|nationality|religion|status|hometown|major"
    r"|password|username|pin|doctor|dentist|landlord|version|port|host|price|cost|wife|husband)$"
)


class _Form(NamedTuple):
    attribute: str
    pattern: str
    words: str = ""
    """Bits of words of which a text must hold one to be matched with the pattern."""


_FORMS = (
    _Form("time", rf"{_SUBJECT}\s*(?:{_BE}|starts|begins|happens|takes place){_NOW}\s+(?:on|at)\s+{_VALUE}",
          " on | at "),
    _Form("time", rf"{_SUBJECT}{_NOW}\s+(?:was\s+|is\s+|been\s+)?(?:moved|postponed|rescheduled|shifted"
                  rf"|extended)(?:\s+from\s+[\w: .-]+?)?\s+to\s+{_VALUE}",
          "moved|postponed|rescheduled|shifted|extended"),
    _Form("home", rf"{_SUBJECT}{_NOW}\s+(?:lives?|living|resides?)\s+in\s+{_VALUE}",
          "live in|lives in|living in|reside"),
    _Form("home", rf"{_SUBJECT}{_NOW}\s+(?:moved|relocated)\s+(?:from\s+[\w .-]+?\s+)?"
                  r"to\s+(?P<value>[A-Z][\w .-]*?)",
          "moved|relocated"),
    _Form("employer", rf"{_SUBJECT}{_NOW}\s+works?\s+(?:at|for)\s+{_VALUE}",
          "work"),
    _Form("employer", rf"{_SUBJECT}{_NOW}\s+joined\s+(?P<value>[A-Z][\w .-]*?)",
          "joined"),
    _Form("job", rf"{_SUBJECT}{_NOW}\s+works?\s+as\s+(?:an?\s+|the\s+)?{_VALUE}",
          "work"),
    _Form("age", rf"{_SUBJECT}\s*{_BE}{_NOW}\s+(?P<value>\d{{1,3}})(?:\s+years?\s+old)",
          " year"),
    _Form("birth", rf"{_SUBJECT}\s+was\s+born\s+on\s+{_VALUE}",
          "born on"),
    _Form("birthplace", rf"{_SUBJECT}\s+was\s+born\s+in\s+(?P<value>[A-Z][\w .-]*?)",
          "born in"),
    _Form("name", rf"{_SUBJECT}\s*{_BE}{_NOW}\s+(?:called|named)\s+{_VALUE}",
          "called|named"),
    _Form("spouse", rf"{_SUBJECT}\s*{_BE}{_NOW}\s+married\s+to\s+{_VALUE}",
          "married to"),
    _Form("diet", rf"{_SUBJECT}\s*{_BE}{_NOW}\s+(?:an?\s+)?(?P<value>vegetarian|vegan|pescatarian|omnivore)",
          "vegetarian|vegan|pescatarian|omnivore"),
    _Form("port", rf"{_SUBJECT}\s+(?:listens?|runs?|is|answers)\s+on\s+(?:port\s+)?"
                  r"(?P<value>\d{2,5})(?:\s+port)?",
          " on "),
    _Form("price", rf"{_SUBJECT}{_NOW}\s+costs?\s+{_VALUE}",
          "cost"),
    _Form("weight", rf"{_SUBJECT}{_NOW}\s+weighs?\s+{_VALUE}",
          "weigh"),
    _Form("", r"(?P<subject>my|our|his|her|their|your|[\w-]+['’]s)\s+(?P<attribute>[\w-]+(?:\s+[\w-]+){0,3}?)"
              rf"\s*(?:{_BE}{_NOW}|{_NOW}\s*changed\s+to|has\s+changed\s+to)\s+{_VALUE}",
          "my |our|his|her |their |your |'s "),
    _Form("", r"(?P<article>the)\s+(?P<attribute>[\w-]+(?:\s+[\w-]+){0,2}?)\s+(?:of|for)\s+"
              rf"(?P<subject>[\w' .-]+?)\s+{_BE}{_NOW}\s+{_VALUE}",
          " of | for "),
)  # fmt: skip
# By which a statement says itself that it is new.
_CORRECTS = (
    r"\b(?:now|no longer|any ?more|instead|not .{1,40} but|moved|relocated|switched|changed|renamed"
    r"|rescheduled|postponed|updated|joined|new|since|as of|these days|actually|correction)\b"
)
# Begins what a value holds for: a day, a place, a use. On other conditions both may be true.
_CONDITION = (
    r"(?<=\S)\s(?:in|at|on|for|during|with|while|under|after|before|until|from|per|within|only|via|through|to"
    r"|every|each)\b.*"
)
_SELF = {"i": "i", "my": "i", "we": "we", "our": "we"}
# Who "she" is, the next statement may not know.
_UNKNOWN = word_set("it that this there he she they you was is has")
# "My sister is visiting", "my dog is very happy": a state, no value of an attribute.
_STATE = r"[a-z]+ing|very|so|too|really|quite|in|on|at|from|with|like|of|to"


def _matched(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Each form that a text has, and its parts; a form is compiled when a text may have it."""
    lowered = text.lower()
    digits = any(map(str.isdigit, text))
    for form in _FORMS:
        if form.attribute in ("age", "port") and not digits:
            continue
        if not any(bit in lowered for bit in form.words.split("|")):
            continue
        if found := re.match(rf"^\s*{form.pattern}{_LATER}[\s.!]*$", text, re.IGNORECASE):
            yield form.attribute, found


@lru_cache(maxsize=64)
def stated_attribute(text: str) -> tuple[str, str, str] | None:
    """(subject, attribute, value), folded, of a statement of a certain form; else None.

    "My favourite editor is Vim." -> ("i", "favourite editor", "vim").
    """
    if len(text) > _LONGEST or re.search(_QUESTION, text, re.IGNORECASE):
        return None
    text = " ".join(text.replace("’", "'").split())
    for named, found in _matched(text):
        value = found["value"].strip(" .'\"")
        name = named or found["attribute"]
        # Of what one has one of, the new one takes the place of the one there was.
        plain = re.sub(r"^new\s+", "", name, flags=re.I)
        if plain != name and re.search(_ONE_VALUED, plain, re.IGNORECASE):
            name = plain
        if _certain(name, found["subject"], value):
            name = " ".join(american_spelling(word) for word in fold_case(name).split())
            return (
                _subject(found["subject"]),
                name,
                fold_case(re.sub(r"^(?:an?|the)\s+", "", value, flags=re.I)),
            )
    return None


def replaces(new: str, old: str) -> bool:
    """Whether a later statement says itself that it gives what an earlier one tells of another value."""
    ours, theirs = stated_attribute(new), stated_attribute(old)
    return (
        ours is not None
        and theirs is not None
        and ours[:2] == theirs[:2]
        and re.search(_CORRECTS, new, re.IGNORECASE) is not None
        and _on_condition(ours[2]) == _on_condition(theirs[2])
    )


def _on_condition(value: str) -> str:
    """What a value holds for only, if that is said: "linz at weekends" -> "at weekends"."""
    found = re.search(_CONDITION, value)
    return found[0].strip() if found else ""


def _subject(text: str) -> str:
    words = [word.removesuffix("'s") for word in fold_case(text).split() if word not in ("the", "now")]
    return " ".join(_SELF.get(word, word) if len(words) == 1 else word for word in words)


def _certain(name: str, subject: str, value: str) -> bool:
    """Whether this is one value of one thing, and not the beginning of a story."""
    if (
        not value
        or re.search(_MORE, value.lower())
        or len(value.split()) > 6
        or re.search(_MORE, subject.lower())
    ):
        return False
    if not _UNKNOWN.isdisjoint(fold_case(subject).split()):
        return False
    first = fold_case(value.split(maxsplit=1)[0])
    if first in ("a", "an") and name not in ("job",):
        return False
    tokens = tokenize(f"x {value}")[1:]
    if name == "time":
        clock = any(token.sort == "number" and re.search("[:-]", token.text) for token in tokens)
        alone = len(tokens) == 1 and tokens[0].sort == "number"
        return clock or alone or any(token.folded in CALENDAR for token in tokens)
    if re.fullmatch(_STATE, first):
        return False
    known = name in {form.attribute for form in _FORMS} or re.search(_ONE_VALUED, name, re.IGNORECASE)
    return bool(known) or any(token.sort in ("number", "name") for token in tokens)
