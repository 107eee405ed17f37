"""Quantities in a text (numbers, times of day, weekdays, months) as values, however written; seven languages.

"half nine", "9:30" and "21.30 Uhr" are one time, "twenty-five" and "25" one number, "Montags" and "on
Mondays" one day. Number words that are mostly articles ("eine", "un") do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from zlib import crc32

from memcli.named_tuple import NamedTuple
from memcli.text.dates import calendar
from memcli.text.expressions import expression

# One row per value, from zero on, with its words in all languages.
_UNITS = """
    zero null zéro cero nul|one eins één|two zwei zwo deux dos due dois duas twee|three drei trois tres
    tre três drie|four vier quatre cuatro quattro quatro|five fünf cinq cinco cinque vijf|six sechs seis
    sei zes|seven sieben sept siete sette sete zeven|eight acht huit ocho otto oito|nine neun neuf nueve
    nove negen|ten zehn dix diez dieci dez tien|eleven elf onze once undici|twelve zwölf douze doce
    dodici doze twaalf|thirteen dreizehn treize trece tredici treze dertien|fourteen vierzehn quatorze
    catorce quattordici veertien|fifteen fünfzehn quinze quince quindici vijftien|sixteen sechzehn seize
    dieciséis sedici dezesseis dezasseis zestien|seventeen siebzehn diecisiete diciassette dezessete
    zeventien|eighteen achtzehn dieciocho diciotto dezoito achttien|nineteen neunzehn diecinueve
    diciannove dezenove negentien|twenty zwanzig vingt veinte venti vinte twintig
"""
_LARGER = {
    30: "thirty dreißig trente treinta trenta trinta dertig",
    40: "forty vierzig quarante cuarenta quaranta quarenta veertig",
    50: "fifty fünfzig cinquante cincuenta cinquanta cinquenta vijftig",
    60: "sixty sechzig soixante sesenta sessanta sessenta zestig",
    70: "seventy siebzig setenta settanta zeventig",
    80: "eighty achtzig ochenta ottanta oitenta tachtig",
    90: "ninety neunzig noventa novanta negentig",
    100: "hundred hundert cien cento honderd",
    1000: "thousand tausend mille duizend",
    12: "dozen dutzend douzaine docena dozzina dúzia dozijn",
    1: "first erste ersten premier première primero primera primeiro eerste",
    2: "twice zweimal zweite zweiten deuxième tweede",
    3: "third dritte dritten troisième tercero tercera terzo terza terceiro derde",
}
# Ordinals from the first on, one row per number, in the forms that they take before a noun.
_ORDINALS = """
    first erste ersten erster erstes premier premiere primer primero primera primo prima primeiro primeira
    eerste
    |second zweite zweiten zweiter zweites deuxieme segundo segunda secondo seconda tweede
    |third dritte dritten dritter drittes troisieme tercer tercero tercera terzo terza terceiro terceira derde
    |fourth vierte vierten vierter viertes quatrieme cuarto cuarta quarto quarta vierde
    |fifth funfte funften funfter funftes cinquieme quinto quinta vijfde
    |sixth sechste sechsten sechster sechstes sixieme sexto sexta sesto sesta zesde
    |seventh siebte siebten siebter siebtes septieme septimo septima settimo settima setimo setima zevende
    |eighth achte achten achter achtes huitieme octavo octava ottavo ottava oitavo oitava achtste
    |ninth neunte neunten neunter neuntes neuvieme noveno novena nono nona negende
    |tenth zehnte zehnten zehnter zehntes dixieme decimo decima tiende
    |eleventh elfte elften elfter elftes onzieme undecimo undicesimo elfde
    |twelfth zwolfte zwolften zwolfter zwolftes douzieme duodecimo dodicesimo twaalfde
"""
_DAYS = """
    monday montag lundi lunes lunedì maandag|tuesday dienstag mardi martes martedì dinsdag|wednesday
    mittwoch mercredi miércoles mercoledì woensdag|thursday donnerstag jeudi jueves giovedì
    donderdag|friday freitag vendredi viernes venerdì vrijdag|saturday samstag sonnabend samedi sábado
    sabato zaterdag|sunday sonntag dimanche domingo domenica zondag
"""
_MONTHS = """
    january januar jänner janvier enero gennaio janeiro januari jan|february februar février febrero
    febbraio fevereiro februari feb|march märz mars marzo março maart|april avril abril aprile apr|may
    mai mayo maggio maio mei|june juni juin junio giugno junho|july juli juillet julio luglio
    julho|august août agosto augustus aug|september septembre septiembre settembre setembro sept
    sep|october oktober octobre octubre ottobre outubro oct okt|november novembre noviembre novembro
    nov|december dezember décembre diciembre dicembre dezembro dec dez
