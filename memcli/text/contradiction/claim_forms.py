"""The forms of a claim, as tables: a verb, what comes after it, the relation claimed, how it is read.

How many there are is fenced (`benchmarks/forms.toml`): a new one comes with the gain that it brings.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from memcli.text.contradiction import claim_readers as reads
from memcli.text.contradiction.claim_readers import (
    Predicate,
    RelationClaim,
    definite,
    has_name,
    has_time,
    person,
)
from memcli.text.contradiction.claim_words import (
    ALCOHOL,
    BUILT,
    CHANGED_TO,
    DIETS,
    LEADS,
    MARITAL,
    MOVED,
    ONE_VALUED,
    PLACE,
    PLACED,
    PLACING,
    STARTS,
)
from memcli.text.english.tokens import Token
from memcli.text.english.vocabulary import word_set

BE = word_set("is are am was")


class ClaimForm(NamedTuple):
    """A way to claim something: these verbs, and after them one of these words."""

    relation: str
    verbs: frozenset[str] | None
    """None: any."""
    read: Callable[[Predicate, str], Iterator[RelationClaim]]
    after: frozenset[str] | None = None
    """What must come next; it is no part of the value. None: nothing must."""
    skips: frozenset[str] = frozenset()
    """What may come next and is no part of the value."""
    fits: Callable[[Predicate], bool] = lambda said: True
    """Whether what is left is what the form is for."""

    def cut(self, said: Predicate) -> Predicate | None:
        """What is left to read of it; None where it has not this form."""
        first = said.rest[0].text if said.rest else ""
        if self.after is not None and first not in self.after:
            return None
        cut = self.after is not None or first in self.skips
        left = said._replace(rest=said.rest[1:]) if cut else said
        return left if self.fits(left) else None


def _is_certain(said: Predicate) -> bool:
    return has_name(said.rest) and said.rest[0].text not in ("the", "our", "a")


def _is_diet(said: Predicate) -> bool:
    return len(said.rest) <= 1 and (said.verb, *said.rest)[-1].folded in DIETS


def _is_age(said: Predicate) -> bool:
    return said.verb.sort == "number" and [t.text for t in said.rest[:2]] == ["year", "old"]


def _is_role(said: Predicate) -> bool:
    there_is_one = said.verb.text == "the" and (said.verb, *said.rest)[-1].folded in ONE_VALUED
    return person(said.subject) or there_is_one


_AT = word_set("at on by")
# What is said with a verb of its own. All that have the verb are read; most have none in common.
ACTIONS = (
    ClaimForm("led by", LEADS, reads.leader, word_set("the our")),
    ClaimForm("place", MOVED, reads.moved),
    ClaimForm("place", PLACING, reads.value, PLACE),
    ClaimForm("is", CHANGED_TO, reads.changed),
    ClaimForm(
        "employer",
        word_set("works work"),
        reads.value,
        word_set("at for"),
        fits=lambda said: definite(said.rest),
    ),
    ClaimForm("employer", word_set("joined"), reads.value, fits=_is_certain),
    ClaimForm("time", STARTS, reads.times, _AT),
    ClaimForm("opening", word_set("opens open"), reads.times, skips=_AT),
    ClaimForm("closing", word_set("closes close"), reads.times, skips=_AT),
    ClaimForm("end", word_set("ends end finishes finish"), reads.times, skips=_AT),
    ClaimForm("arrival", word_set("arrives arrive"), reads.times, skips=_AT),
    ClaimForm("end of validity", word_set("expires expire"), reads.times, skips=_AT),
    ClaimForm(
        "runs on", word_set("runs run"), reads.value, word_set("on"), fits=lambda said: has_name(said.rest)
    ),
    ClaimForm("length", word_set("takes take lasts last"), reads.measured),
    ClaimForm("price", word_set("costs cost"), reads.measured),
    ClaimForm("weight", word_set("weighs weigh"), reads.measured),
    ClaimForm("pay", word_set("earns earn pays pay"), reads.measured),
    ClaimForm("end after", word_set("expires expire"), reads.measured),
    ClaimForm("limit", word_set("allows allow holds hold"), reads.measured),
    ClaimForm("number of", word_set("has have contains contain employs employ got"), reads.counted),
    ClaimForm(
        "version", word_set("uses use requires require needs need runs run targets target on"), reads.version
    ),
    ClaimForm("version", word_set("upgraded updated migrated"), reads.version_reached),
    # What one does otherwise from now on; at other times one may do both.
    ClaimForm("prefer", word_set("prefers prefer"), reads.loosely),
    ClaimForm("commute", word_set("commutes commute"), reads.loosely),
    ClaimForm("drive", word_set("drives drive"), reads.loosely),
    ClaimForm("deploy", word_set("deploys deploy"), reads.loosely),
    ClaimForm("indent", word_set("indents indent"), reads.loosely),
    ClaimForm("write", word_set("writes write"), reads.loosely),
    ClaimForm("use", word_set("uses use"), reads.loosely),
    ClaimForm("work", word_set("works work"), reads.loosely),
    ClaimForm("sleep", word_set("sleeps sleep"), reads.loosely),
    ClaimForm("meet", word_set("meets meet"), reads.loosely),
    ClaimForm("pay", word_set("pays pay"), reads.loosely),
    ClaimForm("shop", word_set("shops shop"), reads.loosely),
    ClaimForm("train", word_set("trains train"), reads.loosely),
    ClaimForm("study", word_set("studies study"), reads.loosely),
    ClaimForm("build", word_set("builds build"), reads.loosely),
    ClaimForm("diet", word_set("eat eats"), reads.eaten),
    ClaimForm("alcohol", word_set("drink drinks"), reads.drunk),
    ClaimForm("marital status", word_set("got gets"), reads.became),
)

# What somebody or something is: the first that fits is read. The word after "is" is the verb of the form, or,
# where it has none, the beginning of the value.
_BECOME = (
    ClaimForm("place", MOVED, reads.moved),
    ClaimForm("is", CHANGED_TO, reads.changed),
    ClaimForm("built with", BUILT, reads.value, word_set("in with on using")),
)
WAS = (*_BECOME, ClaimForm("date", word_set("born"), reads.birthday, word_set("on")))
IS = (
    *_BECOME,
    ClaimForm("is", word_set("called named"), reads.called),
    ClaimForm("is", word_set("married"), reads.spouse, word_set("to")),
    ClaimForm("place", PLACED, reads.value, PLACE),
    ClaimForm(
        "runs on", word_set("running"), reads.value, word_set("on"), fits=lambda said: has_name(said.rest)
    ),
    ClaimForm("time", word_set("planned scheduled"), reads.times, word_set("for on at")),
    ClaimForm("due", word_set("due"), reads.times, word_set("on by at")),
    ClaimForm("marital status", MARITAL, reads.state, fits=lambda said: not said.rest),
    ClaimForm("diet", None, reads.last_word, fits=_is_diet),
    ClaimForm("age", None, reads.age, fits=_is_age),
    ClaimForm("time", word_set("at on by until"), reads.times, fits=lambda said: has_time(said.rest)),
    ClaimForm("place", PLACE, reads.place),
    ClaimForm("is", word_set("the our my"), reads.role, fits=_is_role),
    ClaimForm("is", None, reads.described),
)

# What somebody says to use, have or do no more: after which verbs, and where in what follows it stands.
ENDINGS = (
    ("switched migrated moved", reads.left_behind),
    ("longer", reads.no_longer),
    ("stopped quit", reads.given_up),
    ("replaced", reads.replaced),
    (
        "sold dropped abandoned retired cancelled canceled ditched scrapped deleted decommissioned",
        reads.all_of_it,
    ),
)
# "I don't smoke": what is not done, of which only these may be said to be left out.
DENIALS = {"smoke": ("smoking", word_set("")), "drink": ("alcohol", ALCOHOL)}

_BY_VERB: dict[str, list[ClaimForm]] = {}
for _form in ACTIONS:
    for _verb in _form.verbs or ():
        _BY_VERB.setdefault(_verb, []).append(_form)
_ENDING_OF = {verb: read for verbs, read in ENDINGS for verb in verbs.split()}
VERBS = BE | _BY_VERB.keys()


def claims_of_predicate(said: Predicate) -> Iterator[RelationClaim]:
    """What a verb and the words behind it claim of a subject."""
    if not said.rest:
        return
    if said.verb.text not in BE:
        for form in _BY_VERB.get(said.verb.text, ()):
            if left := form.cut(said):
                yield from form.read(left, form.relation)
        return
    being = said._replace(verb=said.rest[0], rest=said.rest[1:])
    for form in WAS if said.verb.text == "was" else IS:
        fits = form.verbs is None or being.verb.text in form.verbs
        if fits and (left := form.cut(being)):
            yield from form.read(left, form.relation)
            return


def what_ended(verb: str, before: str, rest: Sequence[Token]) -> Sequence[Token]:
    """What is no more, by a verb, the word before it, and what follows; empty where nothing is said to be."""
    read = _ENDING_OF.get(verb)
    return read(before, rest) if read else ()
