"""Place told: whether a note may state a place or an employer, for "where" questions.

"Where does Priya work?" asks for no job, but the judge of answers goes by shared words, and "Priya is a
physiotherapist" has most of them. Of 533 labelled questions for a place 12 are answered by a note without
these signs; of as many drawn notes that answer none of them, one in nine has none.
"""

from __future__ import annotations

from memcli.text.asking import is_foreign, nouns_have_capitals
from memcli.text.english.vocabulary import PREPOSITIONS, word_set
from memcli.text.expressions import expression
from memcli.text.semantics.senses import has_sense
from memcli.text.words import fold_case

_WORD = expression(r"[^\W\d_]+")
# A name within a sentence; not used where all nouns have capitals.
_NAME = expression(r"(?<=[\w,'’] )[^\W\d_a-zß-ÿ][\w'’-]+")
# Words of place in other languages, beside the English prepositions and the sense "place" of the judges.
_AT = word_set(
    "im ins ans auf aus unter uber nach von vom zum zur sur sous au aux al alla sul sulla da dal del en bajo"
    " sobre nas nos onder op bij uit naar home upstairs downstairs abroad"
)


def tells_place(question: str, text: str) -> bool:
    """True if a note has a word that introduces a place, a number, or a name that the question has not."""
    said = _WORD.findall(fold_case(text))
    if any(map(str.isdigit, text)) or any(_leads(word) for word in said):
        return True
    if "a" in said and ("à" in text.lower() or is_foreign(text)):
        return True
    asked = set(_WORD.findall(fold_case(question)))
    return not nouns_have_capitals(text) and any(fold_case(name) not in asked for name in _NAME.findall(text))


def _leads(word: str) -> bool:
    return word in PREPOSITIONS or word in _AT or (word != "no" and has_sense(word, "place"))
