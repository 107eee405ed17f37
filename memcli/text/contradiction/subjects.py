"""Of what a statement speaks: cut at its verb, and by the number that names one of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memcli.text.contradiction.claim_words import ONE_VALUED
from memcli.text.english.phrasing import BEING
from memcli.text.english.tokens import Token
from memcli.text.english.vocabulary import CALENDAR, MODAL, SUBJECT, UNIT, word_set

_HELPING = BEING | MODAL | word_set("have has had do does did")
# Verbs of the past that do not end in "ed".
_PAST = word_set(
    """
    went ran bought met saw ate had drank flew drove took made wrote came gave told said found lost sent
    paid spent slept read sold broke brought caught chose did drew felt forgot got heard held hit kept knew
    laid led learned lent let put rode rang sang sat shot showed sat sold spoke stood stole swam taught
    thought threw woke won wore was were cost
    """
)


class Clause(NamedTuple):
    """A statement cut at its verb."""

    subject: Sequence[Token]
    verb: Token
    rest: Sequence[Token]


def split_clause(tokens: Sequence[Token]) -> Clause | None:
    """The subject, the verb and the rest of a statement; None where no verb is known."""
    for place in range(1, len(tokens)):
        token, before = tokens[place], tokens[place - 1]
        acts = before.content or before.sort in ("name", "number", "code") or before.text in SUBJECT
        if token.sort != "word":
            continue
        follows = tokens[place + 1].text if place + 1 < len(tokens) else ""
        ends = token.text.endswith("s") and not token.text.endswith("ss") and not before.text.endswith("s")
        if (
            token.text in _HELPING
            or (before.text in SUBJECT and place == 1)
            or (acts and token.content and (token.text.endswith("ed") or token.text in _PAST))
            or (acts and token.content and ends and follows not in _HELPING)
        ):
            return Clause(tokens[:place], token, tokens[place + 1 :])
    return None


def is_label(tokens: Sequence[Token], place: int) -> bool:
    """Whether a number names the thing before it ("ticket 12", "server number 3"), and is no measure."""
    if not place or tokens[place].sort != "number":
        return False
    token = tokens[place - 1]
    if token.text == "number" and place > 1:
        return tokens[place - 2].content
    if token.sort != "word" or not token.content or token.folded in ONE_VALUED or token.folded in CALENDAR:
        return token.sort == "name" and place == 1
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after and (after.folded in UNIT or after.sort == "sign"):
        return False
    before = tokens[place - 2].text if place > 1 else ""
    # "Uses 45 sources", "is reading 5 books".
    acts = token.text in _PAST or token.text.endswith(("s", "ed"))
    acts = acts or (token.text.endswith("ing") and before in BEING)
    return not acts and before not in SUBJECT and before not in ("to", *MODAL)
