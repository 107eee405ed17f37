"""Prose passwords: noted without any assignment: "the cabin's wifi, then otter!Kettle4".

Three things are scored and added: how little the value looks like a word of a sentence, what the words before
it say about access, and what stands directly before it. No single one is enough. Chosen on labelled sentences
of several authors (`benchmarks/secrets.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from memcli.text.expressions import compiled
from memcli.text.secrets import cues
from memcli.text.secrets.randomness import is_code, is_placeholder

Span = tuple[int, int, str, str]

# The points from which a value is a password.
_ENOUGH = 6
# The oddness of a value with a symbol between letters, and a digit: the name of an account before it is
# enough.
_ODDEST = 4
# How many characters before a value are examined.
_REACH = 110
# At most so many values of one text are scored, to bound the time for a hostile one.
_MOST = 500
# Below this oddness (a word followed by a number), a word for "password" must precede.
_ODD_ENOUGH = 2
# A value with a digit, or with a symbol between its letters: anything else is a word.
_ODD = r"(?<!\S)[\"'(\[]{0,2}(?P<known>(?!-)(?=\S{0,60}\d|\S{0,60}[^\W\d_][!&#$%*+?^~][^\W\d_])[^\s\"'()\[\]{}<>|\\;:=/`]{7,40})(?=:?(?:$|[\s\"')\];]))"
_INNER_SYMBOL = r"[^\W_][!&#$%*?+~^@][^\W_]"
_SYMBOL_AT_END = r"[!#$%&*?+~^]$"
# Joined words in lower case and capitalised; letters around digits in one word; a capital after a lower-case
# letter.
_CASES = r"(?:^|[-_])[a-zß-ÿ]{2,}[-_](?:.*[-_])?[A-ZÀ-Þ][a-zß-ÿ]|(?:^|[-_])[A-ZÀ-Þ][a-zß-ÿ]+[-_](?:.*[-_])?[a-zß-ÿ]{2,}"
_LEET, _CAMEL = r"[^\W\d_]\d{1,4}[^\W\d_]", r"[a-zß-ÿ][A-ZÀ-Þ]"
# Not passwords: versions, sizes, hex, names of algorithms and of radio bands, part numbers and plates.
_NO_VALUE = (
    r"[vV]?\d+(?:[.,:-]\d+)*\w{0,3}|(?:0x)?[0-9a-f-]+|[A-Z0-9._-]+|(?i:sha|md|oauth|argon|pbkdf|base|utf|http|ipv|win|x|h|mp|log|covid)-?\d+[\w-]*"
    r"|.*[_-](?:\d(?:\.\d)?g(?:hz)?|guest|gast|ext)|\d+[^\W\d_]{1,14}|\d+-[\w-]+|[^\W\d_]+-\d{1,4}|.*\.[a-z]{2,5}|@.*|#.*|(?i:.*[_-]v\d+(?:[_.-].*)?)|(?i:(?:ssh|aes|rsa|ecdsa|tls|hmac|chacha|curve|id)[-_]?[a-z]*\d[\w-]*)|(?i:(?:my)?(?:password|passwd|pass|user|login|admin|test|secret|key|token)s?[_-]?\d+)|.*@[\w-]+\.[\w.-]+"
)
_ACCOUNT = (
    r"(?:[\w.+-]{2,40}@[\w.-]{3,60}|[^\W_]{1,20}[._][^\W_]{2,20}(?:[._][^\W_]{2,20})?|[^\W\d_]{1,20}\d{1,6}|\b(?:admin|root)\b(?! (?:of|panel|page|user|account|site|console|area|rights|access|team)))"
    r"(?:\W{1,4}|\W{1,3}(?:[^\W\d_]{1,9}\W{1,3}){0,6})$"
)
_BY_IT = r"(?: \w{1,8}){0,2}? (?:with|by|using|mit|met|avec|con|com) "
# A sentence ends before a capital, but not after an abbreviation.
_SENTENCE_END = r"(?<!\b[Nn]o)(?<!\b[Nn]r)(?<!\b[DMS][rst])(?<!\bMrs)[.!?](?=[ \t]+[^a-zß-ÿ\s])|\n"
_PAIR = r"\b(?:with|mit|met|avec|con|com) \S{2,40} (?:and|und|en|et|y|e|\+|/) $"


def prose_secrets(text: str) -> Iterator[Span]:
    """Yield every password in a sentence as (start, end, rule, name)."""
    for number, match in enumerate(compiled(_ODD).finditer(text)):
        if number >= _MOST:
            return
        value = match["known"].rstrip(".,?")
        if not (odd := oddness(value)):
            continue
        start, end = match.start("known"), match.start("known") + len(value)
        if odd + _told(_before(text, start), odd) + (text[start - 1 : start] in ("'", '"')) >= _ENOUGH:
            yield start, end, "password", "password"


def oddness(value: str) -> int:
    """Return how little a value looks like part of a sentence, from 0 (a word, a version, a name) to 4."""
    bare = value.rstrip("!")
    if len(value) < 7 or is_placeholder(value) or is_code(value) or sum(map(str.isalpha, value)) < 3:
        return 0
    return 0 if compiled(_NO_VALUE).fullmatch(bare) else _oddness(bare, int(value != bare))


def _oddness(bare: str, signed: int) -> int:
    """Return the `oddness` of a possible secret without its final exclamation mark, which `signed` counts."""
    letters, digits = sum(map(str.isalpha, bare)), sum(map(str.isdigit, bare))
    if compiled(_INNER_SYMBOL).search(bare):
        return _ODDEST if digits else 3 * (letters >= 8)
    if not digits or compiled(_SYMBOL_AT_END).search(bare):
        return 3 * bool(digits)
    camel = compiled(_CAMEL).search(bare) is not None
    mixed = camel or bare[0].isupper()
    if "_" in bare or "-" in bare:
        return 2 + bool(camel or signed or compiled(_CASES).search(bare))
    if compiled(_LEET).search(bare):
        return (3 if mixed or digits >= 2 or signed else 2) + (mixed and signed)
    if camel and letters >= 12:
        return 3
    return signed + (2 if letters >= 12 or (mixed and digits >= 3) else 1)


def _before(text: str, start: int) -> str:
    """Return the text before a value in its sentence, in lower case, up to `_REACH` characters."""
    near = text[max(0, start - _REACH) : start]
    begins = max((end.end() for end in compiled(_SENTENCE_END).finditer(near)), default=0)
    return near[begins:].lower()


def _told(before: str, odd: int) -> int:
    """Return the points for the words before a value of this oddness."""
    tail = before[-40:]
    if odd < _ODDEST and compiled(
        rf"{cues.whole_word(cues.OTHERS)}(?:\W{{1,3}}(?:is|ist|est|es|è|é|heißt|no|nr|number)\b)?\W{{0,3}}$"
    ).search(tail):
        return -9
    if compiled(cues.ABOUT).search(before):
        return -9
    points = 0
    if compiled(cues.whole_word(cues.SECRETS)).search(before):
        points += 3
    elif odd < _ODD_ENOUGH:
        return 0
    elif compiled(rf"{cues.whole_word(cues.UNLOCKS)}{_BY_IT}").search(before):
        points += 3
    elif compiled(cues.whole_word(cues.KEYS)).search(before):
        points += 2
    if compiled(cues.whole_word(cues.ACCESS)).search(before):
        points += 2
    elif compiled(cues.whole_word(cues.DEVICES)).search(before):
        points += 1
    alone = compiled(_ACCOUNT).search(before[-70:]) or compiled(_PAIR).search(before[-80:])
    if not points and (odd < _ODDEST or not alone):
        return 0
    listed = tail.endswith(", ") and (odd > _ODD_ENOUGH or points >= 3)
    return points + (_led(before, tail) or listed)


def _led(before: str, tail: str) -> int:
    """Return the points for what stands directly before a value: an account, a word for a secret, a verb."""
    account = 2 if compiled(_ACCOUNT).search(before[-70:]) else 0
    if compiled(rf"{cues.whole_word(cues.SECRETS, cues.KEYS)}(?:['’]s)?[\s:=,]{{0,3}}[\"'(]?$").search(tail):
        return account + 2
    if compiled(_PAIR).search(before[-80:]):
        return 2
    link = rf"(?:{cues.whole_word(cues.LINKS)}|['’]s)[\s:]{{1,3}}(?:[^\W\d_]{{1,12}} ){{0,2}}?[\"'(]?$|[:=] {{0,2}}[\"'(]?$"
    return account + bool(compiled(link).search(tail))
