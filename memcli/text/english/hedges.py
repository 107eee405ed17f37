"""Words that make a statement hold for a while only, or not quite.

"Use the other printer for today only", "maybe we should move to Oslo": kept,
but as what was said at the time, not as knowledge. English thoroughly; of
German, French and Spanish the common phrases. A hedge inside quotation marks
or code is somebody else's, a capitalised one inside a sentence a name.
"""

from __future__ import annotations

import re
from functools import cache

from memcli.text.dates.calendar import WEEKDAY_PATTERN

# Each with the bits of words of which a text must hold one to be searched for it: most of the
# time nothing needs to be compiled.
_TRANSIENT = (
    # English
    (
        "for now|for the |for tonight",
        r"(?:just |only |at least )?for (?:now|the moment|the time being|the meantime|tonight"
        r"|the next (?:few )?(?:\w+ )?(?:minutes?|hours?|days?))(?! on\b)",
    ),
    (
        "for to|for this|for once",
        r"(?:just|only) for (?:today|tomorrow|this week|this (?:one )?(?:time|session|afternoon|morning"
        r"|evening)|once)",
    ),
    ("for today|for this", r"for (?:today|this (?:time|session|run|task|conversation)) only"),
    (" only", r"(?:today|this time|this once|this week|tonight) only"),
    (
        "only to|only this|just to|just this|temporarily|momentarily|duration",
        r"(?:just|only) (?:today|this once|this time|tonight)|temporarily|momentarily|for the duration",
    ),
    ("temporary|stopgap|moment|minute", r"as a (?:temporary|stopgap) \w+|at (?:the|this) (?:moment|minute)"),
    (
        "at this |right now|just now",
        r"at this (?:very )?(?:second|instant)|(?:right|just) now(?= i\b| i'm| we| we're|$|[.,;!])",
    ),
    ("right now", r"(?:i'm|i am|we're|we are|am|is|are) (?:\w+ )?right now"),
    (
        "morning|afternoon|evening|later to",
        r"(?:this|later this|earlier this) (?:morning|afternoon|evening)|later today|later tonight",
    ),
    (
        "until ",
        r"until (?:tomorrow|tonight|later|noon|then|the end of (?:the|this) (?:day|week)"
        r"|i (?:get|am|'m|come) back"
        r"|further notice|next (?:week|\w+day)|" + WEEKDAY_PATTERN + ")",
    ),
    (
        "in a |in the next|brb|back in",
        r"in (?:a|the next) (?:sec|second|minute|moment)|brb|back in \d+ (?:min|mins|minutes|hours?)",
    ),
    # German
    (
        "vorerst|vorläufig|vorüber|moment|zurzeit|zur zeit|derzeit|fürs erste",
        r"(?:nur )?(?:vorerst|vorläufig|vorübergehend|momentan|im moment|zurzeit|zur zeit|derzeit"
        r"|fürs erste)",
    ),
    (
        "heute|bis morgen|bis auf|bis später|gerade eben",
        r"nur (?:für )?heute|heute nur|bis (?:morgen|heute abend|auf weiteres|später)|gerade eben",
    ),
    ("heute", r"heute (?:nachmittag|abend)"),
    # French
    (
        "pour l|pour aujourd|temporairement|provisoirement|en ce moment",
        r"pour (?:l'instant|le moment|aujourd'hui seulement)|temporairement|provisoirement|en ce moment",
    ),
    (
        "jusqu'à|après-midi|aujourd'hui|actuellement",
        r"jusqu'à (?:demain|ce soir|nouvel ordre)|cet après-midi|juste aujourd'hui|actuellement",
    ),
    # Spanish
    (
        "por ahora|por el|por hoy|momento|temporalmente|provisionalmente",
        r"por (?:ahora|el momento|hoy)|de momento|en este momento|temporalmente|provisionalmente",
    ),
    ("hoy|hasta |esta tarde", r"solo (?:por )?hoy|hasta (?:mañana|nuevo aviso|luego)|esta tarde"),
)
_SPECULATIVE = (
    # English
    (
        "maybe|perhaps|possibly|conceivably|presumably|supposedly",
        r"maybe|perhaps|possibly|conceivably|presumably|supposedly",
    ),
    (
        " might | may ",
        r"(?:i|we|you|he|she|it|they|there|that|this|which|who|[a-z]{3,}) (?:might|may)"
        r"(?: (?:not|also|just|well|even|still))?"
        r" (?:be|have|want|need|go|move|get|try|use|switch|become|start|stop|change|take|like|prefer|end|do"
        r"|make|come|leave|buy|sell|work|happen|cause|help|consider|add|drop|join|quit|visit|look|see|skip|well|adopt|replace)",
    ),
    # A person who might do whatever it is; a program that might has a bug.
    (" might ", r"(?:i|we|he|she|they) might(?: (?:not|also|just|well|even|still|as well))? [a-z]{2,}"),
    (
        "think|guess|suppose|feel like|believe",
        r"(?:i|we) (?:think|guess|suppose|feel like|believe) (?:that )?(?:\w+ ){1,3}?(?:could|should"
        r"|might|may|would|ought)",
    ),
    (
        "guess|suppose|suspect|wonder|speculating",
        r"(?:i|we) (?:guess|suppose|suspect)|i wonder (?:if|whether)|i(?:'m| am) (?:guessing|speculating)",
    ),
    ("sure|certain", r"not (?:\w+ )?(?:sure|certain)(?: yet)?,? (?:but|if|whether|that|about)"),
    (
        "unsure|what if|how about|wouldn't it",
        r"unsure (?:if|whether|about|of)|what if|how about(?! you\b)|wouldn't it be",
    ),
    (
        "suppose|let's say|hypothetically|in theory",
        r"suppose (?:that )?(?:we|i|you)|let's say|hypothetically|in theory",
    ),
    (
        "considering|contemplating|toying|undecided|thinking|debating|leaning",
        r"(?:\w+'(?:m|re|s)|am|are|is|was|were|been) (?:\w+ )?(?:considering|contemplating|toying with"
        r"|undecided|thinking (?:about|of) \w+ing|debating (?:if|whether)|leaning towards?)",
    ),
    (
        "toying|probably|maybe|perhaps|possibly",
        r"toying with|(?:i|we) (?:could|should) (?:probably|maybe)|could (?:maybe|perhaps|possibly)",
    ),
    ("probably|idea|option", r"probably should|should probably|one (?:idea|option) (?:is|would be)"),
    (
        "if i rem|if i rec|iirc|afaik|far as|quote me",
        r"if i (?:remember|recall) (?:correctly|right)|iirc|afaik|as far as i know|don't quote me",
    ),
    (
        "rumor|rumour|tbd|unclear|decided",
        r"rumou?r has it|tbd|it is unclear|it's unclear|not yet decided|haven't decided|have not decided",
    ),
    ("yet to decide", r"yet to decide"),
    # German
    (
        "vielleicht|eventuell|möglicherweise|womöglich|vermutlich",
        r"vielleicht|eventuell|möglicherweise|womöglich|vermutlich",
    ),
    (
        "ich glaube|ich vermute|ich denke|könnte",
        r"ich (?:glaube|vermute|denke),? (?:wir|man|ich|es)|(?:wir|ich) könnten?",
    ),
    (
        "nicht sicher|was wäre|überleg",
        r"(?:ich bin )?(?:mir )?nicht sicher|was wäre,? wenn|ich überlege|wir überlegen",
    ),
    # French
    (
        "peut-être|probablement|éventuellement|je pense|je crois",
        r"peut-être|probablement|éventuellement|je (?:pense|crois) qu'(?:on|il|elle) (?:pourrait|devrait)",
    ),
    (
        "et si |sûr|on pourrait|pourrions|envisage",
        r"et si (?:on|nous)|pas (?:\w+ )?sûre?|on pourrait|nous pourrions|j'envisage",
    ),
    # Spanish
    (
        "quizá|tal vez|posiblemente|a lo mejor|podríamos|segur",
        r"quizás?|tal vez|posiblemente|a lo mejor|podríamos|no estoy segur[oa]|(?:creo|pienso) que podríamos",
    ),
    ("y si |estoy pensando", r"y si (?:\w+mos)|estoy pensando en"),
)
# "Temporarily Closed", "the Maybe monad": of a name, whatever it means.
_QUOTED = r'"[^"\n]{0,300}"|“[^”\n]{0,300}”|«[^»\n]{0,300}»|`[^`\n]{0,300}`|„[^“”\n]{0,300}[“”]'
_LONGEST = 4000


