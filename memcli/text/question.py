"""Question analysis: the content of a question, without names that tell nothing apart, its dates, its cues.

English, and closely related languages where the forms are short. The counterparts are here, too: whether a
text states a time or a number.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from memcli.named_tuple import NamedTuple
from memcli.text import words
from memcli.text.asking import asks_for_several, bare_word, is_asked, what_is_asked
from memcli.text.dates import calendar
from memcli.text.expressions import cued, expression, holds
from memcli.text.stopwords import STOPWORDS

if TYPE_CHECKING:
    from memcli.text.dates.time_span import TimeSpan

# What is looked at of a long question, in characters: the default model reads about the first 1,200.
_BEGINNING, _END = 4_000, 1_000
# Each form with its cues (see `expressions.Cued`). The wanted format of the answer, which no memory contains:
# "in order", "mention only five items".
_FORM = (
    (("only",), r"\b(?:mention|list|name|give(?: me)?|answer|reply|respond)\b[^.?!]{0,20}\bonly\b[^.?!]*"),
    (
        ("words", "sentences", "lines", "items", "bullet points"),
        r"\bin\s+(?:at most|no more than|under|about|fewer than)?\s*"
        rf"(?:\d+|{'|'.join((*calendar.NUMBERS[1:7], calendar.NUMBERS[10]))})\s+"
        r"(?:words|sentences|lines|items|bullet points)\b",
    ),
    (("order",), r",?\s*\bin\s+(?:chronological\s+|the\s+right\s+|that\s+)?order(?=\s*(?:[?.!,]|$))"),
    (("order",), r"\b(?:in\s+)?(?:the\s+)?order\s+(?:in\s+which|of|how)\b"),
    (("aspects",), r"\b(?:the\s+)?(?:different|various)\s+aspects\s+of\b"),
)
# References to the conversation, which no memory contains either: "that I mentioned", "across our chats".
_ABOUT_TALK = (
    (
        ("conversation", "chat", "session", "discussion", "message", "request"),
        r"\b(?:throughout|through|across|over|during|from|in)\s+(?:all\s+)?(?:of\s+)?"
        r"(?:our|my|the|these|those|this|previous|past|earlier)\s+(?:\w+\s+)?"
        r"(?:conversations?|chats?|sessions?|discussions?|messages?|requests?)\b",
    ),
    (
        (
            "mention",
            "told you",
            "tell you",
            "said",
            "say",
            "brought up",
            "bring up",
            "discuss",
            "talk",
            "ask",
        ),
        r"\b(?:that|which|what)?\s*(?:i|we)(?:'ve| have| had)?\s+(?:ever\s+|previously\s+|already\s+)?"
        r"(?:mention(?:ed)?|told you|tell you|said|say|brought up|bring up|discuss(?:ed)?"
        r"|talk(?:ed)? about|ask(?:ed)?(?: you)?(?: about)?)\b",
    ),
    (
        ("you",),
        r"\b(?:can|could|would|will)\s+you\s+(?:please\s+)?"
        r"(?:list|tell me|give me|remind me(?: of)?|walk me through|provide(?: me)?(?: with)?|summari[sz]e)\b",
    ),
    (("remember",), r"\b(?:do|can) you remember\b"),
    (
        ("summary", "overview", "recap"),
        r"\b(?:an?\s+)?(?:(?:clear|comprehensive|detailed|complete|full|brief|short|quick)\s+)?"
        r"(?:summary|overview|recap)\s+of(?:\s+(?:how|what|everything|all))?\b",
    ),
)
_TALK = (*_FORM, *_ABOUT_TALK)
_ASKS_WHEN = cued(
    ("when", "date", "day", "month", "year", "time", "long", "weeks"),
    r"^\W*(?:when|since when|(?:what|which) (?:date|day|month|year|time))\b"
    r"|\bhow long\b|\bhow many (?:days|weeks)\b",
)
# A question for advice is about the owner, whom the answer must suit, with or without a name.
_ADVICE_CUES = (
    "you", "tips", "suggestions", "ideas", "advice", "must-", "what are", "empf", "recom", "consigl", "raad",
    "посовету",
)  # fmt: skip
_ASKS_ADVICE = cued(
    _ADVICE_CUES,
    r"\b(?:can|could|would|will|do) you (?:please |also )?(?:recommend|suggest|advise)\b"
    r"|\byou(?:'d|’d| would) (?:recommend|suggest|advise)\b"
    r"|\b(?:any|some) (?:tips|suggestions|ideas|advice)\b"
    r"|\bmust-(?:try|see|do|visit|have|read|watch)\b"
    # What somebody else did or has is asked about them.
    r"|^\W*what are (?:some|the best)\b"
    r"(?!.*\b(?:he|she|they|his|her|their|has|have|had|did|does|was|were)\b|.*['’]s\b)"
    r"|\b(?:empfiehlst|empfehlen|recommande[sz]?|recomiendas?|consigl\w+|recomenda\w*|raad je|посовету\w+)\b",
)
# The forms by the kind of value that a question asks for: the same kinds as in `memcli.text.numbers.figures`.
_ASKS_FOR = {
    "date": r"\b(?:when|dates?|days?|deadline|due|scheduled)\b",
    "clock": r"\b(?:when|time|scheduled)\b",
    "share": r"\b(?:percent(?:age)?|rate|share|accuracy|coverage|how (?:much|many|far|accurate))\b",
    "money": r"\b(?:how much|cost|price|budget|salary|income|rent|fee|spen[dt]|amount)\b",
    "number": r"\b(?:how (?:many|much|long|old|far|fast|often|big|large|tall|heavy)|number|count|total|amount|quota|limit"
    r"|target|goal|size|average|time|score|length|duration|age|distance|weight|capacity|version)\b",
}
_SAYS_WHEN = (
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|week|weekend|month|year|day|morning|evening"
    rf"|{calendar.WEEKDAY_PATTERN}|{calendar.ANY_MONTH}|since|(?:19|20)\d\d|\d+(?:st|nd|rd|th))\b"
)
_OF_THE_PAST = cued(("did", "was", "were", "had", "happened"), r"\b(?:did|was|were|had|happened)\b")
_FORMERLY = cued(
    ("use", "previous", "former", "back then", "my old"),
    r"\b(?:used? to|previous(?:ly)?|former(?:ly)?|back then|my old)\b",
)
# Words that, beside function words, may be said of anything that happens or is remembered, and their forms.
_HAPPENING = """
happen occur take took taken place go goes gone went come came get got new else done change update say said tell
told talk discuss mention speak spoke spoken work learn note write wrote written record log remember memory entry
event thing stuff everything anything something everyone anybody anyone somebody activity summary summarize recap
overview timeline history diary journal list show give find see seen know knew let true hold held valid case please
quick short
"""
# Words of the first person in English, German, French, Spanish, Italian, Portuguese, Dutch, Russian;
# beginnings.
_OWN = """
i me my mine we us our ours ich mir mich wir uns je moi mon ma mes nous notre nos yo mi mis nuestro nuestra
nuestros nuestras io mio mia noi eu meu minha ik mij mijn wij ons я мне меня мой моя мы нам нас
"""
_OWN_FORMS = ("mein", "unser", "наш")
_RUN = expression(r"\w+")
_WORD = expression(r"[\w'’-]+")


class Question(NamedTuple):
    """A parsed question: `statement` and `content` are embedded, `terms` are searched for as words."""

    text: str
    statement: str
    content: str
    terms: tuple[words.Term, ...]
    dates: tuple[TimeSpan, ...]
    asks_when: bool
    asks_number: bool
    about_owner: bool
    """It is in the first person, or asks for advice: the answer concerns the asker."""
    folded: str
    """The whole text, case-folded, to look for names in."""
    formerly: bool = False
    """It asks about an indefinite past ("used to", "former")."""
    asking: bool = True
    """It is phrased as a question; otherwise it is a category or a statement."""
    several: bool = False
    """Several memories answer it together: a list, a count, a change over time."""

    def names(self, role: str) -> bool:
        """True if the question names this speaker."""
        return _names(self.folded, role)


@lru_cache(maxsize=1024)
def _names(folded: str, role: str) -> bool:
    return bool(role) and re.search(rf"\b{re.escape(words.fold_case(role))}\b", folded) is not None


def understand_question(
    question: str, common: Collection[str], now: datetime, *, dated: bool = True
) -> Question:
    """Parse a question asked at `now`; the `common` names, as written, are left out of what is searched.

    Its dates become time spans, or if not `dated` remain words like others.
    """
    dropped = {word for word in common if not _is_of_the_calendar(word)}
    first, *rest = question.split() or [""]
    without_names = " ".join([first, *(word for word in rest if bare_word(word) not in dropped)])
    if all(word[:1].isupper() for word in _telling(question)):
        # If the question has nothing but names, all are kept.
        without_names = question
    without_dates, dates = _without_dates(without_names, now) if dated else (without_names, [])
    statement = _without_talk(without_dates)
    return Question(
        text=question,
        statement=statement,
        content=_content(statement),
        terms=words.query_terms(statement),
        dates=tuple(dates),
        asks_when=_ASKS_WHEN.is_in(question),
        asks_number=asks_measure(question),
        about_owner=in_first_person(question) or _asks_advice(words.fold_case(question)),
        folded=words.fold_case(question),
        formerly=_FORMERLY.is_in(question),
        asking=is_asked(question),
        several=asks_for_several(question) and not _asks_advice(question),
    )


def asks_measure(question: str) -> bool:
    """True if a question asks for a number: how much, how old, "combien"."""
    return what_is_asked(_RUN.findall(words.fold_case(question))) in ("how much", "count")


def in_first_person(text: str) -> bool:
    """True if a text is in the first person: "I", "my", "we", in eight languages."""
    # Without "US", which is a country.
    said = _RUN.findall(words.fold_case(re.sub(r"\bUS\b", "", text)))
    return not {*_OWN.split()}.isdisjoint(said) or any(word.startswith(_OWN_FORMS) for word in said)


def names_month_or_year(question: str) -> bool:
    """True if a question names a time as a text itself might: "March", "2009"; not "three weeks ago"."""
    said = _RUN.findall(question.casefold())
    return any(word in calendar.MONTHS or (len(word) == 4 and word.isdigit()) for word in said)


def sorts_asked(question: str) -> set[str]:
    """Return the kinds of value that a question asks for: `date`, `clock`, `share`, `money`, `number`."""
    return {sort for sort, form in _ASKS_FOR.items() if re.search(form, question, re.IGNORECASE)}


def says_when(text: str) -> bool:
    """True if a text states a time, as a question for one wants it."""
    return re.search(_SAYS_WHEN, text, re.IGNORECASE) is not None


def says_number(text: str) -> bool:
    """True if a text states a number, as a question for one wants it."""
    # Imported here: few questions ask for a number.
    from memcli.text.numbers.quantities import quantities

    return bool(quantities(text).numbers)


def tells_nothing(statement: str) -> bool:
    """True if a question without its dates has no content by which one memory could match better."""
    # Imported here: needed for few questions.
    from memcli.text.english.word_forms import stem

    told = (words.fold_case(word).replace("’", "'").split("'")[0] for word in _telling(statement))
    return {*map(stem, told)} <= {*map(stem, _HAPPENING.split())}


def says_something(text: str, speaker: str) -> bool:
    """True if a turn has at least two content words beside its speaker's name; "No no no." has none."""
    own = set(words.fold_case(speaker).split())
    return len({folded for word in _telling(text) if (folded := words.fold_case(word)) not in own}) >= 2


