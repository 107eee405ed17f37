"""Short names of days ahead, spelt out as the forms know them: "tmrw", "fri am", "bis Mi.", "by 13.11".

An abbreviated weekday counts as one if no other word is spelt like it, after an introducing word ("bis Do",
"pour ven."), or before an hour, a part of the day or a date ("wed 10am", "Do 19 Uhr"). In seven languages.
"""

from __future__ import annotations

import re
from functools import cache, partial

from memcli.named_tuple import NamedTuple
from memcli.text.dates.calendar import WEEKDAYS
from memcli.text.expressions import expression
from memcli.text.words import fold_case

_DAY_MONTH = (
    r"\d{1,2}(?:st|nd|rd|th)?(?=\s*(?:$|[,;!?)\n]|\.(?:\s|$)))|\d{1,2}(?:st|nd|rd|th)\b|\d{1,2}[./]\d"
)
_ENGLISH_PART = (
    r"am|pm|a\.m|p\.m|morn(?:ing)?|aft(?:ernoon)?|eve(?:ning)?|night|nite|lunch(?:time)?|noon|first thing"
)
_ENGLISH_HOUR = (
    r"(?:at |@ ?)?\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\b|(?:at |@ ?)\d|\d{1,2}[:.]\d\d\b|0\d{3}\b|1\d[0-5]0\b"
)
# What ends the name of a day: nothing after it belongs to the day.
_ENDS = r"\s*(?:$|[,;:!?)\n–—]|-\s)"


class _Language(NamedTuple):
    """The abbreviated weekdays of a language, all patterns of case-folded text, from Monday on."""

    short: str
    whole: str
    leads: str
    """Words that may introduce one."""
    not_led: str
    """Introducing word and abbreviation that together mean something else ("tot zo")."""
    behind: str
    """An hour and the like, which after an abbreviation shows that it is a day."""
    only_led: str = "(?!)"
    """Abbreviations that too often are other words to be shown by an hour alone ("can do 10:30")."""
    alone: str = "(?!)"
    """Abbreviations that are no other words, and so are days anywhere."""
    loose: str = "(?!)"
    """Introducing words after which any word may follow the day, except after Sunday."""
    clear: str = ""
    """What must follow an abbreviation that is not capitalised."""