@cache
def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'-])(?:{'|'.join(phrases)})(?![\w-])", re.IGNORECASE)


def transient_phrase(text: str) -> str | None:
    """The phrase by which a statement holds only for a while ("just for now"); else None."""
    return _first(_TRANSIENT, text)


def speculative_phrase(text: str) -> str | None:
    """The phrase by which a statement is a guess or an idea ("maybe", "what if"); else None."""
    return _first(_SPECULATIVE, text)


def _first(table: tuple[tuple[str, str], ...], text: str) -> str | None:
    text = text[:_LONGEST].replace("’", "'")
    lowered = text.lower()
    phrases = tuple(phrase for bits, phrase in table if any(bit in lowered for bit in bits.split("|")))
    if not phrases:
        return None
    said = re.sub(_QUOTED, lambda quote: " " * len(quote[0]), text)
    for found in _pattern(phrases).finditer(said):
        phrase = found[0]
        before = said[: found.start()].rstrip()
        opening = not before or before[-1] in ".!?:;\n-–—•*([{>,"
        # "Perhaps" inside a sentence is a name, unless all of it shouts.
        if phrase[0].isupper() and not opening and not phrase.startswith(("I ", "I'")) and not said.isupper():
            continue
        # "the maybe type", "a what if analysis": named, not meant.
        if re.search(
            r"\b(?:the|a|an|his|her|my|our|your|no|of|type|called|says?|said|saying)$", before, re.IGNORECASE
        ) and re.match(r"maybe|perhaps|what if|might", phrase, re.IGNORECASE):
            continue
        # "Maybe is a cat."
        if phrase in ("Maybe", "Perhaps") and re.match(r" (?:is|was|has)\b", said[found.end() :]):
            continue
        return phrase.strip()
    return None