"""
_TOKEN = expression(r"\d+(?:[.,:h’']\d+)*|[^\W\d_]+")
_CLOCK = expression(r"(\d{1,2})[:h](\d\d)")
_GROUPED = expression(r"\d{1,3}(?:[.,’']\d{3})+")
_OF_THE_CLOCK = frozenset({"am", "pm", "uhr", "heures", "uur", "ore", "o"})
# Half to the hour named, in English half past it: "halb neun", "half negen" is 8:30.
_HALF_BEFORE = frozenset({"halb", "halbe"})
_HALF = _HALF_BEFORE | {"half"}


class Quantities(NamedTuple):
    """The numbers of a text, and its days (`d0` is Monday) and months (`m1` is January)."""

    numbers: frozenset[float]
    calendar: frozenset[str]


@lru_cache(maxsize=4096)
def quantities(text: str) -> Quantities:
    """Read the quantities of a text; times of day are hours of twelve ("21:30" is 9.5)."""
    tokens = _TOKEN.findall(text.casefold())
    said, known = {*tokens}, calendar_words()
    said_of_several = {token[:-1] for token in said - known.keys() if token.endswith("s")}
    days = {known[name] for name in (said | said_of_several) & known.keys()}
    return Quantities(frozenset(_numbers(tokens)), frozenset(days))


def _numbers(tokens: Sequence[str]) -> Iterator[float]:
    words, begin = number_words(), 0
    # Most texts have no number: return early.
    if _worded().isdisjoint(tokens) and not any(token[0].isdigit() for token in tokens):
        return
    for place, token in enumerate(tokens):
        # Most words are no number.
        if place >= begin and (token in words or token in _HALF or token[0].isdigit()):
            after = tokens[place + 1 : place + 3]
            value, used = _half(token, after) or _number(token, after)
            if value is not None:
                yield value
            begin = place + used


def _half(token: str, after: Sequence[str]) -> tuple[float, int] | None:
    if token not in _HALF or not after:
        return None
    past = after[0] == "past"
    hour = _value(after[1]) if past and len(after) > 1 else _value(after[0])
    if hour is None or not 0 < hour <= 12:
        return None
    english = past or after[0] in _ENGLISH_HOURS or after[0].isdigit()
    before = token in _HALF_BEFORE or not english
    return (hour - 0.5 if before else hour + 0.5) % 12, 3 if past else 2


_ENGLISH_HOURS = frozenset(calendar.NUMBERS[1:13])


def _number(token: str, after: Sequence[str]) -> tuple[float | None, int]:
    value = _value(token)
    following = after[0] if after else ""
    if value is None:
        return None, 1
    if _CLOCK.fullmatch(token):
        return value % 12, 1
    if following in _OF_THE_CLOCK and value < 25:
        clock = _CLOCK.fullmatch(token.replace(".", ":"))
        return (value if clock is None else int(clock[1]) + int(clock[2]) / 60) % 12, 2
    next_value = number_words().get(following)
    if next_value in (100, 1000) and value < 1000:
        return value * next_value, 2
    # "Twenty-five", "vingt-cinq".
    if not token[0].isdigit() and next_value and next_value < 10 <= value < 100 and value % 10 == 0:
        return value + next_value, 2
    return value, 1


def _value(token: str) -> float | None:
    if not token[0].isdigit():
        return number_words().get(token)
    if clock := _CLOCK.fullmatch(token):
        return int(clock[1]) + int(clock[2]) / 60
    if _GROUPED.fullmatch(token):
        return float(re.sub(r"[.,’']", "", token))
    try:
        return float(re.sub("[,:h’']", ".", token))
    except ValueError:  # a version, a date
        # For 3.1.2 or 2026.05.03, an arbitrary number that is the same each time.
        return float(10**6 + crc32(token.encode()))


@cache
def _worded() -> frozenset[str]:
    return _HALF.union(number_words())


@cache
def number_words() -> dict[str, float]:
    """Return the words for numbers, in lower case, with their values."""
    found: dict[str, float] = {}
    for value, words in [*enumerate(_UNITS.split("|")), *_LARGER.items()]:
        found.update(dict.fromkeys(words.split(), float(value)))
    return found


@cache
def ordinal_words() -> dict[str, int]:
    """Return the folded words for the first to the twelfth, with their numbers."""
    rows = enumerate(_ORDINALS.split("|"), 1)
    return {word: number for number, words in rows for word in words.split()}


@cache
def calendar_words() -> dict[str, str]:
    """Return the names of weekdays and months, in lower case: `d0` is Monday, `m1` January."""
    found = {word: f"d{day}" for day, words in enumerate(_DAYS.split("|")) for word in words.split()}
    for month, words in enumerate(_MONTHS.split("|"), 1):
        found.update(dict.fromkeys(words.split(), f"m{month}"))
    return found
