"""Subject, attribute and value of a statement whose form leaves no doubt.

"My salary is 50k", "Ann lives in Berlin", "the meeting moved to Wednesday":
forms in which a subject has one value at a time, so that a new one ends the
old. English only, one short sentence; whatever is not certain is None.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from memcli.words import fold
from memcli.write_policy.tokens import read
from memcli.write_policy.vocabulary import CALENDAR
from memcli.write_policy.word_forms import american

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
_MORE = re.compile(r"\b(?:and|or|but|if|when|because|although|while|unless|except|not|never|which|who)\b")
_QUESTION = re.compile(
    r"\?\s*$|^\s*(?:who|what|when|where|why|how|do|does|did|is|are|can|could|should)\b", re.I
)
# What one has one of, whatever it is; of anything else only a number or a name is a certain value.
_ONE_VALUED = re.compile(
    r"^(?:favou?rite|preferred|default|current|main|primary|new)\b|\b(?:name|birthday|age|salary|income|rent|height"
    r"|weight|address|number|email|job|profession|title|employer|manager|boss|budget|deadline|quota|limit|goal"
    r"|target|timezone|time zone|editor|type|size|colou?r|language|nationality|religion|status|hometown|major"
    r"|password|username|pin|doctor|dentist|version|port|host|price|cost|wife|husband)$",
    re.IGNORECASE,
)


class _Form(NamedTuple):
    attribute: str
    pattern: str


_FORMS = (
    _Form("time", rf"{_SUBJECT}\s*(?:{_BE}|starts|begins|happens|takes place){_NOW}\s+(?:on|at)\s+{_VALUE}"),
    _Form("time", rf"{_SUBJECT}{_NOW}\s+(?:was\s+|is\s+|been\s+)?(?:moved|postponed|rescheduled|shifted"
                  rf"|extended)(?:\s+from\s+[\w: .-]+?)?\s+to\s+{_VALUE}"),
    _Form("home", rf"{_SUBJECT}{_NOW}\s+(?:lives?|living|resides?)\s+in\s+{_VALUE}"),
    _Form("home", rf"{_SUBJECT}{_NOW}\s+(?:moved|relocated)\s+(?:from\s+[\w .-]+?\s+)?"
                  r"to\s+(?P<value>[A-Z][\w .-]*?)"),
    _Form("employer", rf"{_SUBJECT}{_NOW}\s+works?\s+(?:at|for)\s+{_VALUE}"),
    _Form("employer", rf"{_SUBJECT}{_NOW}\s+joined\s+(?P<value>[A-Z][\w .-]*?)"),
    _Form("job", rf"{_SUBJECT}{_NOW}\s+works?\s+as\s+(?:an?\s+|the\s+)?{_VALUE}"),
    _Form("age", rf"{_SUBJECT}\s*{_BE}{_NOW}\s+(?P<value>\d{{1,3}})(?:\s+years?\s+old)"),
    _Form("birth", rf"{_SUBJECT}\s+was\s+born\s+on\s+{_VALUE}"),
    _Form("birthplace", rf"{_SUBJECT}\s+was\s+born\s+in\s+(?P<value>[A-Z][\w .-]*?)"),
    _Form("name", rf"{_SUBJECT}\s*{_BE}{_NOW}\s+(?:called|named)\s+{_VALUE}"),
    _Form("spouse", rf"{_SUBJECT}\s*{_BE}{_NOW}\s+married\s+to\s+{_VALUE}"),
    _Form("diet", rf"{_SUBJECT}\s*{_BE}{_NOW}\s+(?:an?\s+)?(?P<value>vegetarian|vegan|pescatarian|omnivore)"),
    _Form("port", rf"{_SUBJECT}\s+(?:listens?|runs?|is|answers)\s+on\s+(?:port\s+)?"
                  r"(?P<value>\d{2,5})(?:\s+port)?"),
    _Form("price", rf"{_SUBJECT}{_NOW}\s+costs?\s+{_VALUE}"),
    _Form("weight", rf"{_SUBJECT}{_NOW}\s+weighs?\s+{_VALUE}"),
    _Form("", r"(?P<subject>my|our|his|her|their|your|[\w-]+['’]s)\s+(?P<attribute>[\w-]+(?:\s+[\w-]+){0,3}?)"
              rf"\s*(?:{_BE}{_NOW}|{_NOW}\s*changed\s+to|has\s+changed\s+to)\s+{_VALUE}"),
    _Form("", r"(?P<article>the)\s+(?P<attribute>[\w-]+(?:\s+[\w-]+){0,2}?)\s+(?:of|for)\s+"
              rf"(?P<subject>[\w' .-]+?)\s+{_BE}{_NOW}\s+{_VALUE}"),
)  # fmt: skip
_SELF = {"i": "i", "my": "i", "we": "we", "our": "we"}


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (form.attribute, re.compile(rf"^\s*{form.pattern}{_LATER}[\s.!]*$", re.IGNORECASE)) for form in _FORMS
    )


def attribute(text: str) -> tuple[str, str, str] | None:
    """(subject, attribute, value), folded, of a statement of a certain form; else None.

    "My favourite editor is Vim." -> ("i", "favourite editor", "vim").
    """
    if len(text) > _LONGEST or _QUESTION.search(text):
        return None
    text = " ".join(text.replace("’", "'").split())
    for named, pattern in _patterns():
        if found := pattern.match(text):
            value = found["value"].strip(" .'\"")
            name = named or found["attribute"]
            if _certain(name, found["subject"], value):
                return (
                    _subject(found["subject"]),
                    " ".join(american(word) for word in fold(name).split()),
                    fold(re.sub(r"^(?:an?|the)\s+", "", value, flags=re.I)),
                )
    return None


def _subject(text: str) -> str:
    words = [word.removesuffix("'s") for word in fold(text).split() if word not in ("the", "now")]
    return " ".join(_SELF.get(word, word) if len(words) == 1 else word for word in words)


def _certain(name: str, subject: str, value: str) -> bool:
    """Whether this is one value of one thing, and not the beginning of a story."""
    if not value or _MORE.search(value.lower()) or len(value.split()) > 6 or _MORE.search(subject.lower()):
        return False
    # Who "she" is, the next statement may not know.
    if {*fold(subject).split()} & {
        "it",
        "that",
        "this",
        "there",
        "he",
        "she",
        "they",
        "you",
        "was",
        "is",
        "has",
    }:
        return False
    first = fold(value.split(maxsplit=1)[0])
    if first in ("a", "an") and name not in ("job",):
        return False
    tokens = read(f"x {value}")[1:]
    if name == "time":
        clock = any(token.sort == "number" and re.search("[:-]", token.text) for token in tokens)
        alone = len(tokens) == 1 and tokens[0].sort == "number"
        return clock or alone or any(token.folded in CALENDAR for token in tokens)
    # "My sister is visiting", "my dog is very happy": a state, no value of an attribute.
    if re.fullmatch(r"[a-z]+ing|very|so|too|really|quite|in|on|at|from|with|like|of|to", first):
        return False
    known = name in {form.attribute for form in _FORMS} or _ONE_VALUED.search(name)
    return bool(known) or any(token.sort in ("number", "name") for token in tokens)
