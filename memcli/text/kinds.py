"""Which kind a sentence is, judged by its form alone.

A guess that costs nothing and can be overruled by `--kind`: what is not
plainly a preference, a constraint or an outcome is a fact. Episodes,
procedures and policies are never guessed; they have commands of their own.
"""

from __future__ import annotations

import re

from memcli.model import Kind

_FORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "constraint",
        re.compile(
            r"\b(?:must(?:n't| not)?|never|do not|don't|always (?:use|run|ask|check)|under no "
            r"circumstances|(?:is|are) (?:not allowed|forbidden|required)|may not|no more than|"
            r"at (?:most|least) \d)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "preference",
        re.compile(
            r"\b(?:prefer(?:s|red|ence)?|favou?rite|(?:i|we|he|she|they|user) "
            r"(?:really |also |do not |does not |don't |doesn't )*(?:like|love|enjoy|hate|dislike|adore)s?|"
            r"(?:can't|cannot) stand|"
            r"rather than|would rather|(?:is|am|are) (?:fond of|allergic to|into)|"
            r"(?:i|we) (?:usually|always|tend to) )",
            re.IGNORECASE,
        ),
    ),
    (
        "outcome",
        re.compile(
            r"\b(?:(?:was |were |has been |got )?(?:fixed|resolved|solved|caused) by|turned out|"
            r"failed (?:because|with|when|due)|resulted in|led to|as a result|"
            r"(?:we|i) (?:decided|agreed|concluded|shipped|released|learned|learnt) )",
            re.IGNORECASE,
        ),
    ),
)

_COMMAND = re.compile(r"\W*(?:never|always|do not|don't|must)\b", re.IGNORECASE)


def classify(text: str) -> Kind:
    """The kind that the form of `text` suggests; `fact` where it suggests none.

    A negative rule that is somebody's taste ("I don't like olives") is a
    preference: the forms of taste are looked at first where both fit.
    """
    found = [kind for kind, form in _FORMS if form.search(text)]
    if {"preference", "constraint"} <= set(found):
        return "constraint" if _COMMAND.match(text) else "preference"
    return found[0] if found else "fact"
