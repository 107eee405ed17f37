"""Names of days ahead, replaced by forms that are known: "Do bis So", "Mon–Wed", "Silvester", "Nochebuena".

An abbreviation counts as a day beside another one of its language: alone, "so", "do", "sun" and "mar" are
words, unless something else shows it (`ahead_short`).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from memcli.text.dates import ahead_short
from memcli.text.dates.ahead_words import AMONG, AND, EVERY, LAST
from memcli.text.dates.calendar import WEEKDAYS
from memcli.text.expressions import expression
from memcli.text.words import fold_case

# Abbreviations from Monday on, alternatives of one day with a bar; the words between two of them for a range,
# and for the two days alone.
_SHORT = (
    ("mon tue|tues wed thu|thur|thurs fri sat sun", "to|through|thru|until|till", "and"),
    ("mo di mi do fr sa so", "bis", "und"),
    ("lun mar mer jeu ven sam dim", "a|au", "et"),
    ("lun mar mie jue vie sab dom", "a|al|hasta", "y"),
    ("lun mar mer gio ven sab dom", "a|al", "e"),
    ("seg ter qua qui sex sab dom", "a|ate", "e"),
    ("ma di wo do vr za zo", "t/m|tot|tot en met", "en"),
)
_MARKS = r"\s*[-–—]\s*"
_WORD = expression(r"[a-z]+")
# Holidays by name, in seven languages, folded, each with its date.
_DAYS = {
    "24 december": (
        "(?:christmas|xmas) eve|heilig(?:er |en )?abend|weihnachtsabend|(?:reveillon|veille) de noel"
        "|nochebuena|vigilia di natale|(?:na )?(?:vespera de natal|consoada)|kerstavond"
    ),
    "25 december": (
        "(?:christmas|xmas) day|(?:erste[rn]?|1\\.) weihnachts(?:feier)?tag|jour de noel|dia de navidad"
        "|giorno di natale|dia de natal|(?:eerste|1e) kerstdag"
    ),
    "26 december": (
        "boxing day|(?:zweite[rn]?|2\\.) weihnachts(?:feier)?tag|(?:giorno di )?santo stefano"
        "|(?:tweede|2e) kerstdag"
    ),
    "31 december": (
        "new year'?s'? eve|nye|silvester(?:abend|nacht)?|(?:la )?(?:saint|st)[- ]sylvestre"
        "|reveillon du nouvel an|nochevieja|fin(?:al(?:es)?)? de ano|san silvestro"
        "|jahresende|end of (?:the |this )?year|year(?:'s)? end|fin (?:d'|de l')annee|fine (?:dell')?anno"
        "|fim (?:de|do) ano|eind(?:e)? (?:van het )?jaar"
        "|(?:na )?(?:vespera de ano novo|passagem de ano)|oudejaarsavond|oudejaarsdag|oud en nieuw"
    ),
    "1 january": (
        "new year'?s'? day|(?:(?<=at )|(?<=for )|(?<=over )|(?<=and ))new year(?!'?s)|neujahr(?:stag)?"
        "|(?:nouvel an|jour de l'an)|ano nuevo|capodanno|ano novo"
        "|nieuwjaar(?:sdag)?"
    ),
}  # fmt: skip
# "Christmas" is mostly a season, part of a compound ("Christmas tree"), or a name. It is a day only after an
# introducing word or at the beginning of a note, and without a noun after it.
_CHRISTMAS = "christmas|xmas|weihnachten|noel|navidad|natale|natal|kerstmis|kerst"
_LEADING = (
    "on|at|for|by|until|till|before|this|next|over|an|zu|bis|vor|uber|a|pour|avant|para|por|en|antes de|per"
    "|entro|prima di|no|ao|ate|met|voor|op|spending|celebrating"
)
_BEHIND = (
    r"(?=\s*(?:$|[.,;:!?)–—-]"
    r"|\b(?:at|in|with|by|bei|mit|im|am|zu|chez|avec|a|en|con|da|dai|em|com|bij|met|20\d\d)\b))"
)
_LED = rf"\b(?:{_LEADING})\s+"
_LED_CHRISTMAS = expression(rf"(?P<lead>{_LED})(?:{_CHRISTMAS})\b{_BEHIND}")
_OF_CHRISTMAS = expression(rf"(?P<lead>{_LED}|^\s*)(?:{_CHRISTMAS})\b{_BEHIND}", re.MULTILINE)
# "Between Christmas and" another day; German has a name for the days from there to the new year.
_AMONG_CHRISTMAS = expression(rf"(?P<lead>\b(?:{AMONG})(?: o)?\s+)(?:{_CHRISTMAS})\b(?=\s+(?:{AND})\b)")
_BETWEEN_YEARS = expression(r"\bzwischen den jahren\b")
_NOEL = "no\u00ebl"
# Words for recurring or past times, which name no day ahead.
_NOT_AHEAD = expression(rf"\b(?:{EVERY}|{LAST})\b")
# Every name contains one of these: a cheap test before the patterns.
_CUES = (
    "christmas", "xmas", "heilig", "weihnacht", "noel", "noch", "natal", "navidad", "kerst", "boxing",
    "stefano", "consoada", "new year", "nye", "silvest", "sylvestre", "nouvel an", "de l'an", "ano n",
    "de ano", "capodanno", "neujahr", "nieuw", "oudejaar", "den jahren", "jahresende", "year", "annee",
    "anno",    "do ano", "jaar",
)  # fmt: skip


# Cached, because several questions are asked of one text in turn.
@lru_cache(maxsize=64)
def with_days_named(text: str) -> str:
    """Return a text case-folded, with plain apostrophes, and with its days by names that the forms know."""
    folded = fold_case(text).replace("’", "'")
    # Most texts hold no two abbreviations: for these the expression is not compiled.
    if sum(word in _abbreviations() for word in _WORD.findall(folded)) > 1 and _any_short().search(folded):
        for pairs in _pairs():
            folded = pairs.sub(_spelt_out, folded)
    folded = ahead_short.with_short_days(folded, text)
    if any(cue in folded for cue in _CUES) and not _NOT_AHEAD.search(folded):
        folded = _BETWEEN_YEARS.sub("zwischen 25 december und 1 january", folded)
        for day, names in _of_year():
            folded = names.sub(day, folded)
        # "Noel" without an accent, and without an introducing word, is a person's name.
        of_christmas = _OF_CHRISTMAS if "noel" not in folded or _NOEL in text.casefold() else _LED_CHRISTMAS
        folded = _AMONG_CHRISTMAS.sub(r"\g<lead>25 december", folded)
        folded = of_christmas.sub(r"\g<lead>25 december", folded)
    return folded


def names_day_of_year(name: str) -> bool:
    """True if capitalised words are the name of a holiday, not of a person: "New Year", "Boxing Day"."""
    led = f"at {name}"
    return with_days_named(led) != fold_case(led)


@cache
def beginnings() -> frozenset[str]:
    """Return the words, and parts of words, with which these names begin."""
    every = " ".join((*(days for days, _, _ in _SHORT), *_DAYS.values(), _CHRISTMAS, "jahren"))
    return frozenset(re.findall("[a-z]+", every)) | ahead_short.beginnings()


@cache
def _of_year() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((day, re.compile(rf"\b(?:{names})(?!\w)")) for day, names in _DAYS.items())


@cache
def _abbreviations() -> frozenset[str]:
    return frozenset(day for days, _, _ in _SHORT for day in days.replace("|", " ").split())


@cache
def _any_short() -> re.Pattern[str]:
    """Return the pattern of a first test: two abbreviations and a word that may join them."""
    some = "|".join(sorted(_abbreviations(), key=len, reverse=True))
    joined = "|".join(f"{to}|{both}" for _, to, both in _SHORT)
    return re.compile(rf"\b(?:{some})\.?(?:{_MARKS}|\s*[&+]\s*|\s+(?:{joined})\s+)(?:{some})\b")


@cache
def _pairs() -> tuple[re.Pattern[str], ...]:
    found = []
    for days, to, both in _SHORT:
        names = days.split()
        one, other = (
            "|".join(f"(?P<{side}{n}>{name})" for n, name in enumerate(names)) for side in ("first", "last")
        )
        joined = rf"(?P<to>{_MARKS}|\s+(?:{to})\s+)|\s*(?:[&+]|\b(?:{both})\b)\s*"
        found.append(re.compile(rf"\b(?:{one})\b\.?(?P<between>{joined})(?:{other})\b\.?(?![-\w])"))
    return tuple(found)


def _spelt_out(match: re.Match[str]) -> str:
    """Return two abbreviations as weekdays; unchanged if they are one day, or not in order."""
    first, last = (next(n for n in range(len(WEEKDAYS)) if match[f"{side}{n}"]) for side in ("first", "last"))
    if first == last or (first > last and not match["to"]):
        return match[0]
    joined = " to " if match["to"] else " and "
    return f"{WEEKDAYS[first]}{joined}{WEEKDAYS[last]}"
