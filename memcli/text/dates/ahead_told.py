"""Statements told of the past, in which "on Friday" is the last one, and reports of what somebody said."""

from __future__ import annotations

import re

from memcli.text.asking import is_foreign
from memcli.text.dates.ahead_forms import names_foreign_weekday
from memcli.text.expressions import expression
from memcli.text.words import fold_case

# Verbs in the past tense, or participles.
_DONE = (
    r"\w{3,}ed|met|said|told|got|made|paid|bought|built|sold|sent|broke|lost|won|spent|brought|caught|heard"
)
# Marks of the past tense: a weekday in such a text is the last one.
_TOLD = expression(
    rf"\b(?!hundred\b|indeed\b)(?:was|were|had|did|went|came|saw|took|gave|ate|drove|flew|wrote|began|spoke|fell"
    rf"|slept|ran|sang|swam|{_DONE})\b"
)
# A participle after "is" or "be" states what is so ("is booked", "isn't paid yet", "may be cancelled"), and
# one after an article is an adjective ("the guided tour"): neither tells of the past.
_IS_SO = expression(
    rf"(?:\b(?:(?:is|are)(?:n['’]t)?|am|be|been|being|gets?|getting)|['’](?:s|re|m)|\b(?:the|an?|my|our))"
    rf"(?: (?:not|now|already|still|yet|also|just|only|all|both|soon|well|\w+ly))* (?:{_DONE})\b"
)
# A report in the past tense of something present: "Mum said the party is on Saturday" is about no past party.
_REPORTED = expression(
    r"^(?:[^\W\d]+ ){0,4}?"
    r"(?:said|told|heard|know|wrote|mentioned|confirmed|announced|texted|emailed|decided|agreed|promised)\b"
    r"(?=[^.!?;\n]*?(?:\b(?:is|are|am|will|starts?|begins?|opens?|takes?|comes?|meets?|leaves?|arrives?|happens"
    r"|ends|closes|goes|needs?)\b|['’](?:s|re|m|ll) ))",
    re.IGNORECASE,
)
# A capitalised word within a sentence is a name and no verb: "with Alfred", "Fred".
_NAME = expression(r"(?<=[\w,'’] )[^\W\d_a-zß-ÿ][a-zß-ÿ'’-]+")


def tells_of_past(text: str) -> bool:
    """True if a text is, in English, about the past; not for "met" in Dutch, nor for a name."""
    text = without_report(text)
    if _TOLD.search(fold_case(text)) is None:
        return False
    folded = _IS_SO.sub(" ", fold_case(_NAME.sub("", text)))
    return _TOLD.search(folded) is not None and not (
        names_foreign_weekday(folded) or is_foreign(_TOLD.sub(" ", folded))
    )


def without_report(text: str) -> str:
    """Return a text without the English words that say who said or heard its content."""
    return text[reported.end() :] if (reported := _REPORTED.match(text)) else text
