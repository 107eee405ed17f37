"""Pair forms: what the form of two statements shows for certain, so that no judge may contradict it.

For example that one denies the other, moves a plan to another day, settles a debt, or says far more.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise, takewhile

from memcli.named_tuple import NamedTuple
from memcli.text.comparison.alignment import Alignment, align_texts, plain_reading
from memcli.text.comparison.differences import differences
from memcli.text.comparison.reading import Reading, content_tokens
from memcli.text.english.tokens import Token, tokenize
from memcli.text.english.vocabulary import CALENDAR, NEGATION, PERSON, POSSESSIVE, word_set
from memcli.text.expressions import expression
from memcli.text.keyed import give_one_key_two_values
from memcli.text.numbers.quantities import quantities
from memcli.text.semantics.roles import are_forms, swap_roles
from memcli.text.semantics.senses import tells_ahead, tells_done
from memcli.text.semantics.settlements import settlement

# The least probability of an update for two values of one key, each of at most so many words: of such pairs
# in benchmarks/labels and examinations seven of seven are updates, of those with longer values two of eleven.
_KEYED, _VALUE_WORDS = 0.8, 2
# The least probability of an update for a text that only denies the older or corrects a value: there are few
# such pairs in the training data.
_DENIED = 0.95
# Words of "no longer", "nicht mehr", "ya no", beside the negation.
ANY_MORE = word_set("longer more anymore mehr plus piu mas ya meer mais ja")
# The probability of an update for a text that postpones or cancels a plan: of 16 such labelled pairs, and of
# those in benchmarks/examinations, all are updates.
_PUT_OFF = 0.95
# The least probability for a text that names another day for a plan in other words: of 50 such labelled pairs
# 44 are updates. It is mentioned, and ends nothing.
_MOVED = 0.6
# Both texts are read as if said at this instant, so that "on Friday" means the same day in both.
_SAID = datetime(2026, 1, 5, 12, tzinfo=UTC)
# The least probability that a repayment ends a debt; and that of a partial or unclear one: enough to ask the
# owner, and too little for the nightly consolidation to end it.
_SETTLED, _PERHAPS = 0.95, 0.7
# A number with an ordinal or date mark may name a day, beside weekdays and months.
_NUMBER_OF_DAY = expression(r"\d(?:st|nd|rd|th|[./])")
# The probability of an update if one of several clauses denies the older text: so are 12 of 14 labelled
# pairs.
_CLAUSE = 0.85
_CLAUSE_END = expression(r"[,;.!?:–—]\s+")
# The least probability that "the new X" replaces the X that the older text names: so are all of seven
# labelled pairs.
_NEW_ONE = 0.7
_NEW = word_set(
    """
    new neu neue neuer neues neuen neuem nouveau nouvel nouvelle nuevo nueva nuovo nuova nieuw nieuwe novo
    nova
    """
)
_ONE_MORE = word_set("a an another ein eine einen un une una uno een um uma")
# A text with so many more content words, and so many times as many, says more: of 3,399 labelled pairs that
# mean the same 15 do, most of them in two sentences.
_MORE, _TIMES = 6, 1.5
# From this cosine on, even a function word may tell two texts apart.
_NEARLY_ONE = 0.9
# Separators of hours and minutes, and of decimals, as one.
_SEPARATORS = str.maketrans(":,", "..")


class Certain(NamedTuple):
    """What the form of two texts shows for certain, as bounds on the probabilities of a judge."""

    same_numbers: bool | None
    """If the texts differ in numbers alone: True if these are equal in value; else None."""
    contradicts: bool = False
    """The two never say the same, however similar the words."""
    sure: float = 0.0
    """If they contradict: the least probability of an update, as against that both hold."""
    most: float = 1.0
    """If they contradict: the greatest probability of an update."""
    says_more: bool = False
    """The newer text says much more than the older, so that it is no repetition."""


def certain_of(newer: str, older: str) -> Certain:
    """Return what the form of two statements shows for certain."""
    numbers = _numbers_apart(newer, older)
    same_numbers = numbers[0] == numbers[1] if numbers else None
    says_more = _says_more(newer, older)
    sure = _sure_by_denial(newer, older)
    if sure is None and _may_name_day(older):
        sure = _PUT_OFF if _is_put_off(newer, older) else _MOVED if _is_moved(newer, older) else None
    if paid := settlement(newer, older):
        at_least, most = (_SETTLED, 1.0) if paid == "all" else (_PERHAPS, _PERHAPS)
        return Certain(same_numbers, contradicts=True, sure=at_least, most=most)
    if sure is None and give_one_key_two_values(newer, older, _VALUE_WORDS):
        sure = _KEYED
    if sure is None and _is_the_new_one(newer, older):
        sure = _NEW_ONE
    if sure is None:
        return Certain(same_numbers, says_more=says_more)
    return Certain(same_numbers, contradicts=True, sure=sure)


def _is_the_new_one(newer: str, older: str) -> bool:
    """True if a text only says who or what is the new one of something in the older text.

    "Tariq is the new captain", "The captain is Lena"; not "Callum is the new team lead for search", and not
    "We have a new cat, Misha", which may be one more.
    """
    if not plain_reading(newer).once(_says_new) or plain_reading(older).once(_says_new):
        return False
    if newer.rstrip().endswith("?"):
        return False
    pair = align_texts(newer, older)
    told = {token.stem for token in pair.old.telling}
    # Tokens as written: the alignment has no articles.
    tokens = tokenize(newer)
    places = [
        n for n, (one, other) in enumerate(pairwise(tokens)) if one.folded in _NEW and other.stem in told
    ]
    if not places or any(place and tokens[place - 1].folded in _ONE_MORE for place in places):
        return False
    named = [token for token in pair.telling_new if token.folded not in _NEW]
    # The first word of a sentence is capitalised, name or not.
    return bool(named) and all(each.sort == "name" or each is pair.new[0] for each in named)


def _says_new(tokens: Reading) -> bool:
    return not _NEW.isdisjoint(tokens.folded)


def _says_more(newer: str, older: str) -> bool:
    """True if the newer text has so many more content words that it is not just a repetition."""
    new, old = (plain_reading(text).once(_number_of_stems) for text in (newer, older))
    return new >= old + _MORE and new >= _TIMES * old


def _number_of_stems(tokens: Reading) -> int:
    return len({token.stem for token in tokens if token.content})


def _sure_by_denial(newer: str, older: str) -> float | None:
    """Return the least probability of an update if one text denies the other or a value of it; else None."""
    # Most texts deny nothing.
    if not (_says_no(newer) or _says_no(older)):
        return None
    if is_denied(newer, older):
        # With the same words in the same order they cannot both hold.
        return _DENIED if _in_the_same_order(newer, older) else 0.0
    if _puts_right(newer, older):
        return _DENIED
    if any(is_denied(clause, older) for clause in _clauses(newer)):
        return _CLAUSE
    return None


def one_denies(newer: str, older: str) -> bool:
    """True if only one of two texts has a negation ("not", "never", "no longer")."""
    return _says_no(newer) != _says_no(older)


def _says_no(text: str) -> bool:
    return plain_reading(text).once(_denies)


def _denies(tokens: Reading) -> bool:
    return not NEGATION.isdisjoint(tokens.folded)


def exact_values_apart(newer: str, older: str) -> bool:
    """True if each of two texts has a number, day or identifier in place of another of the same kind."""
    ours, theirs = quantities(newer), quantities(older)
    pair = align_texts(newer, older)
    new, old = ({t.folded for t in tokens if t.sort == "code"} for tokens in (pair.new, pair.old))
    return any(
        one - other and other - one
        for one, other in ((ours.numbers, theirs.numbers), (ours.calendar, theirs.calendar), (new, old))
    )


def done_in_one_alone(newer: str, older: str) -> bool:
    """True if one of two texts says that something was done, and the other that it will, or would, be done.

    "Tomasz said he would bring the drawings", "Tomasz brought the drawings": the promise is kept.
    """
    ahead, done = ([tells(text) for text in (newer, older)] for tells in (tells_ahead, tells_done))
    return any(ahead[n] and not ahead[1 - n] and done[1 - n] for n in (0, 1))


def roles_may_differ(newer: str, older: str, cosine: float) -> bool:
    """True if two texts may tell of the same people with roles reversed: "I owe Ann", "Ann owes me".

    At a high `cosine` of the vectors (-1 to 1) hardly anything differs: then a difference in a function word
    of a language whose function words are not known here counts, too.
    """
    pair = align_texts(newer, older)
    if swap_roles(pair) or (_person_declined(pair) and _inflected_only(pair)):
        return True
    rules = {each.rule for each in differences(pair)}
    return not rules.isdisjoint({"order", "person"}) or ("word" in rules and cosine >= _NEARLY_ONE)


def _person_declined(pair: Alignment) -> bool:
    """True if two texts have pronouns in other forms ("ich", "mir"), or only one has any ("debo")."""
    new, old = (
        {t.text for t in tokens if t.text in PERSON and t.folded not in POSSESSIVE}
        for tokens in (pair.new, pair.old)
    )
    return new != old


def _inflected_only(pair: Alignment) -> bool:
    """True if the words that only one text has are forms of those that only the other has."""
    new, old = pair.telling_new, pair.telling_old
    return bool(new) and all(
        any(are_forms(each.folded, other.folded) for other in others)
        for some, others in ((new, old), (old, new))
        for each in some
    )


def denies_what_is_told(newer: str, older: str) -> bool:
    """True if one of two texts denies the other, perhaps in one clause of several of the newer."""
    return (
        is_denied(newer, older)
        or _puts_right(newer, older)
        or any(is_denied(clause, older) for clause in _clauses(newer))
    )


def _puts_right(newer: str, older: str) -> bool:
    """True if the newer text denies a value of the older and gives another: "the 15th of March, not 14"."""
    if not _says_no(newer):
        return False
    pair = align_texts(newer, older)
    told = {(sort_of_value(token), token.stem) for token in pair.old}
    for place, token in enumerate(pair.new):
        if token not in pair.only_new or token.folded not in NEGATION:
            continue
        after = content_tokens(pair.new[place + 1 :])
        sort = sort_of_value(after[0]) if after else ""
        if sort and (sort, after[0].stem) in told:
            before = takewhile(sort_of_value, reversed(content_tokens(pair.new[:place])))
            # A "but" or "sondern" may stand between the two.
            beside = (*before, *after[1:3])
            if any(sort_of_value(each) == sort and each in pair.only_new for each in beside):
                return True
    return False


def sort_of_value(token: Token) -> str:
    """Return the kind of value of a token: "calendar", "number" or "name"; empty for other words."""
    if token.folded in CALENDAR:
        return "calendar"
    return token.sort if token.sort in ("number", "name") else ""


def is_denied(newer: str, older: str) -> bool:
    """True if one of two texts denies the other in otherwise the same words.

    Or if the newer denies no more than a beginning of the older: "I no longer work at Acme" beside "I work at
    Acme as a baker". (Of 47 such pairs in benchmarks/labels 42 are updates; of 21 in which the older denies
    seven are the same, and four both hold.)
    """
    if not one_denies(newer, older):
        return False
    ours, theirs = plain_reading(newer), plain_reading(older)
    if _may_say_the_same(ours, theirs):
        pair = align_texts(newer, older)
        if all(token.folded in NEGATION for token in (*pair.telling_new, *pair.telling_old)):
            return True
    # Tokens as written: in a plain reading "works at Acme as" has become "is at Acme as" (`plainly_put`).
    new, old = (
        [t for t in content_tokens(tokenize(text)) if t.folded not in ANY_MORE] for text in (newer, older)
    )
    said = [token.stem for token in new if token.folded not in NEGATION]
    return (
        ours.once(_denies)
        and bool(said)
        and said == [token.stem for token in old if token.stem in said]
        and said[0] == old[0].stem
        and _first_person(ours) == _first_person(theirs)
    )


def _may_say_the_same(one: Reading, other: Reading) -> bool:
    """True if each text has at least as many tokens as the other has content besides negation.

    A cheap test before alignment: a clause is mostly too short for what a longer statement says.
    """
    return len(other) >= one.once(_told_but_denied) and len(one) >= other.once(_told_but_denied)


def _told_but_denied(tokens: Reading) -> int:
    return sum(token.folded not in NEGATION for token in tokens.telling)


def _may_name_day(text: str) -> bool:
    return bool(quantities(text).calendar) or _NUMBER_OF_DAY.search(text) is not None


def _is_put_off(newer: str, older: str) -> bool:
    # Few older ones name a day.
    from memcli.text.comparison.put_off import is_put_off

    return is_put_off(newer, older)


def _is_moved(newer: str, older: str) -> bool:
    from memcli.text.semantics.plan_outcomes import Told, is_moved

    return is_moved(Told(newer, _SAID), Told(older, _SAID))


def _clauses(text: str) -> list[str]:
    """Return the clauses of a text between punctuation marks, if it has several of two words or more."""
    found = [part for part in _CLAUSE_END.split(text) if " " in part.strip()]
    return found if len(found) > 1 else []


def _first_person(tokens: Reading) -> str:
    """Return the person of the first pronoun of a text; empty if it has none."""
    return next((PERSON[t.text] for t in tokens if t.sort != "name" and t.text in PERSON), "")


def _numbers_apart(newer: str, older: str) -> tuple[list[str], list[str]] | None:
    """Return the numbers of both texts, normalised, if they differ in nothing else; None if they do."""
    pair = align_texts(newer, older)
    new, old = pair.telling_new, pair.telling_old
    if not (new and old and all(token.sort == "number" for token in (*new, *old))):
        return None
    ours, theirs = ([token.text.translate(_SEPARATORS) for token in some] for some in (new, old))
    return ours, theirs


def _in_the_same_order(newer: str, older: str) -> bool:
    """True if the shared words of both are in one order: "Ann never pays Tom" denies no "Tom pays Ann"."""
    pair = align_texts(newer, older)
    new = [token.stem for token in pair.new.telling if token not in pair.only_new]
    return new == [token.stem for token in pair.old.telling if token not in pair.only_old]
