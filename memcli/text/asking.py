"""Asking: how a question is put: whether it is one, what and whom it asks for, one thing or several.

By forms of words alone; in the eight languages of `memcli.text.stopwords` where it says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcli.text import words
from memcli.text.expressions import expression
from memcli.text.stopwords import BUT_FRENCH, ENGLISH, FOREIGN, FRENCH, GERMAN, STOPWORDS

# These are sets of words, not patterns: to compile a pattern of so many takes longer than the rest of this.
# What is asked for, by the question words of seven languages and Polish.
_ASKED_FOR = {
    word: what
    for what, words_ in {
        "who": "who whom whose wer wem wen qui quien chi quem wie kto",
        "when": "when wann quand cuando quando wanneer kiedy",
        "where": "where wo wohin ou donde dove waar onde gdzie",
        "how": "how",
        "count": "wieviel wieviele combien cuanto cuantos cuantas quanto quanti quante hoeveel quantos ile",
        "why": "why warum wieso pourquoi perche porque waarom dlaczego",
        "what": "what which was que che cosa cual wat welke quel quelle welche welcher co",
    }.items()
    for word in words_.split()
}
# After "how" these words ask for a number.
_MEASURED = frozenset({"many", "much", "long", "old", "often", "far", "big", "tall"})
# Words that say that something is measured, not what; case-folded.
_MEASURING_WORDS = """
how heavy cost costs weigh weighs pay paid spend spent owe
quanto quanta quanti quante costa costato pesa combien coute coutent pese wie viel viele kostet gekostet wiegt
cuanto cuesta costo cuantos custa hoeveel kost
"""
MEASURING = _MEASURED | frozenset(_MEASURING_WORDS.split())
# Other first words of questions, case-folded: further forms of the above, English auxiliaries and requests.
_OPENING_WORDS = """
whos whats whens wheres hows is are am were do does did can could should would will shall may might must
have has had list tell show give find name remind describe explain summarize summarise compare wessen
welches welchen welchem woher woran womit worauf wofur wovon weshalb quoi quels quelles comment lequel
laquelle qu est-ce quienes cuales adonde como cuanta qual quale quali quanta quais quantas welk waarmee hoe
wiens кто кого кому что какой какая какое какие когда где куда откуда почему зачем как сколько чеи
"""
# Words that may stand before the first word: "and", "an welchem Abend", "by when", "à quelle heure".
_BEFORE_WORDS = """
and but so then hey hi please und aber et y e bitte an in at on by for from to of with auf aus bei bis fur
mit seit um von zu vor nach a au de en pour par para con da di per op bij met voor в на с о у из до
"""
OPENING = frozenset((*_ASKED_FOR, *_OPENING_WORDS.split()))
_BEFORE = frozenset(_BEFORE_WORDS.split())
# Modal verbs (can, may, should, must) in these languages, Polish, Danish, Norwegian and Swedish.
_MODAL_WORDS = """
can could may might must should shall need allowed darf dürfen dürfte kann können könnte soll sollen sollte
muss müssen puis peut peux pouvons dois doit devons devrais faut puedo puede podemos debo debe debemos posso
possiamo può devo deve dobbiamo pode devemos mag mogen moet moeten kunnen kan må skal ska bør bör får måste
mogę może można możemy powinienem powinnam muszę trzeba могу можем можно должен должна нужно надо
"""
_MODAL = frozenset(_MODAL_WORDS.split())
# Questions for how a thing is done, which a rule may govern.
_WAY = expression(r"\bhow (?:to|do|does|is|are)\b")
# Words of questions for more than one thing: for all of a kind, a count, a change, a course over time.
_SEVERAL_WORDS = """
list enumerate summarize summarise compare recap overview summary all every each several various different
kinds types sorts examples ways aspects steps throughout chronological chronologically history timeline
sequence alle samtliche tous toutes todos todas cuales tutti tutte quali quais allemaal все какие quels
quelles
"""
_SEVERAL_PHRASES = ("how many", "over time", "so far", "in order", "in common", "any other", "what else")
_CHANGING = ("chang", "evolv", "progress", "develop", "grow", "improv")
# Uncountable nouns, which have no plural: "what food did she make".
_UNCOUNTED_WORDS = (
    "food music art clothing equipment furniture advice feedback progress gear work stuff people"
)
# Questions for who does something to whom have a word for "who" and one for the speaker, or a "whom".
_WHO_WORDS = """
who wer wie qui quien chi quem anyone anybody someone somebody jemand alguien qualcuno alguem iemand people
"""
_SELF_WORDS = "i me us we ich mir mich wir uns je j moi m yo mi io eu ik mij we wij ons"
_WHOM_WORDS = "whom wem wen"
_WHO, _SELF = frozenset(_WHO_WORDS.split()), frozenset(_SELF_WORDS.split())
_TO_WHOM = frozenset(_WHOM_WORDS.split())
_WHOM = expression(r"\b(?:a|aan) (?:qui|quien|chi|quem|wie)\b")
# Beginnings of words of owing and lending; "debo" contains the speaker.
_OWING = expression(r"\b(?:ow[ei]|borr?[og]|len[dte]|schuld|gelieh|pres?t|empr|(?:doi[st]|de[bv][oe])\b)")
# Words that end like a plural and are none: "what is", "which bus".
_SINGULAR_WORDS = "is was does has this his its us bus gas class news"
_SEVERAL, _UNCOUNTED = frozenset(_SEVERAL_WORDS.split()), frozenset(_UNCOUNTED_WORDS.split())
_SINGULAR = frozenset(_SINGULAR_WORDS.split())
# "what are some good …": advice, of which one will do.
_ADVICE = frozenset(["some", "the", "good", "your"])
_BEING = frozenset(["is", "are", "was", "were", "am"])
_GENITIVE = expression(r"['’]s$")
_ENDS = ",;:.!?"
_TITLE_WORDS = "mr mister mrs ms miss dr doctor prof professor sir lord lady madam st saint"
_TITLES = frozenset(_TITLE_WORDS.split())


def is_asked(text: str) -> bool:
    """True if a text is a question or a request; False for a category or a statement."""
    if text.rstrip(" \n\t\"')”»").endswith(("?", "？", "؟", "\u037e")):
        return True
    said = _folded_words(text)[:3]
    while said and said[0] in _BEFORE and said[0] not in OPENING:
        said = said[1:]
    return bool(said) and said[0] in OPENING


def what_is_asked(words: Sequence[str]) -> str:
    """Return what a question asks for, by its first question word (folded words); empty without one.

    One of "who", "when", "where", "why", "what", "how", and for a number "how much" or "count".
    """
    found = next((_ASKED_FOR[word] for word in words if word in _ASKED_FOR), "")
    if found != "how" or words[:1] != ["how"]:
        return found
    return "how much" if words[1:2] and words[1] in _MEASURED else "how"


def asks_for_fact(text: str) -> bool:
    """True if a text asks for a fact, not for what somebody may or should do, nor how something is done."""
    folded = text.casefold()
    doing = _WAY.search(folded) or not _MODAL.isdisjoint(re.findall(r"\w+", folded))
    return is_asked(text) and not doing


def is_foreign(text: str) -> bool:
    """True if a text is not in English, by its function words, or is a question without any."""
    said = set(_folded_words(text))
    english, others = len(said & ENGLISH - FOREIGN), len(said & FOREIGN - ENGLISH)
    return others > english or (not (english or others) and is_asked(text))


def may_be_french(text: str) -> bool:
    """True if a text has French function words, and no more of any other language."""
    said = set(_folded_words(text))
    french = len(said & FRENCH - ENGLISH)
    return french > 0 and all(len(said & other) <= french for other in BUT_FRENCH)


def asks_who_to_whom(folded: str) -> bool:
    """True if a folded question asks who does something to the speaker, or to whom the speaker does it.

    Or if it asks what one of the two owes the other.
    """
    said = set(_folded_words(folded))
    if not said.isdisjoint(_TO_WHOM) or _OWING.search(folded):
        return True
    return not said.isdisjoint(_WHO) and (not said.isdisjoint(_SELF) or _WHOM.search(folded) is not None)


def asks_for_several(text: str) -> bool:
    """True if several memories answer a question together: a list, a count, a change. Mostly English."""
    said = _folded_words(text)
    if _SEVERAL.intersection(said):
        return True
    spoken = f" {' '.join(said)} "
    if any(f" {phrase} " in spoken for phrase in _SEVERAL_PHRASES):
        return True
    if said[:1] == ["how"] and any(word.startswith(_CHANGING) for word in said):
        return True
    for place, word in enumerate(said):
        after = said[place + 1 : place + 3]
        if word in ("what", "who", "whom", "where") and after[:1] in (["has"], ["have"], ["are"]):
            return not _ADVICE.intersection(after[1:])
        if word in ("what", "which") and any(map(_is_plural, after)):
            return True
    return False


def _is_plural(word: str) -> bool:
    if word in _UNCOUNTED:
        return True
    ends = len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ness"))
    return ends and word not in _SINGULAR


def _folded_words(text: str) -> list[str]:
    """Return the words of a text, case-folded and split at apostrophes ("qu'est-ce")."""
    parts = words.fold_case(text).replace("’", " ").replace("'", " ").split()
    return [bare for part in parts if (bare := part.strip('¿¡?!.,:;"()[]“”„«»…-'))]


def bare_word(word: str) -> str:
    """Return a word without punctuation and genitive ending."""
    if word.isalnum():
        return word
    word = word.replace("’", "'")
    if "'s" in word:
        word = re.sub(r"'s\b", "", word)
    return "".join(each for each in word if each.isalnum() or each == "_")


def nouns_have_capitals(text: str) -> bool:
    """True if a text is in German, by its function words: there a capital does not mark a name."""
    said = set(_folded_words(text))
    return len(said & GERMAN - ENGLISH) > len(said & ENGLISH - GERMAN)


def predicates_name(question: str) -> bool:
    """True if a question asks if somebody is something ("is Priya Indian?"), which may be capitalised."""
    return _folded_words(question)[:1] in ([word] for word in _BEING)


def given_name(name: str) -> str:
    """Return the first word of a name without titles: "Ross" of "Ross Geller", "Geller" of "Dr. Geller"."""
    parts = name.split()
    return next((part for part in parts if words.fold_case(bare_word(part)) not in _TITLES), name)


def capitalised_words(question: str) -> list[str]:
    """Return the words of a question that may be names: see `name_runs`."""
    return list(dict.fromkeys(name for run in name_runs(question) for name in run))


def name_runs(question: str) -> list[tuple[str, ...]]:
    """Return the names that a question may hold, each as a run of capitalised words, without titles.

    Every sentence begins with a capital: its first word counts as a name only if another follows ("Priya
    Raman"), or if it has a genitive ("Jonas's").
    """
    runs: list[tuple[str, ...]] = []
    run: list[str] = []
    for place, word in enumerate([*question.split(), ""]):
        bare, bound = bare_word(word), word.rstrip(_ENDS)
        folded = words.fold_case(bare)
        named = bare[:1].isupper() and bare != "I" and not (place == 0 and folded in STOPWORDS)
        genitive = named and _GENITIVE.search(bound) is not None
        opens = place - len(run) == 0
        if named and folded not in _TITLES:
            run.append(bare)
        if not named or genitive or bound != word:
            if len(run) > (opens and not genitive):
                runs.append(tuple(run))
            run = []
    return runs
