"""Relations between names that a text states explicitly: "Ann works at Acme", "the api depends on redis".

A sentence is parsed as subjects, a verb of relation, and objects; unless all of it is understood, nothing is
taken. English only. Questions, conditions, denials, wishes, hedges, quotations and the past are left out: the
result is proposed to the owner, and a wrong link costs more than a missed one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice

from memcli.named_tuple import NamedTuple
from memcli.text.english.hedges import speculative_phrase, transient_phrase
from memcli.text.english.vocabulary import CALENDAR, NEGATION
from memcli.text.extraction.relation_words import (
    BEGINNINGS,
    KIN,
    MACHINE,
    NEXT,
    NO_NAME,
    ROLE,
    STOPS,
    TAIL,
    VERBS,
    Verb,
)
from memcli.text.naming import names
from memcli.text.sentences import sentences

# The entity that "I" and "my" mean.
OWNER = "owner"
_TITLES = re.compile(r"\b(Mr|Mrs|Ms|Dr|Prof|St)\. ")
# A sentence longer than this tells a story.
_LONGEST = 200
_MOST_NAMES = 8
# At most so many characters of a message are read: the rest is mostly quotations or code.
_READ = 4000


class StatedLink(NamedTuple):
    """A relation that a text states, its confidence by the form, and since when ("2021"), if stated."""

    subject: str
    relation: str
    object: str
    confidence: float
    since: str | None = None


_JOINT = re.compile(r"(?:[,;]|,? (?:and|but|so|while|as|because|though|although)) ")
_QUOTED = re.compile(r"[\"“”«»]|\bex-|\b(?:imagine|pretend|suppose|joking|kidding|ignore)\b", re.IGNORECASE)
_OPENING = re.compile(
    r"\A(?:(?:hi|hello|hey)(?: (?-i:[A-Z])\w+)?[,!]\s+)?(?:(?:so|and|well|also|btw|fyi|ok|okay|yes|hi|hello"
    r"|hey|note that|remember(?: that)?|by the way|for the record)\b[,:!]?\s+)*",
    re.IGNORECASE,
)


@cache
def _upper() -> str:
    """Return the capital letters of the scripts that have them, for a character class."""
    return "".join(chr(code) for code in range(0x41, 0x530) if chr(code).isupper())


@cache
def _name() -> str:
    """Return the pattern of a name as written: capitalised words, with small words between them."""
    word = rf"(?!I\b)[{_upper()}\d][\w+#&/-]*(?:\.\w+)*(?:['’](?!s\b)\w+)?"
    small = r"(?:(?:of|the|de|del|della|van|von|der|den|da|di|la|le|du|bin|al) ){0,2}"
    return rf"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?{word}(?: {small}{word}){{0,4}}"


@cache
def _forms() -> dict[str, re.Pattern[str]]:
    """Return the patterns in which names occur, compiled when first needed."""
    name = _name()
    whose = rf"(?P<my>[Mm]y|[Oo]ur)|(?P<whose>{name})['’]s?"
    kin = rf"(?:best |close |old |older |elder |younger |little |big |good |twin )*(?P<kin>(?i:{KIN}|{ROLE}))"
    return {
        "name": re.compile(name),
        "kin": re.compile(rf"(?:{whose}) {kin},? (?P<name>{name})"),
        "by_the_way": re.compile(
            rf"\b(?P<my>[Mm]y) {kin}(?: (?P<name>{name})|, (?P<between>{name}),)(?!['’]s [A-Z])"
        ),
        # "Bob is Ann's brother"
        "is_kin": re.compile(rf"(?P<name>{name})(?: is| am|['’]s) (?:{whose}) {kin}"),
        # "Bob is the brother of Ann"
        "is_of": re.compile(
            rf"(?P<name>{name}|I)(?: is| am|['’][sm]) (?:(?:an?|the) )?{kin} (?:of|at) (?P<whose>{name})"
        ),
        # "Ann's brother is called Bob"
        "is_called": re.compile(
            rf"(?:{whose}) {kin}(?:(?: is|['’]s)(?: called| named)?|['’]s name is) (?P<name>{name})"
        ),
        "tail": re.compile(TAIL.replace("@", name)),
        "region": re.compile(rf"(?:, {name})?" + TAIL.replace("@", name)),
    }


@cache
def _verb(number: int) -> re.Pattern[str]:
    return re.compile(rf"(?:^|(?<=\w)(?='|\s)\s?)(?:{VERBS[number].pattern})(?= )", re.IGNORECASE)


def stated_links(text: str, known: Callable[[str], bool] = lambda name: False) -> list[StatedLink]:
    """Return the relations that a text states, in order, each once.

    `known` says if a name is already an entity: such names may be written in lower case.
    """
    found: dict[tuple[str, str, str], StatedLink] = {}
    for sentence in sentences(_TITLES.sub(r"\1 ", text[:_READ])):
        plain = _OPENING.sub("", sentence.replace("’", "'").strip()).rstrip(" .!;")
        told = _said(plain, known) if _plainly_said(plain) else []
        # "My brother Bob" holds within a question, too, but not within a quotation.
        by_the_way = [] if len(plain) > _LONGEST or _QUOTED.search(plain) else list(_appositions(plain))
        for each in (*told, *by_the_way):
            found.setdefault(
                (names.spelling_key(each.subject), each.relation, names.spelling_key(each.object)), each
            )
    return list(found.values())


def _plainly_said(sentence: str) -> bool:
    said = {word.casefold() for word in re.findall(r"\w+", sentence)}
    return not (
        len(sentence) > _LONGEST
        or not any(word.startswith(BEGINNINGS) for word in said)
        or said & NEGATION
        or STOPS.search(sentence)
        or transient_phrase(sentence)
        or speculative_phrase(sentence)
    )


def _said(sentence: str, known: Callable[[str], bool]) -> list[StatedLink]:
    """Return what a sentence states; if it cannot be parsed whole, what its clauses state."""
    if whole := list(_read(sentence, known)):
        return whole
    for joint in islice(_JOINT.finditer(sentence), _MOST_NAMES):
        if one := list(_read(sentence[: joint.start()], known)):
            return one + list(_read(sentence[joint.end() :], known))
    return []


def _appositions(sentence: str) -> Iterator[StatedLink]:
    """Yield relations mentioned in passing: "I went hiking with my brother Bob"."""
    for found in _forms()["by_the_way"].finditer(sentence):
        if told := _kin_link(found):
            yield told


def _read(sentence: str, known: Callable[[str], bool]) -> Iterator[StatedLink]:
    if told := _kinship(sentence):
        yield told
        return
    place = min(
        ((match.start(), -len(match[0]), number) for number, match in _found_verbs(sentence)), default=None
    )
    if place is None:
        return
    verb = VERBS[place[2]]
    subjects = _subjects(sentence[: place[0]].strip(), verb, known)
    if subjects is None:
        return
    ends, kin = subjects
    found = list(_predicates(sentence[place[0] :].strip(), ends, known))
    if found:
        yield from kin
        yield from found


def _found_verbs(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    for number in range(len(VERBS)):
        if match := _verb(number).search(text):
            yield number, match


def _kinship(sentence: str) -> StatedLink | None:
    """Return a relation by kinship or role: "is" with one name on each side; else None."""
    for form in ("is_kin", "is_of", "is_called"):
        found = _forms()[form].match(sentence)
        if found and (tail := _forms()["tail"].fullmatch(sentence[found.end() :])):
            told = _kin_link(found)
            return told._replace(since=tail["since"]) if told else None
    return None


def _kin_link(found: re.Match[str]) -> StatedLink | None:
    parts = found.groupdict()
    whose = OWNER if parts.get("my") else parts["whose"]
    name = parts["name"] or parts.get("between") or ""
    name = OWNER if name in ("I", "i") else name
    ends = [end for end in (name, whose) if end != OWNER]
    if not all(map(_is_name, ends)) or names.spelling_key(name) == names.spelling_key(whose):
        return None
    return StatedLink(name, f"{_word(parts['kin'])}_of", whose, 0.9)


def _word(kin: str) -> str:
    plain = {"mom": "mother", "mum": "mother", "dad": "father", "neighbor": "neighbour", "fiance": "fiancé"}
    kin = kin.casefold()
    return plain.get(kin, kin).replace("-", "_")


def _subjects(
    text: str, verb: Verb, known: Callable[[str], bool]
) -> tuple[list[str], list[StatedLink]] | None:
    """Return the names before a verb, and relations stated with them ("my brother Bob"); else None."""
    if text in ("I", "i"):
        return ([OWNER], []) if verb.first_person else None
    ends: list[str] = []
    kin: list[StatedLink] = []
    for part in _parts(text):
        if found := _forms()["kin"].fullmatch(part):
            told = _kin_link(found)
            if told is None:
                return None
            kin.append(told)
            ends.append(told.subject)
        elif name := _entity(part, verb, known):
            ends.append(name)
        elif part in ("I", "i") and verb.first_person:
            ends.append(OWNER)
        else:
            return None
    return (ends, kin) if ends and len(ends) <= _MOST_NAMES else None


def _parts(text: str) -> list[str]:
    return [part for part in re.split(r",\s*(?:and\s+)?|\s+and\s+", text) if part]


def _predicates(text: str, subjects: list[str], known: Callable[[str], bool]) -> Iterator[StatedLink]:
    """Yield a verb with its objects, and further predicates of the subjects; nothing unless all is parsed."""
    found: list[StatedLink] = []
    while text:
        verbs = [(-match.end(), number) for number, match in _found_verbs(text) if match.start() == 0]
        if not verbs:
            return
        end, number = min(verbs)
        verb, text = VERBS[number], text[-end:].strip()
        read = _objects(text, verb, known)
        if read is None:
            return
        objects, rest, since = read
        for subject in subjects:
            for each in objects:
                one, other = (each, subject) if verb.passive else (subject, each)
                if names.spelling_key(one) != names.spelling_key(other) and _sound(one, other, known):
                    found.append(StatedLink(one, verb.relation, other, verb.confidence, since))
        following = NEXT.match(rest) if rest else None
        text = rest[following.end() :] if following else ""
        if rest and not following:
            return
    yield from found


def _objects(text: str, verb: Verb, known: Callable[[str], bool]) -> tuple[list[str], str, str | None] | None:
    """Return the names after a verb, the rest of the text, and since when; None unless all is parsed."""
    following = min(
        (
            match.start()
            for match in NEXT.finditer(text)
            if any(found.start() == 0 for _, found in _found_verbs(text[match.end() :]))
        ),
        default=len(text),
    )
    clause, rest = text[:following], text[following:]
    # The longest list of names that is followed only by what does not revoke it.
    for end in [len(clause), *sorted((m.start() for m in re.finditer(r",? |,", clause)), reverse=True)]:
        tail = _forms()["region" if verb.place else "tail"].fullmatch(clause[end:])
        if tail is None or (verb.place and "," in clause[:end]):
            continue
        ends = [
            OWNER if part in ("me", "myself") else _entity(part, verb, known) for part in _parts(clause[:end])
        ]
        if ends and all(ends) and len(ends) <= _MOST_NAMES:
            return [each for each in ends if each], rest, tail["since"]
    return None


def _entity(text: str, verb: Verb, known: Callable[[str], bool]) -> str | None:
    """Return the name that a text is, without its article; None if it is none."""
    bare = re.sub(r"^(?:the|our|an?) ", "", text, flags=re.IGNORECASE)
    if _is_name(bare):
        return bare
    if _words_of(bare) & NO_NAME:
        return None
    if known(bare):
        return bare
    small = re.fullmatch(r"[a-z][\w.+#/-]*\w|\w[\w.+#/-]*(?: \w[\w.+#/-]*){1,2}", bare)
    # "The weather" and "a good friend" have the same form: see `_sound`.
    single = " " not in bare and text == bare
    return bare if verb.plain and small and (single or MACHINE.search(bare)) else None


def _sound(one: str, other: str, known: Callable[[str], bool]) -> bool:
    """True if lower-case names are of things: "the api depends on redis", not "success depends on luck"."""
    ends = (one, other)
    if all(_is_name(end) or end == OWNER or known(end) for end in ends):
        return True
    return any(MACHINE.search(end) or re.search(r"[\d._+#/-]", end) for end in ends)


def _is_name(text: str) -> bool:
    """True if a text is written as a name, and is no pronoun, weekday or number."""
    return bool(
        _forms()["name"].fullmatch(text)
        and names.spelling_key(text.split(maxsplit=1)[0]) not in NO_NAME
        and names.spelling_key(text.split(maxsplit=1)[0]).removesuffix("s") not in CALENDAR
        and any(character.isalpha() for character in text)
    )


def _words_of(text: str) -> set[str]:
    return {names.spelling_key(word) for word in text.split()}