_LANGUAGES = (
    _Language(
        "mon tue|tues wed|weds thu|thur|thurs fri sat sun",
        " ".join(WEEKDAYS),
        "by|until|'?till?|before|due|on|next|this|from|to|for|since|after|every|each|last|latest|not",
        "(?:from|for|to|after|since|this|last|not) sun|to wed",
        rf"(?:{_ENGLISH_PART})\b|{_ENGLISH_HOUR}|{_DAY_MONTH}",
        alone="tues|weds|thu|thur|thurs|fri",
        loose="by|until|till?|before|due|on|next|every",
    ),
    _Language(
        "mo di mi do fr sa so",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "bis(?: zum)?|spatestens|vor|(?<!\\bi )am|ab|seit|jeden|nachste[nr]|kommende[nr]|diese[nr]|letzte[nr]"
        "|von|auf",
        "(?!)",
        r"(?:um |ab |gegen )?\d{1,2}(?:[:.]\d\d)? ?(?:uhr|h)\b|(?:um )?\d{1,2}[:.]\d\d\b"
        r"|(?:fruh|vormittag|mittag|nachmittag|abend)\b"
        r"|\d{1,2}\.\s?(?:\d|jan|feb|mar|apr|mai|jun|jul|aug|sep|okt|nov|dez)",
        loose="bis|spatestens",
        clear=r"\.?,? (?:um |ab |gegen )?\d{1,2}(?:[:.]\d\d)? ?uhr\b",
    ),
    _Language(
        "lun mar mer jeu ven sam dim",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "pour|avant|d'ici|jusqu'(?:a|au)|ce|le|des|au|chaque|depuis",
        "(?:ce|le|au|chaque) jeu|(?:pour|avant|chaque) sam|avant mar|(?:pour|avant) mer",
        r"(?:a |vers )?\d{1,2} ?h(?:\d\d)?\b|(?:matin|midi|soir|apres-midi|aprem)\b|\d{1,2}/\d",
    ),
    _Language(
        "lun mar mie jue vie sab dom",
        "lunes martes miercoles jueves viernes sabado domingo",
        "el|antes del|para el|hasta el|este|al|del|proximo|desde el",
        "(?:el|del|al|este|proximo) mar",
        r"a las? \d|\d{1,2}(?:[:.]\d\d)? ?(?:h|hs|hrs)\b|\d{1,2}:\d\d\b|por la \w+|\d{1,2}/\d",
        only_led="mar",
    ),
    _Language(
        "lun mar mer gio ven sab dom",
        "lunedi martedi mercoledi giovedi venerdi sabato domenica",
        "entro(?: il)?|per|prima di|fino a|questo|questa|da|dal",
        "per (?:mar|mer|gio|dom)|(?:questo|questa|dal) mar",
        r"(?:alle|ore) \d|\d{1,2}:\d\d\b|(?:mattina|pomeriggio|sera)\b|\d{1,2}/\d",
        only_led="mar|mer",
    ),
    _Language(
        "seg ter qua qui sex sab dom",
        "segunda-feira terca-feira quarta-feira quinta-feira sexta-feira sabado domingo",
        "ate|antes de|para|na|nesta|esta|proxima|desde",
        "(?:ate|para|antes de) ter|(?:para|esta) sex|(?:ate|para) qui",
        r"as \d|\d{1,2} ?h(?:\d\d)?\b|\d{1,2}:\d\d\b|(?:de |a |pela )(?:manha|tarde|noite)\b|\d{1,2}/\d",
        only_led="ter",
    ),
    _Language(
        "ma di wo do vr za zo",
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        "voor|op|tegen|uiterlijk|tot(?: en met)?|vanaf|volgende|komende|aanstaande|deze|sinds|naar|elke",
        "(?:tot|op|deze|naar|voor) (?:zo|ma)",
        r"(?:om )?\d{1,2}(?:[:.]\d\d)? ?(?:uur|u)\b|om \d|(?:ochtend|middag|avond)\b",
    ),
)  # fmt: skip
# In German, within a sentence, capitals show that these are days.
_CAPITALS = expression(r"(?<=[\w,;:'’-] )(?:Mo|Di|Mi|Do|Fr|Sa|So)\b")
# Days and other times, with the pattern of their abbreviations.
_OTHERS = (
    ("tomorrow", "tmrw|tmr|tmw|tmrrw|tmrow|tomoz|tomorow|tommorow|tommorrow|2morr?ow|2moro|2mrw"),
    ("tonight", "2nite|tonite|2night"),
    ("today", "2day"),
    ("morgen", "mrgn"),
    ("demain", "dmain|2main"),
    ("manana", "mnana"),
    ("domani", "dmn|dmani"),
    ("amanha", "amnh|amnha"),
    ("next week", "(?:next|nxt) wk|nxt week"),
    ("this week", "this wk"),
    ("end of the month", "eom"),
    ("end of the week", "eow"),
    ("31 december", "eoy"),
    ("weeks", r"(?<=\d )wks?"),
    ("months", r"(?<=\d )m(?:n?ths|nth)"),
    # The end of a working day: the day named after it, else today.
    ("", r"eod (?=(?:on )?(?:the|today|tomorrow|mon|tue|wed|thu|fri|sat|sun))"),
    ("today", "eod"),
)
_OTHER = expression(
    "|".join(rf"\b(?P<other{n}>{short})(?:(?<= )|(?!\w))" for n, (_, short) in enumerate(_OTHERS))
)
# Every abbreviation contains one of these words.
_CUES = """
    tmrw tmr tmw tmrrw tmrow tomoz tomorow tommorow tommorrow 2morrow 2morow 2moro 2mrw 2nite tonite 2night
    2day mrgn dmain 2main mnana dmn dmani amnh amnha nxt wk wks eom eow eoy mths mnths mnth eod
"""
_OTHER_CUES = frozenset(_CUES.split())
# Words for an end or a deadline: after them "13.11" is a date and not a price.
_ENDING = (
    r"run(?:s|ning)? out|expir(?:es|ing|y)|lapses?|ends?|closes?|deadline|renewal|due|valid until"
    r"|(?:lauft|laufen) (?:\w+ )?ab|ablauf|fallig|frist|gultig|endet|spatestens|bis"
    r"|expire|echeance|avant|jusqu'au|d'ici|date limite|vence|caduca|plazo|hasta|antes del"
    r"|scade|scadenza|entro|fino al|prazo|ate|antes do|verloopt|vervalt|uiterlijk|tegen"
)
_MONTH = r"(?:0[1-9]|1[0-2])"
_NO_DATE = (
    r"(?![\d.:/]|,\d|\s*[%€£$]"
    r"|\s*(?:uhr|h|eur\w*|chf|km|kg|g|m|am|pm|uur|o'clock|mio|mb|gb|l|v|heures?|ore|horas?)\b)"
)
# After "by", a time of the morning is as likely ("by 9.10").
_DATE = expression(
    rf"(?:\b(?:{_ENDING})\b[^.;!?\n\d]{{0,24}}?(?<![\d.,:/])(?:0?[1-9]|[12]\d|3[01])"
    r"|(?<!fell )(?<!rose )(?<!grew )(?<!up )(?<!down )(?<!ed )\b(?:by|until|'?till?|before)\b"
    r"[^.;!?\n\d]{0,12}?(?:1[3-9]|2\d|3[01]))"
    rf"\.{_MONTH}{_NO_DATE}"
)
_ARTICLES = "(?:am|zum|den|dem|le|el|il|o|a|op)"
_NUMBER = expression(rf"\d\.{_MONTH}\b")
_WORD = expression(r"[a-z0-9]+")


