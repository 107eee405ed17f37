"""What a short statement claims of its subject where one value at a time holds.

"The team lead is Kevin", "CI runs on Jenkins", "standup moved to 10:00": a
later claim of the same thing with another value has probably overtaken the
earlier, however far apart their vectors lie. English only; whatever is not of
a plain form claims nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memcli.text.contradiction.claim_forms import BE, DENIALS, VERBS, claims_of_predicate, what_ended
from memcli.text.contradiction.claim_readers import (
    Predicate,
    RelationClaim,
    has_name,
    sort_of,
    subject_of,
    without_since,
)
from memcli.text.contradiction.claim_words import (
    ASIDE,
    CHANGED_TO,
    COMPLEX,
    CUES,
    DIETS,
    LEADS,
    LEFT,
    MOVED,
    ONE_VALUED,
    SPOUSE,
)
from memcli.text.english.tokens import Token, tokenize
from memcli.text.english.vocabulary import NEGATION
from memcli.text.english.word_forms import stem
from memcli.text.expressions import expression
from memcli.text.words import fold_case

# A statement, not a page.
_LONGEST = 160
_MOST_WORDS = 24
# By which a statement says itself that it is new.
_CORRECTS = expression(
    r"\b(?:now|no longer|any ?more|instead|not .{1,40} but|moved|relocated|switched|changed|renamed"
    r"|rescheduled|postponed|updated|joined|since|as of|these days|actually|correction)\b",
    re.IGNORECASE,
)
_NEW = expression(r"\bnew\b", re.IGNORECASE)
# Begins what a value holds for: a day, a place, a use. On other conditions both may be true.
_CONDITION = expression(
    r"\s(?:in|at|on|for|during|with|while|under|after|before|until|from|per|within|only|via|through|to"
    r"|every|each)\b.*",
    re.IGNORECASE,
)


def overtaken_claim(new: str, old: str) -> tuple[bool, str | None]:
    """Whether two texts claim something each, and what stands against what ("place: Berlin -> Lisbon").

    (True, None): both may hold. They claim the same value, or something of two
    things, or two sorts of thing of one.
    """
    return overtaken_among(claims(new), claims(old), new, old)


def overtaken_among(
    ours: Sequence[RelationClaim], theirs: Sequence[RelationClaim], new: str, old: str
) -> tuple[bool, str | None]:
    """What `overtaken_claim` gives, where the claims of both texts have been read already."""
    met = False
    for claim in ours:
        if claim.relation == "gone":
            if _was_there(claim, old):
                return True, f"{claim.shown} is gone"
            continue
        for other in theirs:
            if (claim.subject, claim.relation) != (other.subject, other.relation):
                continue
            if claim.loose and not _now(new):
                continue
            # "Open on Sundays", "closed on Sundays": at one time two things may be said.
            met = met or not claim.relation.startswith("time") or claim.value != other.value
            if _against(claim, other):
                named = "" if claim.loose or claim.relation == "is" else f"{claim.relation}: "
                return True, f"{named}{other.shown} -> {claim.shown}"
    return met or _two_things(ours, theirs), None


def replaces(new: str, old: str) -> bool:
    """Whether a later statement says itself that it gives what an earlier one claims another value."""
    return any(
        claim.relation == other.relation
        and claim.subject == other.subject
        and not (claim.loose or claim.relation == "gone")
        and (_CORRECTS.search(new) or (_NEW.search(new) and _has_one_value(claim)))
        and _against(claim, other)
        and _condition(claim, new) == _condition(other, old)
        for claim in claims(new)
        for other in claims(old)
    )


def _has_one_value(claim: RelationClaim) -> bool:
    """Whether there is one of it: a new landlord takes the old one's place, a new friend does not."""
    return claim.relation == "led by" or not claim.subject.isdisjoint(stem(word) for word in ONE_VALUED)


def _condition(claim: RelationClaim, text: str) -> str:
    """On what a value holds, if that is said: "lives in Linz at weekends" -> "at weekends"."""
    _, _, after = text.partition(claim.shown.split()[0])
    found = _CONDITION.search(after)
    return fold_case(found[0]).strip(" .!") if found else ""


