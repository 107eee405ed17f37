"""What the form of two statements tells for certain, whatever a judge makes of their words.

That one denies the other, moves what is planned to another day, pays what is owed, or says far more.
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

# Of two values of one key that have so few words a judge is this sure at least: of such pairs in
# benchmarks/labels and examinations seven of seven are updates, of those with longer values two of eleven.
_KEYED, _VALUE_WORDS = 0.8, 2
# So likely, at least, what only denies a text or puts a value right is an update: few such pairs teach it.
_DENIED = 0.95
# What goes with a "not" of what was so: "no longer", "nicht mehr", "ya no".
ANY_MORE = word_set("longer more anymore mehr plus piu mas ya meer mais ja")
# So likely is what moves something planned to another day, or calls it off: of 16 such labelled pairs, and of
# those in benchmarks/examinations, all are updates.
_PUT_OFF = 0.95
# So likely, at least, is that of what names another day for something planned in other words: of 50 such
# labelled pairs 44 are updates. It is told, and ends nothing.
_MOVED = 0.6
# As if both were said then: "on Friday" means the same day in both.
_SAID = datetime(2026, 1, 5, 12, tzinfo=UTC)
# So likely does what is paid or given back end what was owed, at least; and where that is not said of all of
# it: likely enough to be asked about, and for no night to end it.
_SETTLED, _PERHAPS = 0.95, 0.7
# A day may be named: by a weekday, a month, or a number with a mark.
_NUMBER_OF_DAY = expression(r"\d(?:st|nd|rd|th|[./])")
# So likely an update is what denies it in one clause of several: of 14 such labelled pairs 12 are.
_CLAUSE = 0.85
_CLAUSE_END = expression(r"[,;.!?:–—]\s+")
# So likely, at least, does who or what is the new one of something take the place of the one that was told:
# of seven such labelled pairs all are updates.
_NEW_ONE = 0.7
_NEW = word_set(
    """
    new neu neue neuer neues neuen neuem nouveau nouvel nouvelle nuevo nueva nuovo nuova nieuw nieuwe novo
    nova
    """
)
_ONE_MORE = word_set("a an another ein eine einen un une una uno een um uma")
# Who says so many words more that tell something, and so many times as many, says more: of 3,399 labelled
# pairs that mean the same 15 do, most of them in two sentences.
_MORE, _TIMES = 6, 1.5
# From this cosine on, the smallest word may tell two texts apart.
_NEARLY_ONE = 0.9
# Of hours and minutes, and of decimals.
_SEPARATORS = str.maketrans(":,", "..")


class Certain(NamedTuple):
    """What the form of two texts tells for certain, whatever a judge makes of their words."""

    same_numbers: bool | None
    """Whether the numbers are equal in which alone they differ; None where there is no such number."""
    contradicts: bool = False
    """They are never the same, however alike the words."""
    sure: float = 0.0
    """They do not both hold: of that and an update an update is this likely at least."""
    most: float = 1.0
    """And at most."""
    says_more: bool = False
    """The newer says much that the older cannot say in so few words."""


def certain_of(newer: str, older: str) -> Certain:
    """What two statements tell so."""
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
    """Whether a text says who or what is the new one of what the older tells, and only that.

    "Tariq is the new captain", "The captain is Lena"; not "Callum is the new team lead for search", and not
    "We have a new cat, Misha", which may be one more.
    """
    if not plain_reading(newer).once(_says_new) or plain_reading(older).once(_says_new):
        return False
    if newer.rstrip().endswith("?"):
        return False
    pair = align_texts(newer, older)
    told = {token.stem for token in pair.old.telling}
    # As it is written: articles are left out where texts are set against each other.
    tokens = tokenize(newer)
    places = [
        n for n, (one, other) in enumerate(pairwise(tokens)) if one.folded in _NEW and other.stem in told
    ]
    if not places or any(place and tokens[place - 1].folded in _ONE_MORE for place in places):
        return False
    named = [token for token in pair.telling_new if token.folded not in _NEW]
    # What begins a sentence has a capital, a name or none.
    return bool(named) and all(each.sort == "name" or each is pair.new[0] for each in named)


def _says_new(tokens: Reading) -> bool:
    return not _NEW.isdisjoint(tokens.folded)


def _says_more(newer: str, older: str) -> bool:
    """Whether a text has many more words that tell something: it does not only repeat the other."""
    new, old = (plain_reading(text).once(_number_of_stems) for text in (newer, older))
    return new >= old + _MORE and new >= _TIMES * old


def _number_of_stems(tokens: Reading) -> int:
    return len({token.stem for token in tokens if token.content})


def _sure_by_denial(newer: str, older: str) -> float | None:
    """How likely an update is at least where one text denies the other or a value of it; else None."""
    # Most deny nothing.
    if not (_says_no(newer) or _says_no(older)):
        return None
    if is_denied(newer, older):
        # Word for word they do not both hold.
        return _DENIED if _in_the_same_order(newer, older) else 0.0
    if _puts_right(newer, older):
        return _DENIED
    if any(is_denied(clause, older) for clause in _clauses(newer)):
        return _CLAUSE
    return None


def one_denies(newer: str, older: str) -> bool:
    """Whether there is a "not", a "never", a "no longer" in just one of two texts."""
    return _says_no(newer) != _says_no(older)


def _says_no(text: str) -> bool:
    return plain_reading(text).once(_denies)


def _denies(tokens: Reading) -> bool:
    return not NEGATION.isdisjoint(tokens.folded)


def exact_values_apart(newer: str, older: str) -> bool:
    """Whether each of two texts tells a number, a day or an identifier in place of another of its sort."""
    ours, theirs = quantities(newer), quantities(older)
    pair = align_texts(newer, older)
    new, old = ({t.folded for t in tokens if t.sort == "code"} for tokens in (pair.new, pair.old))
    return any(
        one - other and other - one
        for one, other in ((ours.numbers, theirs.numbers), (ours.calendar, theirs.calendar), (new, old))
    )


def done_in_one_alone(newer: str, older: str) -> bool:
    """Whether one of two texts says that something was done, and the other that something will be, or would.

    "Tomasz said he would bring the drawings", "Tomasz brought the drawings": what was promised is kept.
    """
    ahead, done = ([tells(text) for text in (newer, older)] for tells in (tells_ahead, tells_done))
    return any(ahead[n] and not ahead[1 - n] and done[1 - n] for n in (0, 1))


def roles_may_differ(newer: str, older: str, cosine: float) -> bool:
    """Whether two texts may tell of the same people the other way round: "I owe Ann", "Ann owes me".

    Where the vectors' `cosine` (-1 to 1) is high, hardly anything differs: then another little
    word of a language whose little words are not told apart here may do so, too.
    """
    pair = align_texts(newer, older)
    if swap_roles(pair) or (_person_declined(pair) and _inflected_only(pair)):
        return True
    rules = {each.rule for each in differences(pair)}
    return not rules.isdisjoint({"order", "person"}) or ("word" in rules and cosine >= _NEARLY_ONE)


def _person_declined(pair: Alignment) -> bool:
    """Whether two texts speak of persons in other forms ("ich", "mir"), or one speaks of none ("debo")."""
    new, old = (
        {t.text for t in tokens if t.text in PERSON and t.folded not in POSSESSIVE}
        for tokens in (pair.new, pair.old)
    )
    return new != old


def _inflected_only(pair: Alignment) -> bool:
    """Whether what one text alone has is a form of what the other alone has: "vertraue", "vertraut"."""
    new, old = pair.telling_new, pair.telling_old
    return bool(new) and all(
        any(are_forms(each.folded, other.folded) for other in others)
        for some, others in ((new, old), (old, new))
        for each in some
    )


def denies_what_is_told(newer: str, older: str) -> bool:
    """Whether one of two texts denies what the other says, the newer perhaps in one clause of several."""
    return (
        is_denied(newer, older)
        or _puts_right(newer, older)
        or any(is_denied(clause, older) for clause in _clauses(newer))
    )


def _puts_right(newer: str, older: str) -> bool:
    """Whether the newer text denies a value of the older and tells another: "the 15th of March, not 14"."""
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
    """What sort of value a token tells, a number, a day or somebody's name; empty where it tells none."""
    if token.folded in CALENDAR:
        return "calendar"
    return token.sort if token.sort in ("number", "name") else ""


