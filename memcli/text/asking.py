"""How something is asked: as a question or not, of whom by name, for one thing or for several.

By forms of words alone; in the eight languages of `memcli.text.stopwords` where it says so.
"""

from __future__ import annotations

import re

from memcli.text import words
from memcli.text.stopwords import STOPWORDS

# At the beginning, folded: question words and inverted verbs of eight languages, and English requests.
_OPENING = re.compile(
    r"^\W*(?:(?:and|but|so|then|hey|hi|please|und|aber|et|y|e|en|bitte)\s+)?"
    # "an welchem Abend", "by when", "à quelle heure", "de qué"
    r"(?:(?:an|in|at|on|by|for|from|to|of|with|auf|aus|bei|bis|fur|mit|seit|um|von|zu|vor|nach|a|au|de|en|pour|par"
    r"|para|con|da|di|per|op|bij|met|voor|в|на|с|о|у|из|до)\s+)?"
    r"(?:who|whom|whose|whos|what|whats|which|when|whens|where|wheres|why|how|hows"
    r"|is|are|am|was|were|do|does|did|can|could|should|would|will|shall|may|might|must|have|has|had"
    r"|list|tell|show|give|find|name|remind|describe|explain|summari[sz]e|compare"
    r"|wer|wen|wem|wessen|was|welche?[nmrs]?|wann|wohin|woher|wo|woran|womit|worauf|wofur|wovon|warum|weshalb|wieso|wie"
    r"|qui|que|quoi|quels?|quelles?|quand|ou|comment|pourquoi|combien|lequel|laquelle|est-ce|qu'est-ce"
    r"|quien(?:es)?|cual(?:es)?|cuando|donde|adonde|como|cuant[oa]s?"
    r"|chi|cosa|quale?|quali|quando|dove|perche|quant[oaie]s?|quem|quais|onde|porque"
    r"|wat|welke?|wanneer|waar\w*|waarom|hoe|wiens"
    r"|кто|кого|кому|что|какой|какая|какое|какие|когда|где|куда|откуда|почему|зачем|как|сколько|чей)\b"
)
_ENDING = re.compile(r"[?？؟;]\W*$")
_GENITIVE = re.compile(r"['’]s$")
_ENDS = ",;:.!?"
_TITLE_WORDS = "mr mister mrs ms miss dr doctor prof professor sir lord lady madam st saint"
_TITLES = frozenset(_TITLE_WORDS.split())

# Asked for more than one: everything of a sort, what changed, what there is over time.
_SEVERAL = re.compile(
    r"\b(?:list|enumerate|summari[sz]e|compare|recap|overview|summary)\b"
    r"|\b(?:all|every|each|any other|several|various|different)\b"
    r"|\b(?:kinds|types|sorts|examples|ways|aspects|steps)\b|\bin (?:what|which) ways?\b|\bhow many\b"
    r"|\bhow (?:has|have|had|did|does|do)\b"
    r".*\b(?:chang\w*|evolv\w*|progress\w*|develop\w*|grow|grown|improv\w*)\b"
    r"|\b(?:what|who|whom|where) (?:has|have|are)\b(?! (?:some|the best|good|your)\b)"
    r"|\bwhat \w+ people\b|\bin common\b"
    r"|\b(?:over time|so far|throughout|across|in order|chronological\w*|history|timeline|sequence)\b"
    # "what books", "which cities": a noun in the plural.
    r"|\b(?:what|which)\s+(?:\w+\s+)?(?!(?:is|was|does|has|this|his|its|us|bus|gas|class|news|\w*ness)\b)"
    r"\w{2,}(?<![sui])s\b"
    # "what food did she make", "what has she cooked": not what day, name or number.
    r"|\bwhat\s+(?:food|music|art|clothing|equipment|furniture|advice|feedback|progress|gear|work|stuff|else)\b"
    r"|\b(?:alle|samtliche|welche\s+\w+(?:en|er)|tous|toutes|quels|quelles|todos|todas|cuales|tutti|tutte|quali|todos"
    r"|quais|allemaal|все|какие)\b"
)


def is_asked(text: str) -> bool:
    """Whether a text is put as a question or a request; else it is a category, or says something."""
    folded = words.fold_case(text).replace("’", "'")
    return _ENDING.search(text.strip()) is not None or _OPENING.search(folded) is not None


def asks_for_several(text: str) -> bool:
    """Whether several memories together answer: a list, a count, a change over time. English above all."""
    return _SEVERAL.search(words.fold_case(text)) is not None


def bare_word(word: str) -> str:
    """A word without its signs and without the genitive."""
    return re.sub(r"\W", "", re.sub(r"['’]s\b", "", word))


def capitalised_words(question: str) -> list[str]:
    """The words that may be names: see `name_runs`."""
    return list(dict.fromkeys(name for run in name_runs(question) for name in run))


def name_runs(question: str) -> list[tuple[str, ...]]:
    """The names that a question may hold, each the capitalised words that stand in a row, titles left out.

    Every sentence begins with a capital: its first word is a name where another follows
    ("Priya Raman"), or where it has a genitive ("Jonas's").
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