def _two_things(ours: Sequence[RelationClaim], theirs: Sequence[RelationClaim]) -> bool:
    if any(claim.relation == "gone" or claim.loose for claim in (*ours, *theirs)):
        return False
    pairs = [(a, b) for a in ours for b in theirs]
    return bool(pairs) and all(_beside(a, b) for a, b in pairs)


def _beside(one: RelationClaim, other: RelationClaim) -> bool:
    """Whether two claims say the same of two things, or two sorts of thing of one: then both may hold."""
    if one.subject == other.subject:
        return one.relation != other.relation
    nested = one.subject <= other.subject or other.subject <= one.subject
    return one.relation == other.relation and not nested


def _against(claim: RelationClaim, other: RelationClaim) -> bool:
    if claim.relation == "diet":
        return _diets_differ(claim.value[0], other.value[0])
    ours, theirs = {*claim.value}, {*other.value}
    ended, there = [[v.removeprefix("not ") for v in each if v.startswith("not ")] for each in (ours, theirs)]
    if ended or there:
        return bool({*ended} & theirs or {*there} & ours)
    if claim.sort != other.sort or _of_two_measures(ours, theirs):
        return False
    return not (ours <= theirs or theirs <= ours)


def _of_two_measures(ours: set[str], theirs: set[str]) -> bool:
    """Whether two numbers measure two things: "4 metres wide", "62 metres long"; "3 kg", "20 m"."""
    one, other = ({word for word in value if not any(map(str.isdigit, word))} for value in (ours, theirs))
    counted = len(one) < len(ours) and len(other) < len(theirs)
    return counted and not (one <= other or other <= one)


def _diets_differ(one: str, other: str) -> bool:
    if one in DIETS and other in DIETS:
        return one != other
    diet, food = (one, other) if one in DIETS else (other, one)
    return food in DIETS.get(diet, ())


