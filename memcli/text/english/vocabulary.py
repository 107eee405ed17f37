"""Vocabulary: word classes by their effect on a statement (negation, quantity, time, person), and synonyms.

Closed classes of English after its grammars, with the most common words of German, French and Spanish;
opposites and synonyms are everyday words, chosen before any data was looked at. All case-folded and with
contractions expanded, as `tokens.tokenize` returns them.
"""

from __future__ import annotations

import itertools
from functools import cache

from memcli.text.dates import calendar
from memcli.text.dates.calendar import MONTHS, ORDINALS, TENS, WEEKDAYS
from memcli.text.english.word_forms import american_spelling


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list written as text."""
    return frozenset(text.split())


# What denies whatever it stands beside: the core of each list of negations.
PLAIN_NEGATION = word_set(
    """
    not no never none nobody nothing without
    nicht kein keine keinen keiner nie niemals ohne
    non niet geen nooit nao nem
    ne pas jamais rien aucun sans
    nunca ningun ninguna sin
    """
)
# And what does so in part, or of more: nobody, nowhere, seldom, but for.
NEGATION = PLAIN_NEGATION | word_set(
    """
    nowhere neither nor hardly barely rarely seldom scarcely cannot lack lacks lacking except unless
    keinem keines nichts niemand
    nein nessuno не нет ни без никогда
    aucune
    nada nadie ninguno tampoco
    """
)
MODAL = word_set(
    """
    will would shall should must may might can could ought need
    darf kann konnte konnen muss musste mussen soll sollte wird wurde werden
    doit devrait peut pourrait
    debe deberia puede podria
    """
)
QUANTITY = word_set(
    """
    all every each any some most many much few several both half only always usually often sometimes
    occasionally mostly mainly almost nearly about around approximately roughly exactly least more less
    fewer enough too once twice daily weekly monthly yearly hourly nightly annually another other else
    alle jeder jede jedes einige manche wenige viele immer oft manchmal meistens nur selten mehr weniger
    tous toutes chaque quelques plusieurs toujours souvent parfois seulement plus moins
    todos todas cada algunos algunas muchos pocos siempre veces solo menos
    """
)
# Relations in time, order or condition, without which a statement means something else.
RELATION = word_set(
    """
    before after until till since during while if than instead rather unlike against despite although
    because yet again anymore longer ago formerly previously former ex later earlier first
    last next current new old under behind beside near between beyond above below
    vor nach bis seit wenn statt anstatt noch schon
    avant apres depuis jusque si lieu
    antes despues hasta desde
    """
)
# Prepositions; those between two bars mean the same.
_PREPOSITIONS = """
with along|without|in within inside|into|on upon onto|off|at|to toward unto|from|by via|for|against|of|about
concerning regarding|over|under beneath underneath below|above|between among|across|through throughout
around|beyond|near beside|behind|past|before|after|during|until till|since|per|up|down|out|away|back
"""
PREPOSITIONS = {
    word: line.split()[0] for line in _PREPOSITIONS.replace("\n", "|").split("|") for word in line.split()
}
# Particles of phrasal verbs, without which the verb is another.
PARTICLES = word_set("up down out off away back over on in")
ARTICLES = word_set("a an the this that these those")
# Articles of other languages.
FOREIGN_ARTICLES = word_set(
    """
    der die das den dem des ein eine einen einem einer
    le la les l un une el los las una il lo gli de het een o os as
    """
)
# Personal and possessive pronouns by person: English, then German, French and Spanish.
PERSON = {
    word: person
    for person, members in {
        "i": "i me my mine myself ich mir mich mein meine meinen meinem meiner je moi mon ma mes yo mi mis",
        "you": "you your yours yourself du dir dich dein deine tu toi ton ta tes vous votre vos usted",
        "he": "he him his himself",
        "she": "she her hers herself",
        "we": "we us our ours ourselves wir uns unser unsere nous notre nos nosotros nuestro nuestra",
        "they": "they them their theirs themselves",
    }.items()
    for word in members.split()
}
# Whoever speaks, as one who does something, in the seven languages.
FIRST_PERSON = word_set("i we ich wir je yo nosotros io noi eu ik wij")
POSSESSIVE = word_set("my your his her its our their whose mein meine dein deine mon ma mes mi mis su sus")
SUBJECT = {"i": "i", "he": "he", "she": "she", "we": "we", "they": "they"}
OBJECT = {"me": "i", "him": "he", "her": "she", "us": "we", "them": "they"}
PAST = word_set("was were had did used been war hatte etait avait era tenia")
PRESENT = word_set("is are am has have do does being")

# Words without which a statement means the same: intensifiers, and verbs that only connect.
LIGHT = word_set(
    """
    really truly very actually currently now nowadays already still simply basically definitely
    certainly absolutely quite honestly personally generally please also just own owns use uses
    using utilize utilizes have has having got hav located situated based happen happens indeed
    """
)
# Words of approximation, which is seldom a difference; "any" only accompanies a negation.
APPROXIMATE = word_set("about around approximately roughly circa any")
TITLES = word_set("mr mrs ms miss dr")
# Words before a noun that is meant in general, so that singular and plural are the same.
GENERIC = word_set(
    "to of for about like love enjoy hate dislike prefer adore avoid eat drink want allergic fear"
)
# Stems of verbs of liking.
LIKING = word_set("prefer lik lov enjoy ador favor")

# Days, times of day, months, seasons: another one is another value, as with numbers. Without "may", the verb.
CALENDAR = frozenset((*WEEKDAYS, *MONTHS)) - {"may"} | word_set(
    """
    today tomorrow yesterday tonight noon midnight morning afternoon evening night weekend weekday
    spring summer autumn winter
    montag dienstag mittwoch donnerstag freitag samstag sonntag heute morgen gestern
    lundi mardi mercredi jeudi vendredi samedi dimanche demain hier
    lunes martes miercoles jueves viernes sabado domingo manana hoy ayer
    """
)
# Units with their spellings; plurals in -s are derived.
_UNIT_SIGNS = {
    "second": "s sec", "minute": "min", "hour": "h hr", "day": "d", "week": "w wk", "month": "",
    "year": "y yr", "decade": "", "meter": "m metre", "mile": "mi", "inch": "inches", "yard": "", "gram": "g",
    "pound": "lb £", "ounce": "oz", "ton": "tonne", "liter": "l litre", "gallon": "", "degree": "°",
    "celsius": "c", "fahrenheit": "f", "byte": "b", "percent": "%", "dollar": "usd buck $", "euro": "eur €",
    "yen": "¥", "cent": "", "thousand": "k", "million": "mio", "billion": "bn", "trillion": "",
    "dozen": "", "watt": "", "volt": "v", "calorie": "kcal", "kilogram": "kilo",
}  # fmt: skip
_PREFIXES = {"m": "milli", "c": "centi", "k": "kilo", "g": "giga", "t": "tera", "M": "mega"}
# The prefixes of each unit, in any case; and unit signs where case matters.
_PREFIXED = {"second": "m", "meter": "mck", "gram": "k", "liter": "m", "watt": "k", "byte": "kgtM"}
_BY_CASE = {"W": "watt", "V": "volt", "A": "ampere", "Hz": "hertz"}
UNIT_NAMES = (
    {written: unit for unit, signs in _UNIT_SIGNS.items() for written in (unit, *signs.split())}
    | {
        (prefix + sign).lower(): _PREFIXES[prefix] + unit
        for unit, prefixes in _PREFIXED.items()
        for prefix in prefixes
        for sign in (_UNIT_SIGNS[unit] or unit[0]).split()[:1]
    }
    | {
        _PREFIXES[prefix] + written: _PREFIXES[prefix] + unit
        for unit, prefixes in _PREFIXED.items()
        for prefix in prefixes
        for written in (unit, *_UNIT_SIGNS[unit].split()[1:])
    }
)
UNITS_BY_CASE = {
    **{f"{prefix.upper()}b{per}": f"{_PREFIXES[prefix]}bit" for prefix in "kgtM" for per in ("", "ps")},
    **{f"{prefix.upper()}Bps": f"{_PREFIXES[prefix]}byte-a-second" for prefix in "gM"},
    **{prefix + sign: _PREFIXES[prefix] + unit for prefix in "mM" for sign, unit in _BY_CASE.items()},
    "GW": "gigawatt", "M": "million",
}  # fmt: skip
UNIT = frozenset((*UNIT_NAMES.values(), *UNITS_BY_CASE.values())) | word_set(
    "foot feet kelvin bit franc hertz ampere"
)
# Without "first", which is mostly an adverb of time and one of the relations.
NUMBERS = {
    **{word: str(number) for number, word in enumerate(calendar.NUMBERS)},
    **{word: str(10 * number) for number, word in enumerate(TENS, start=2)},
    **{word: str(number) for number, word in enumerate(ORDINALS, start=2)},
}

# In each group the first is the opposite of all others. Function words only: for content words the
# replacement itself shows ("opened", "closed").
_OPPOSITES = (
    "up down from|to into from|in out|on off|with without|before after|above below|over under|for against"
)
_SYNONYMS = """
called named name|begin start commence|begins starts commences|big large|purchase buy|doctor physician
live reside dwell|kid child|kids children|phone telephone cellphone|shop store|answer reply respond
apartment flat|holiday vacation|repository repo|production prod|development dev|bicycle bike
mum mom mother|dad father|till until|everyone everybody|each every|sofa couch|lawyer attorney
favorite preferred|stored kept|like love enjoy prefer adore favor|likes loves enjoys prefers adores favors
lik lov enjoy prefer ador favor|upon on
"""


@cache
def _table(name: str) -> dict[str, frozenset[str]]:
    """Return each word of a table with its counterparts; built when first asked for."""
    against: dict[str, set[str]] = {}
    for group in (_OPPOSITES if name == "opposites" else _SYNONYMS).strip().replace("\n", "|").split("|"):
        first, *others = members = [american_spelling(word) for word in group.split()]
        for one, other in (
            itertools.combinations(members, 2) if name == "synonyms" else ((first, each) for each in others)
        ):
            against.setdefault(one, set()).add(other)
            against.setdefault(other, set()).add(one)
    return {word: frozenset(those) for word, those in against.items()}


def opposites(word: str) -> frozenset[str]:
    """Return the everyday opposites of a folded word."""
    return _table("opposites").get(word, frozenset())


def synonyms(word: str) -> frozenset[str]:
    """Return the everyday synonyms of a folded word."""
    return _table("synonyms").get(word, frozenset())