def with_short_days(folded: str, text: str) -> str:
    """Return a case-folded text with abbreviated days spelt out; `text` is the original."""
    said = frozenset(_WORD.findall(folded))
    if not said.isdisjoint(_OTHER_CUES):
        folded = _OTHER.sub(_meant, folded)
    if _NUMBER.search(folded):
        folded = _DATE.sub(lambda match: f"{match[0]}.", folded)
    capitals: frozenset[str] | None = None
    for language in _LANGUAGES:
        if said.isdisjoint(_shorts(language)):
            continue
        if capitals is None:
            capitals = frozenset(each.lower() for each in _CAPITALS.findall(text))
        folded = _form(language).sub(partial(_whole, language, capitals), folded)
    return folded


def spelt_out(text: str) -> str:
    """Return a text with abbreviated days spelt out, case-folded; unchanged if it has none."""
    folded = fold_case(text).replace("’", "'")
    whole = with_short_days(folded, text)
    return text if whole == folded else whole


@cache
def beginnings() -> frozenset[str]:
    """Return the words, and parts of words, with which these names begin."""
    every = " ".join([*(short for _, short in _OTHERS), *(each.short for each in _LANGUAGES)])
    return frozenset(re.findall("[a-z]+", every))


@cache
def _shorts(language: _Language) -> dict[str, str]:
    """Return the whole weekday names, by abbreviation."""
    days = zip(language.short.split(), language.whole.split(), strict=True)
    return {short: whole for every, whole in days for short in every.split("|")}


def _meant(match: re.Match[str]) -> str:
    return next(day for n, (day, _) in enumerate(_OTHERS) if match[f"other{n}"] is not None)


@cache
def _form(language: _Language) -> re.Pattern[str]:
    """Return the pattern of an abbreviated weekday: after an introducing word, before an hour, or alone."""
    short = "|".join(sorted(_shorts(language), key=len, reverse=True))
    return re.compile(
        rf"(?<![\w.'-])(?:(?P<lead>{language.leads})(?P<between> (?:{_ARTICLES} )?)(?P<led>{short})\b"
        rf"|(?P<timed>{short})\b(?=\.?,? (?:{language.behind}))|(?P<alone>{language.alone})\b)"
        rf"(?:\.(?=,? ?\d))?(?![\w'-])(?P<ends>(?=\.|{_ENDS}|,? (?:{language.behind})|\s*[&+/]))?"
    )


def _whole(language: _Language, capitals: frozenset[str], match: re.Match[str]) -> str:
    """Return the whole name for a matched abbreviation; the match unchanged if it is not a day."""
    whole = _shorts(language)
    if match["alone"]:
        return whole[match["alone"]]
    if match["timed"]:
        clear = match["timed"] in capitals or re.match(language.clear, match.string[match.end("timed") :])
        return (
            whole[match["timed"]]
            if clear and not re.fullmatch(language.only_led, match["timed"])
            else match[0]
        )
    lead, day = match["lead"], match["led"]
    if re.fullmatch(language.not_led, f"{lead} {day}"):
        return match[0]
    is_sunday = whole[day] == language.whole.split()[-1]
    loose = re.fullmatch(language.loose, lead) and not is_sunday
    if match["ends"] is None and not loose and day not in capitals:
        return match[0]
    return f"{lead}{match['between']}{whole[day]}"