def claim_cues(text: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    """By which words to find what a statement may have overtaken: all of the first, one of the second.

    One pair a claim; an empty set asks for nothing.
    """
    found = []
    by_stem = {token.stem: token.text for token in tokenize(re.sub(r"(?<=[a-z])-(?=[a-z])", "", text))}
    for claim in claims(text):
        about = claim.subject - {"i", "we", "user", "spouse"}
        told = frozenset(by_stem[stem] for stem in about if stem in by_stem)
        if claim.relation == "gone":
            told = frozenset(by_stem[stem] for stem in claim.value if stem in by_stem)
        if "spouse" in claim.subject:
            beside = SPOUSE | {"married"}
        elif told and claim.relation != "led by":
            beside = frozenset[str]()
        else:
            beside = _cue(claim)
        if told or beside:
            found.append((told, beside))
    return list(dict.fromkeys(found))


def _cue(claim: RelationClaim) -> frozenset[str]:
    if claim.relation in CUES:
        return CUES[claim.relation]
    return frozenset(claim.relation.removeprefix("number of ").split()[:1])


def claims(text: str) -> tuple[RelationClaim, ...]:
    """The claims of a statement; none where its form is not plain. Never raises."""
    if len(text) > _LONGEST or "\n" in text.strip() or text.rstrip().endswith("?"):
        return ()
    return _claims(text)


@lru_cache(maxsize=1 << 16)
def _claims(text: str) -> tuple[RelationClaim, ...]:
    tokens = tokenize(re.sub(r"(?<=[a-z])-(?=[a-z])", "", text))
    if not 2 <= len(tokens) <= _MOST_WORDS:
        return ()
    words = [token.text for token in tokens]
    plain = COMPLEX.isdisjoint(words) and NEGATION.isdisjoint(words)
    if gone := _gone(tokens, words):
        # "Moved from Berlin to Paris" says what is there instead.
        moved = _found(tokens, words) if plain and not MOVED.isdisjoint(words) else ()
        return (gone, *_left(tokens, words), *moved)
    if not plain:
        return tuple(_denied(words))
    if left := tuple(_left(tokens, words)):
        return left
    return tuple(_found(tokens, words))


def _now(text: str) -> bool:
    return not ASIDE.isdisjoint(token.text for token in tokenize(text))


def _found(tokens: Sequence[Token], words: Sequence[str]) -> Iterator[RelationClaim]:
    for place in range(1, len(tokens)):
        word = words[place]
        if tokens[place].sort != "word" or word not in VERBS or _is_noun(tokens, place):
            continue
        subject = subject_of(tokens[:place])
        rest = [token for token in tokens[place + 1 :] if token.text not in ASIDE]
        if subject is None or not rest:
            return
        yield from claims_of_predicate(Predicate(tokens[:place], subject, tokens[place], without_since(rest)))
        return


def _is_noun(tokens: Sequence[Token], place: int) -> bool:
    """Whether what could be a verb is none there: "the shop opens", "the deploy key"."""
    word, before = tokens[place].text, tokens[place - 1]
    if word in _FINITE or before.text in ("i", "we"):
        return False
    return not (before.text.endswith("s") and before.content and not before.shown.endswith("'s"))


def _denied(words: Sequence[str]) -> Iterator[RelationClaim]:
    """ "I don't drink", "I don't smoke"."""
    if len(words) <= 6 and words[:3] == ["i", "do", "not"] and words[3:4] and words[3] in DENIALS:
        relation, left_out = DENIALS[words[3]]
        if len(words) == 4 or words[-1] in left_out:
            yield RelationClaim(frozenset("i"), relation, ("no",), "no", "word")


def _gone(tokens: Sequence[Token], words: Sequence[str]) -> RelationClaim | None:
    """What somebody says to use, have or do no more."""
    found: Sequence[Token] = ()
    subject = subject_of(tokens[:1])
    for place, word in enumerate(words[1:6], 1):
        found = what_ended(word, words[place - 1], without_since(tokens[place + 1 :]))
        if found:
            break
    found = [t for t in found if t.content and t.text not in ASIDE][:3]
    if not found or subject is None:
        return None
    return RelationClaim(
        subject, "gone", tuple(t.stem for t in found), " ".join(t.shown for t in found), "word"
    )


def _was_there(gone: RelationClaim, old: str) -> bool:
    """Whether a statement of the same person says that there is what is gone."""
    tokens = tokenize(old)
    words = {token.text for token in tokens}
    if not tokens or len(old) > _LONGEST or words & NEGATION or words & {"was", "were", "used", "had"}:
        return False
    if _gone(tokens, [token.text for token in tokens]):
        return False
    first = tokens[0]
    own = {"i": "my", "we": "our"}
    same = first.stem in gone.subject or any(own.get(who) == first.text for who in gone.subject)
    return same and {*gone.value} <= {token.stem for token in tokens[1:]}


def _left(tokens: Sequence[Token], words: Sequence[str]) -> Iterator[RelationClaim]:
    """Who has left an employer: another one, or none, is in its place."""
    for place in range(1, min(4, len(tokens))):
        if words[place] in LEFT and (subject := subject_of(tokens[:place])) is not None:
            rest = tokens[place + 1 :]
            at = [n for n, token in enumerate(rest) if token.text in ("at", "from")]
            value = rest[at[-1] + 1 :] if at else rest if words[place] in ("left", "quit") else ()
            if value and (has_name(value) or (at and value[0].text in ("the", "a"))):
                told = [t for t in value if t.content]
                yield RelationClaim(
                    subject, "employer", (f"not {told[0].stem}",), f"left {told[0].shown}", sort_of(value)
                )


# What can be nothing but a verb where it stands.
_FINITE = frozenset(
    verb for verb in VERBS
    if verb in BE or verb in ("has", "got") or verb in LEADS | CHANGED_TO or verb.endswith("ed")
    or (verb.endswith("s") and verb[:-1] in VERBS)
)  # fmt: skip
