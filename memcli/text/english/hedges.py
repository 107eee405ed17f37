"""Hedges: words that make a statement temporary or uncertain.

"Use the other printer for today only", "maybe we should move to Oslo": these are kept as what was said at the
time, not as knowledge. The most common unambiguous phrases of English, German, French and Spanish; all else
is judged by `memcli.judgement`. A hedge inside quotation marks or code is quoted, and a capitalised one
inside a sentence is a name.
"""

from __future__ import annotations

import re

from memcli.text.expressions import expression

_TRANSIENT = (
    "for now|for tonight|for the moment|for the time being|for today only|temporarily|at the moment|right now"
    "|this morning|this afternoon|this evening|later today|until tomorrow|until further notice"
    "|vorerst|vorläufig|vorübergehend|im moment|nur heute|heute nachmittag|heute abend"
    "|pour l'instant|pour le moment|temporairement|cet après-midi"
    "|por ahora|por el momento|temporalmente|solo hoy|esta tarde"
)
_SPECULATIVE = (
    "maybe|perhaps|possibly|presumably|supposedly|what if|i might|we might|he might|she might|they might"
    "|might be|may be|i wonder|not sure if|not sure whether|not sure but|i think we could|i guess|i suppose"
    "|if i remember|if i recall|iirc|afaik|rumour has it|rumor has it"
    "|vielleicht|eventuell|möglicherweise|womöglich|vermutlich|peut-être|probablement|éventuellement"
    "|quizá|quizás|tal vez|posiblemente|a lo mejor"
)
# Quotations and code, in which a hedge is only mentioned.
_QUOTED = expression(r'"[^"\n]{0,300}"|“[^”\n]{0,300}”|«[^»\n]{0,300}»|`[^`\n]{0,300}`|„[^“”\n]{0,300}[“”]')
_LONGEST = 4000


def transient_phrase(text: str) -> str | None:
    """Return the phrase by which a statement is temporary ("just for now"); else None."""
    return _first(_TRANSIENT, text)


def speculative_phrase(text: str) -> str | None:
    """Return the phrase by which a statement is a guess or an idea ("maybe", "what if"); else None."""
    return _first(_SPECULATIVE, text)


def _first(phrases: str, text: str) -> str | None:
    text = text[:_LONGEST].replace("’", "'")
    lowered = text.lower()
    there = [phrase for phrase in phrases.split("|") if phrase in lowered]
    if not there:
        return None
    said = _QUOTED.sub(lambda quote: " " * len(quote[0]), text)
    for found in re.finditer(rf"(?<![\w'-])(?:{'|'.join(there)})(?![\w-])", said, re.IGNORECASE):
        phrase = found[0]
        before = said[: found.start()].rstrip()
        opening = not before or before[-1] in ".!?:;\n-–—•*([{>,"
        # "Perhaps" inside a sentence is a name, unless the whole text is in capitals.
        if phrase[0].isupper() and not opening and not phrase.startswith(("I ", "I'")) and not said.isupper():
            continue
        # "the maybe type", "a what if analysis": the word is mentioned, not used.
        if re.search(
            r"\b(?:the|a|an|his|her|my|our|your|no|of|type|called|says?|said|saying)$", before, re.IGNORECASE
        ) and re.match(r"maybe|perhaps|what if|might", phrase, re.IGNORECASE):
            continue
        # A name as the subject: "Maybe is a cat."
        if phrase in ("Maybe", "Perhaps") and re.match(r" (?:is|was|has)\b", said[found.end() :]):
            continue
        return phrase.strip()
    return None
