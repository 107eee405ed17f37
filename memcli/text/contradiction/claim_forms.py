"""The forms of a claim, as tables: a verb, what comes after it, the relation claimed, how it is read.

How many there are is fenced (`benchmarks/forms.toml`): a new one comes with the gain that it brings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from memcli.text.contradiction import claim_readers as reads
from memcli.text.contradiction.claim_readers import Claim, Predicate, definite, has_time, named, person
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
from memcli.text.english.vocabulary import words

BE = words("is are am was")


class Form(NamedTuple):
    """A way to claim something: these verbs, and after them one of these words."""

    relation: str
    verbs: frozenset[str]
    read: Callable[[Predicate, str], Iterator[Claim]]
    after: frozenset[str] = frozenset()
    """What must come next; it is no part of the value. Empty: nothing must."""
    skips: frozenset[str] = frozenset()
    """What may come next and is no part of the value."""
    fits: Callable[[Predicate], bool] = lambda said: True
    """Whether what is left is what the form is for."""

    def cut(self, said: Predicate) -> Predicate | None:
        """What is left to read of it; None where it has not this form."""
        first = said.rest[0].text if said.rest else ""
        if self.after and first not in self.after:
            return None
        left = said._replace(rest=said.rest[1:]) if first in self.after or first in self.skips else said
        return left if self.fits(left) else None


def _form(relation: str, verbs: str, read: Callable[[Predicate, str], Iterator[Claim]], after: str = "",
          skips: str = "", fits: Callable[[Predicate], bool] = lambda said: True) -> Form:  # fmt: skip
    return Form(relation, words(verbs), read, words(after), words(skips), fits)


def _is_certain(said: Predicate) -> bool:
    return named(said.rest) and said.rest[0].text not in ("the", "our", "a")


def _is_diet(said: Predicate) -> bool:
    return len(said.rest) <= 1 and (said.verb, *said.rest)[-1].folded in DIETS


def _is_age(said: Predicate) -> bool:
    return said.verb.sort == "number" and [t.text for t in said.rest[:2]] == ["year", "old"]


def _is_role(said: Predicate) -> bool:
    there_is_one = said.verb.text == "the" and (said.verb, *said.rest)[-1].folded in ONE_VALUED
    return person(said.subject) or there_is_one


_AT = "at on by"
# What is said with a verb of its own. All that have the verb are read; most have none in common.
ACTIONS = (
    Form("led by", LEADS, reads.leader, words("the our")),
    Form("place", MOVED, reads.moved),
    Form("place", PLACING, reads.value, PLACE),
    Form("is", CHANGED_TO, reads.changed),
    _form("employer", "works work", reads.value, "at for", fits=lambda said: definite(said.rest)),
    _form("employer", "joined", reads.value, fits=_is_certain),
    Form("time", STARTS, reads.times, words(_AT)),
    _form("opening", "opens open", reads.times, skips=_AT),
    _form("closing", "closes close", reads.times, skips=_AT),
    _form("end", "ends end finishes finish", reads.times, skips=_AT),
    _form("arrival", "arrives arrive", reads.times, skips=_AT),
    _form("end of validity", "expires expire", reads.times, skips=_AT),
    _form("runs on", "runs run", reads.value, "on", fits=lambda said: named(said.rest)),
    _form("length", "takes take lasts last", reads.measured),
    _form("price", "costs cost", reads.measured),
    _form("weight", "weighs weigh", reads.measured),
    _form("pay", "earns earn pays pay", reads.measured),
    _form("end after", "expires expire", reads.measured),
    _form("limit", "allows allow holds hold", reads.measured),
    _form("number of", "has have contains contain employs employ got", reads.counted),
    _form("version", "uses use requires require needs need runs run targets target on", reads.version),
    _form("version", "upgraded updated migrated", reads.version_reached),
    # What one does otherwise from now on; at other times one may do both.
    _form("prefer", "prefers prefer", reads.loosely),
    _form("commute", "commutes commute", reads.loosely),
    _form("drive", "drives drive", reads.loosely),
    _form("deploy", "deploys deploy", reads.loosely),
    _form("indent", "indents indent", reads.loosely),
    _form("write", "writes write", reads.loosely),
    _form("use", "uses use", reads.loosely),
    _form("work", "works work", reads.loosely),
    _form("sleep", "sleeps sleep", reads.loosely),
    _form("meet", "meets meet", reads.loosely),
    _form("pay", "pays pay", reads.loosely),
    _form("shop", "shops shop", reads.loosely),
    _form("train", "trains train", reads.loosely),
    _form("study", "studies study", reads.loosely),
    _form("build", "builds build", reads.loosely),
    _form("diet", "eat eats", reads.eaten),
    _form("alcohol", "drink drinks", reads.drunk),
    _form("marital status", "got gets", reads.became),
)

# What somebody or something is: the first that fits is read. The word after "is" is the verb of the form, or,
# where it has none, the beginning of the value.
_BECOME = (
    Form("place", MOVED, reads.moved),
    Form("is", CHANGED_TO, reads.changed),
    Form("built with", BUILT, reads.value, words("in with on using")),
)
WAS = (*_BECOME, _form("date", "born", reads.birthday, "on"))
IS = (
    *_BECOME,
    _form("is", "called named", reads.called),
    _form("is", "married", reads.spouse, "to"),
    Form("place", PLACED, reads.value, PLACE),
    _form("runs on", "running", reads.value, "on", fits=lambda said: named(said.rest)),
    _form("time", "planned scheduled", reads.times, "for on at"),
    _form("due", "due", reads.times, "on by at"),
    Form("marital status", MARITAL, reads.state, fits=lambda said: not said.rest),
    _form("diet", "", reads.last_word, fits=_is_diet),
    _form("age", "", reads.age, fits=_is_age),
    _form("time", "at on by until", reads.times, fits=lambda said: has_time(said.rest)),
    Form("place", PLACE, reads.place),
    _form("is", "the our my", reads.role, fits=_is_role),
    _form("is", "", reads.described),
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
DENIALS = {"smoke": ("smoking", words("")), "drink": ("alcohol", ALCOHOL)}

_BY_VERB = {
    verb: tuple(form for form in ACTIONS if verb in form.verbs) for form in ACTIONS for verb in form.verbs
}
_ENDING_OF = {verb: read for verbs, read in ENDINGS for verb in verbs.split()}
VERBS = BE | _BY_VERB.keys()


def claimed(said: Predicate) -> Iterator[Claim]:
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
        fits = not form.verbs or being.verb.text in form.verbs
        if fits and (left := form.cut(being)):
            yield from form.read(left, form.relation)
            return


def ended(verb: str, before: str, rest: Sequence[Token]) -> Sequence[Token]:
    """What is no more, by a verb, the word before it, and what follows; empty where nothing is said to be."""
    read = _ENDING_OF.get(verb)
    return read(before, rest) if read else ()
