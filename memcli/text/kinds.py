"""Which kind a sentence is, judged by its form alone. English, and a little of its neighbours.

A guess that costs nothing and can be overruled by `--kind`: what is not
plainly a preference, a constraint or an outcome is a fact. Episodes,
procedures and policies are never guessed; they have commands of their own.
"""

from __future__ import annotations

import re

from memcli.model import Kind

# Looked at in this order: by its form a sentence may be of several kinds.
FORMS: dict[Kind, str] = {
    "constraint": r"\b(?:must(?:n't| not)?|never|do not|don't|always (?:use|run|ask|check)|under no circumstances"
    r"|(?:is|are) (?:not allowed|forbidden|required)|may not|no more than|at (?:most|least) \d)\b",
    "preference": r"\b(?:prefer(?:s|red|ence)?|favou?rite|(?:i|we|he|she|they|user) "
    r"(?:really |also |do not |does not |don't |doesn't )*(?:like|love|enjoy|hate|dislike|adore)s?"
    r"|(?:can't|cannot) stand|rather than|would rather|(?:is|am|are) (?:fond of|allergic to|into)"
    r"|(?:i|we) (?:usually|always|tend to) )",
    "outcome": r"\b(?:(?:was |were |has been |got )?(?:fixed|resolved|solved|caused) by|turned out"
    r"|failed (?:because|with|when|due)|resulted in|led to|as a result"
    r"|(?:we|i) (?:decided|agreed|concluded|shipped|released|learned|learnt) )",
}
_COMMAND = r"\W*(?:never|always|do not|don't|must)\b"
# A standing instruction, by how it begins: in the languages of the stop-words.
_STANDING = (
    r"\W*(?:please |bitte |por favor,? )?(?:always|never|from now on|whenever (?:i|we|you)|immer|nie|niemals"
    r"|toujours|jamais|siempre|nunca|sempre|mai|altijd|nooit|всегда|никогда)\b"
)
_PROMISE = (
    r"\b(?:i|we)(?:'ll| will| shall| promised?| owe| need to| have to| agreed to| committed to)\b"
    r"(?! (?:not|never)\b)"
    r"|\b(?:promised|agreed|committed) to\b|\bto-?do\b|\bremind (?:me|us)\b|\bdon't forget\b"
    r"|\bich (?:werde|muss|habe versprochen)\b|\bje (?:dois|vais)\b|\btengo que\b"
)
_HABIT = (
    r"\b(?:usually|always|every (?:day|morning|evening|night|week|month|year|\w+day)|tends? to"
    r"|each (?:day|morning|week)|on \w+days|daily|weekly|never)\b"
)
_RELATIONSHIP = (
    r"\b(?:my|our|user's|owner's) (?:\w+ )?(?:wife|husband|partner|girlfriend|boyfriend|son|daughter|child|children"
    r"|kids?|mother|father|mom|mum|dad|parents?|sister|brother|friend|colleague|boss|manager|neighbou?r|cousin|aunt"
    r"|uncle|grand\w+|dog|cat)\b"
)
_GOAL = (
    r"\b(?:goal|plan(?:s|ning)? to|want(?:s|ed)? to|hope(?:s)? to|aim(?:s|ing)? (?:to|for)|would like to"
    r"|working towards|saving (?:up )?for|learning|training for|dream of)\b"
)


def classify_kind(text: str) -> Kind:
    """The kind that the form of `text` suggests; `fact` where it suggests none.

    A negative rule that is somebody's taste ("I don't like olives") is a
    preference: the forms of taste are looked at first where both fit.
    """
    found = [kind for kind, form in FORMS.items() if _has(form, text)]
    if {"preference", "constraint"} <= set(found):
        return "constraint" if re.match(_COMMAND, text, re.IGNORECASE) else "preference"
    return found[0] if found else "fact"


def is_standing(text: str) -> bool:
    """Whether a text is an instruction that holds from now on: "Always …", "Never …"."""
    return re.match(_STANDING, text, re.IGNORECASE) is not None


def is_promise(text: str) -> bool:
    """Whether it says that something is still to be done."""
    return _has(_PROMISE, text.replace("\u2019", "'"))


def is_habit(text: str) -> bool:
    """Whether it tells what is done again and again."""
    return _has(_HABIT, text)


def is_goal(text: str) -> bool:
    """Whether it tells what somebody is after."""
    return _has(_GOAL, text)


def names_relationship(text: str) -> bool:
    """Whether it speaks of one who belongs to the owner: "my sister", "our dog"."""
    return _has(_RELATIONSHIP, text)


def _has(form: str, text: str) -> bool:
    return re.search(form, text, re.IGNORECASE) is not None
