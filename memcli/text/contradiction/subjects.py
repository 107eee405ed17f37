"""Of whom or what a statement speaks, and with which verb: enough to tell two things apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memcli.text.comparison.alignment import Alignment, content_tokens
from memcli.text.contradiction.claim_words import ONE_VALUED
from memcli.text.english.phrasing import BEING
from memcli.text.english.tokens import Token
from memcli.text.english.vocabulary import (
    ARTICLES,
    CALENDAR,
    MODAL,
    POSSESSIVE,
    PREPOSITIONS,
    SUBJECT,
    UNIT,
    word_set,
)

# In a statement of more content words the first verb that is known is seldom the one.
_CLEAR = 7
_HELPING = BEING | MODAL | word_set("have has had do does did")
# Of these several hold at a time: who speaks German may speak French.
_SEVERAL = word_set(
    """
    speak speaks play plays like likes love loves enjoy enjoys hate hates dislike dislikes know knows have has
    own owns eat eats drink drinks read reads watch watches study studies learn learns visit visits want wants
    need needs see sees buy buys collect collects support supports follow follows allergic afraid interested
    friend
    """
)
# What happened once may happen again, otherwise.
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


def other_subject(pair: Alignment) -> bool:
    """Whether two statements speak of two things."""
    if _labels(pair.new, pair.only_new) and _labels(pair.old, pair.only_old):
        return True
    if max(sum(t.content for t in tokens) for tokens in (pair.new, pair.old)) > _CLEAR:
        return False
    new, old = split_clause(pair.new), split_clause(pair.old)
    if new is None or old is None:
        return False
    return _differ(new.subject, pair.only_new) and _differ(old.subject, pair.only_old)


def _labels(tokens: Sequence[Token], only: Sequence[Token]) -> bool:
    return any(
        token in only and is_label(tokens, place)
        for place, token in enumerate(tokens)
        if token.sort == "number"
    )


def hold_beside_each_other(pair: Alignment) -> bool:
    """Whether two statements say two things of one, or what may well hold beside each other."""
    new, old = split_clause(pair.new), split_clause(pair.old)
    if new is None or old is None:
        return False
    if new.verb in pair.only_new and old.verb in pair.only_old and _facing(new.verb, old.verb, pair):
        return True
    said = {t.text for t in (new.verb, *new.rest)} & {t.text for t in (old.verb, *old.rest)}
    return not said.isdisjoint(_SEVERAL) or tell_of_events(pair)


def is_label(tokens: Sequence[Token], place: int) -> bool:
    """Whether a number names the thing before it ("ticket 12", "server number 3"), and is no measure."""
    if not place or tokens[place].sort != "number":
        return False
    token = tokens[place - 1]
    if token.sort != "word" or not token.content or token.folded in ONE_VALUED or token.folded in CALENDAR:
        return token.sort == "name" and place == 1
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after and (after.folded in UNIT or after.sort == "sign"):
        return False
    before = tokens[place - 2].text if place > 1 else ""
    # "Uses 45 sources", "is reading 5 books".
    acts = token.text in _PAST or token.text in _SEVERAL or token.text.endswith(("s", "ed"))
    acts = acts or (token.text.endswith("ing") and before in BEING)
    return not acts and before not in SUBJECT and before not in ("to", *MODAL)


def tell_of_events(pair: Alignment) -> bool:
    """Whether both tell what happened: it may have happened again, otherwise."""
    clauses = split_clause(pair.new), split_clause(pair.old)
    return all(each is not None and _past(each.verb) for each in clauses)


def _differ(tokens: Sequence[Token], only: Sequence[Token]) -> bool:
    named = ("name", "number", "code")
    return any(t in only for t in tokens if t.content or t.sort in named or t.text in SUBJECT)


def _facing(new: Token, old: Token, pair: Alignment) -> bool:
    return any(new in ours and old in theirs for ours, theirs in pair.replaced) and not (
        new.text in BEING and old.text in BEING
    )


def _past(verb: Token) -> bool:
    return verb.text in _PAST or verb.text.endswith("ed")


def is_attributive(tokens: Sequence[Token], only: Sequence[Token]) -> bool:
    """Whether what only one side says tells which thing is meant: "the old pipeline"."""
    return any(
        token in only
        and place
        and tokens[place - 1].text in ARTICLES | POSSESSIVE
        and tokens[place + 1].content
        for place, token in enumerate(tokens[:-1])
    )


def one_place(pair: Alignment) -> bool:
    """Whether one thing stands in the place of one other, and nothing else differs."""
    places = [(content_tokens(ours), content_tokens(theirs), ours, theirs) for ours, theirs in pair.replaced]
    places = [each for each in places if each[0] or each[1]]
    if len(places) != 1:
        return False
    new, old, ours, theirs = places[0]
    leads = [{PREPOSITIONS[t.folded] for t in some if t.folded in PREPOSITIONS} for some in (ours, theirs)]
    # "A plumber", "tall".
    kinds = [any(t.text in ("a", "an") for t in some) for some in (ours, theirs)]
    if kinds[0] != kinds[1] and all(t.sort == "word" for t in (*new, *old)):
        return False
    sorts = {t.sort for t in (*new, *old)}
    return (
        len(new) <= 2 and len(old) <= 2 and leads[0] == leads[1] and (len(sorts) == 1 or len(new + old) <= 2)
    )