def is_denied(newer: str, older: str) -> bool:
    """Whether one of two texts denies what the other says, in the same words but for that.

    Or the newer denies no more than the older says, which may go on: "I no longer work at Acme" beside "I
    work at Acme as a baker". (Of 47 such pairs in benchmarks/labels 42 are updates; of 21 in which the older
    denies seven are the same, and four both hold.)
    """
    if not one_denies(newer, older):
        return False
    ours, theirs = plain_reading(newer), plain_reading(older)
    if _may_say_the_same(ours, theirs):
        pair = align_texts(newer, older)
        if all(token.folded in NEGATION for token in (*pair.telling_new, *pair.telling_old)):
            return True
    # As they are written: "works at Acme as" is put as "is at Acme as" (`plainly_put`).
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
    """Whether each has tokens enough for all that the other tells, but for what denies it.

    A clause mostly has not what a longer statement tells, and is not set against it word by word.
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
    """The parts of a text between its marks, where there are several of two words at least."""
    found = [part for part in _CLAUSE_END.split(text) if " " in part.strip()]
    return found if len(found) > 1 else []


def _first_person(tokens: Reading) -> str:
    """Of whom a text speaks first, where it is a person without a name."""
    return next((PERSON[t.text] for t in tokens if t.sort != "name" and t.text in PERSON), "")


def _numbers_apart(newer: str, older: str) -> tuple[list[str], list[str]] | None:
    """The numbers in which alone two texts differ, in one writing; None where they differ in more."""
    pair = align_texts(newer, older)
    new, old = pair.telling_new, pair.telling_old
    if not (new and old and all(token.sort == "number" for token in (*new, *old))):
        return None
    ours, theirs = ([token.text.translate(_SEPARATORS) for token in some] for some in (new, old))
    return ours, theirs


def _in_the_same_order(newer: str, older: str) -> bool:
    """Whether what two texts share is said in one order: "Ann never pays Tom" denies no "Tom pays Ann"."""
    pair = align_texts(newer, older)
    new = [token.stem for token in pair.new.telling if token not in pair.only_new]
    return new == [token.stem for token in pair.old.telling if token not in pair.only_old]
