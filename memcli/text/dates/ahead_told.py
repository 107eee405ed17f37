"""Whether a text tells of what was, or only of who said what is: a weekday in what was is the one before."""

from __future__ import annotations

import re

from memcli.text.asking import is_foreign
from memcli.text.dates.ahead_forms import names_foreign_weekday
from memcli.text.expressions import expression
from memcli.text.words import fold_case

# A verb that tells what was, or a participle.
_DONE = (
    r"\w{3,}ed|met|said|told|got|made|paid|bought|built|sold|sent|broke|lost|won|spent|brought|caught|heard"
)
# It tells what was: a weekday in it is the one before.
_TOLD = expression(
    rf"\b(?!hundred\b|indeed\b)(?:was|were|had|did|went|came|saw|took|gave|ate|drove|flew|wrote|began|spoke|fell"
    rf"|slept|ran|sang|swam|{_DONE})\b"
)
# Behind "is" or "be" a participle tells what is so ("is booked", "isn't paid yet", "may be cancelled"), and
# behind an article what something is like ("the guided tour"): neither says that anything was.
_IS_SO = expression(
    rf"(?:\b(?:(?:is|are)(?:n['’]t)?|am|be|been|being|gets?|getting)|['’](?:s|re|m)|\b(?:the|an?|my|our))"
    rf"(?: (?:not|now|already|still|yet|also|just|only|all|both|soon|well|\w+ly))* (?:{_DONE})\b"
)
# What was said, heard or agreed, and is: "Mum said the party is on Saturday" tells of no party that was.
_REPORTED = expression(
    r"^(?:[^\W\d]+ ){0,4}?"
    r"(?:said|told|heard|know|wrote|mentioned|confirmed|announced|texted|emailed|decided|agreed|promised)\b"
    r"(?=[^.!?;\n]*?(?:\b(?:is|are|am|will|starts?|begins?|opens?|takes?|comes?|meets?|leaves?|arrives?|happens"
    r"|ends|closes|goes|needs?)\b|['’](?:s|re|m|ll) ))",
    re.IGNORECASE,
)
# Within a sentence it is nobody's doing: "with Alfred", "Fred".
_NAME = expression(r"(?<=[\w,'’] )[^\W\d_a-zß-ÿ][a-zß-ÿ'’-]+")


def tells_of_past(text: str) -> bool:
    """Whether a text says in English that something was: not "met" in Dutch, nor by a name."""
    text = without_report(text)
    if _TOLD.search(fold_case(text)) is None:
        return False
    folded = _IS_SO.sub(" ", fold_case(_NAME.sub("", text)))
    return _TOLD.search(folded) is not None and not (
        names_foreign_weekday(folded) or is_foreign(_TOLD.sub(" ", folded))
    )


def without_report(text: str) -> str:
    """A text without the English words that tell who said, or that one heard, what it says is."""
    return text[reported.end() :] if (reported := _REPORTED.match(text)) else text
