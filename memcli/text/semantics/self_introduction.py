"""Self-introductions: the name and occupation in "I'm Imogen, I restore wooden boats", "je suis Camille".

`memcli.text.aspects` has the forms by which one answers a question; most people just say who they are.
"""

from __future__ import annotations

import re

from memcli.text.aspects import Aspect, aspects
from memcli.text.expressions import expression
from memcli.text.semantics.senses import has_sense
from memcli.text.stopwords import STOPWORDS
from memcli.text.words import fold_case

_NAME = r"(?P<name>[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)?)"
# The name at the beginning, alone or before a clause: "I'm Sure Start's contact" names nobody.
_I_AM = expression(
    rf"\W*(?:(?:hi|hello|hallo|bonjour|hola|ciao|salut)\W+)?"
    rf"(?:i['’]m|i am|my name(?: is|['’]s)|ich bin|ich heiße|je suis|je m['’]appelle|(?:yo )?soy|me llamo"
    rf"|(?:io )?sono|mi chiamo|(?:eu )?sou|(?:eu )?me chamo|chamo-me|ik ben|ik heet) (?-i:{_NAME})"
    rf"(?P<rest>\s*(?:,|;|\.|–|—| (?:and|und|et|y|e|en)\b).*)",
    re.IGNORECASE | re.DOTALL,
)
_BESIDE_NAME = expression(r"^\W*(?:(?:and|und|et|y|e|en)\b)?\W*")
# An occupation: "a nurse", "Krankenschwester", "une infirmière".
_I_AM_A = expression(
    r"\W*(?:(?:i['’]m|i am) an?|(?:ich bin|je suis|soy|sono|sou|ik ben)(?: (?:eine?|une?|il|uma?|een))?)"
    r" "
    r"(?P<what>(?:[^\W\d_]+[ -]){0,2}?(?P<noun>[^\W\d_]+))"
    r"(?=\s*(?:$|[.,;–—]|(?:at|in|on|for|with|by|of|bei|beim|im|am|an|chez|dans|à|au|en|de|del|nel|a|al|em|na"
    r"|no|bij|op)\b))",
    re.IGNORECASE,
)
# The least words of a clause, the most letters of a pronoun; then the endings of most English occupations.
_CLAUSE, _PRONOUN = 2, 2
_DOER = expression(r"\w{3,}(?:er|or|ist|ian|wright|smith|man|woman)")
# Senses of capitalised words after "I'm" that are no name, and of verbs after "I" that tell no occupation.
_NO_NAME, _NO_WORK = (
    ("kin", "like", "bad"),
    ("like", "is", "perfect", "was", "will", "must", "owe", "forbidden"),
)
_OF_A_PEOPLE = ("ish", "ese")


def name_introduced(text: str) -> str:
    """Return the name that somebody gives as their own before a clause about themselves; else empty."""
    said = _I_AM.match(text)
    if said is None or not _clause_on_self(said["rest"]):
        return ""
    words = fold_case(said["name"]).split()
    none = any(word in STOPWORDS or any(has_sense(word, sense) for sense in _NO_NAME) for word in words)
    # "I'm Dutch, I ..." names a people.
    people = words[-1].endswith(_OF_A_PEOPLE) or "languages" in aspects(f"I speak {said['name']}")
    return "" if none or people else said["name"]


def introduced_aspects(text: str) -> list[Aspect]:
    """Return which of name and work somebody states of themselves where `aspects` has no form for it."""
    known = set(aspects(text))
    name = name_introduced(text)
    found: list[Aspect] = ["name"] if name and "name" not in known else []
    if known <= {"name"} and ((name and _tells_work(text)) or _says_occupation(text)):
        found.append("work")
    return found


def _clause_on_self(rest: str) -> list[str]:
    """Return the words after a name, if they are a clause in the first person: "I restore boats"."""
    said = re.findall(r"[^\W\d_]+", _BESIDE_NAME.sub("", rest).lower())
    if len(said) < _CLAUSE:
        return []
    if any(has_sense(fold_case(said[0]), sense) for sense in ("i", "my")):
        return said
    # A verb whose ending implies the subject: "doy clases", "faccio la liutaia", "arbeite als".
    return said if said[0].endswith(("o", "oy", "e")) and said[0] not in STOPWORDS else []


def _tells_work(text: str) -> bool:
    """True if a text that gives a name goes on with what its owner does, as against has, is or likes."""
    said = _I_AM.match(text)
    clause = _clause_on_self(said["rest"]) if said else []
    verb = fold_case(clause[1] if len(clause[0]) <= _PRONOUN else clause[0]) if clause else ""
    tells_of_self = bool(verb) and not has_sense(fold_case(clause[0]), "my")
    return tells_of_self and not any(has_sense(verb, sense) for sense in _NO_WORK)


def _says_occupation(text: str) -> bool:
    said = _I_AM_A.match(text)
    noun = fold_case(said["noun"]) if said else ""
    if not said or any(has_sense(noun, sense) for sense in ("relative", "kin")):
        return False
    return has_sense(noun, "role") or (said["noun"].islower() and _DOER.fullmatch(noun) is not None)