def asking_share(text: str) -> float:
    """Return the share of a text's characters that are in questions, asides in brackets left out."""
    sentences = re.split(r"(?<=[.!?])\s+", re.sub(r"\[.*?\]", "", text))
    asking = sum(len(sentence) for sentence in sentences if sentence.rstrip().endswith("?"))
    return asking / max(1, sum(map(len, sentences)))


def _is_of_the_calendar(word: str) -> bool:
    return word.casefold() in (*calendar.MONTHS, *calendar.WEEKDAYS)


def _without_dates(question: str, now: datetime) -> tuple[str, list[TimeSpan]]:
    """Return a question without its dates, and these; the whole question if all of them lie ahead.

    Nothing is dated to the future yet, so a memory is looked for by the words of the date instead.
    """
    if not calendar.mentions_date(question):
        return question, []
    from memcli.text.dates.spans import cut_dates, lies_ahead

    rest, spans = cut_dates(question, now)
    past = _OF_THE_PAST.is_in(question)
    return (question, []) if all(lies_ahead(span, now, past=past) for span in spans) else (rest, spans)


def _asks_advice(question: str) -> bool:
    return _ASKS_ADVICE.is_in(question)


def _without_talk(question: str) -> str:
    """Return a question without references to the conversation, unless little else would remain."""
    forms = [form for cues, form in _TALK if holds(question, cues)]
    cut = re.sub("|".join(forms), " ", question, flags=re.IGNORECASE) if forms else question
    cut = re.sub(r"\s{2,}", " ", cut).strip(" ,.")
    return cut if len(_WORD.findall(cut)) >= 3 else question


def _content(statement: str) -> str:
    return " ".join(_telling(statement)) or statement


def _telling(text: str) -> Sequence[str]:
    return [
        word
        for word in _WORD.findall(text)
        if words.fold_case(word).replace("’", "'").split("'")[0] not in STOPWORDS
    ]


def looked_at(question: str) -> str:
    """Return the part of a question that is read: all of it, or the beginning and the end of a long one.

    They say what it is about, a model reads only the beginning anyway, and each word costs a search.
    """
    if len(question) <= _BEGINNING + _END:
        return question
    return f"{question[:_BEGINNING]}\n{question[-_END:]}"


def long_question(question: str) -> str | None:
    """Return a line that says which part of a question was not read; None if all of it was."""
    if len(question) <= _BEGINNING + _END:
        return None
    between = len(question) - _BEGINNING - _END
    return (
        f"the question is long: its first {_BEGINNING:,} and last {_END:,} characters were looked at, "
        f"the {between:,} between them were not"
    )
