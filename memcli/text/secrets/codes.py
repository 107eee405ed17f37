"""Codes that people keep: PINs and door codes, one-time and recovery codes, what an authenticator or a wallet is set up by.

A code has no form of its own: four digits are a year as well. So each needs a word that
calls it one, beside it, on either side ("my PIN is 4711", "4711 is my PIN").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memcli.text.secrets.amounts import is_amount
from memcli.text.secrets.places import Place, Span, literals_of, secrets_at_places

_PIN = r"(?:(?<!gpio )pin(?:[ -]?(?:code|number|nr|kod))?|geheimzahl|code pin|c[oó]digo pin)"
# What opens something: a code of it, and the thing itself.
_THINGS = r"(?:alarm|door|gate|entry|entrance|access|lock|locker|unlock|garage|safe|keypad|security|building|house|key ?box|lock ?box|luggage|suitcase|phone|screen)"
_ONCE = r"(?:verification|one[ -]?time|single[ -]?use|login|log-?in|sign-?in|otp|totp|2fa|mfa|two-factor|authentication|sms|confirmation|bestätigungs)"
_CODE = rf"(?:(?:{_THINGS}(?: door| gate)?|combination) codes?|türcode|code (?:for|of|to) (?:the |my |our )?(?:\w{{1,12}} )?{_THINGS})"
_ONE_TIME = rf"(?:{_ONCE} (?:pass)?(?:code|tan)s?|\botp|\bpush-?tan)"
_CARD_CODE = r"cv[vc]2?(?: ?code)?"
# "for the card at home", "of my phone"
_FOR_WHAT = r"(?: (?:for|of|on|to|für|from|at|in)(?: [\w'-]{1,16}){1,5}?)?"
_IS = r"(?: {0,2}(?:is|are|was|ist|est|es|=|:|#|to|-) {1,2}|[:=]| {0,2}[:=] {0,2})(?:now |still )?"
_DIGITS = r"(?P<known>\d{3,8})(?![\w%.:/-]{0,20}\d)(?!\w)"
_WHOSE = r"(?:the|my|our|her|his|your|their|[\w-]{2,20}['’]s)"
# A code of a list: with a digit, or in groups.
_ONE_OF = r"(?:(?=[a-z-]{0,24}\d)[a-z0-9]{4,12}(?:-[a-z0-9]{3,12}){0,5}|[a-z0-9]{4,6}-[a-z0-9]{4,6})(?![\w@])"
# A word of BIP 39, numbered or not. Not of its list: what no sentence does without.
_WORD = r"(?:\d{1,2}[.):]? ?)?(?!(?:the|and|are|was|were|not|have|has|your|its|for|from|with|but|his|her|our)\b)[a-z]{3,8}"
_BETWEEN = r"(?:[\s,;|]{1,3})"


def _always(_: re.Match[str]) -> bool:
    return True


def _no_amount(match: re.Match[str]) -> bool:
    return not is_amount(match)


def _is_phrase(match: re.Match[str]) -> bool:
    """12, 15, 18, 21 or 24 words, as BIP 39 counts them, hardly one twice."""
    words = re.findall(r"[a-z]{3,8}", match["known"], re.IGNORECASE)
    return len(words) in (12, 15, 18, 21, 24) and len({word.lower() for word in words}) >= len(words) - 3


def _is_setup_key(match: re.Match[str]) -> bool:
    """Base32 (RFC 4648) of 80 bits or more: no sentence in words of four letters."""
    bare = re.sub(r"[ =-]", "", match["known"])
    return len(bare) >= 16 and (bare.isupper() or len(bare) >= 24 or any(map(str.isdigit, bare)))


_PLACES = (
    Place(
        ("pin", "geheimzahl"),
        rf"(?<![\w#]){_PIN}{_FOR_WHAT}{_IS}[\"'*#]?{_DIGITS}",
        "code", "secret code", _no_amount,
    ),
    # Right behind the word, where capitals or the card tell that it is one.
    Place(
        ("pin",),
        r"(?:(?:card|sim|atm|bank|phone|debit|credit|giro|voicemail|door|alarm|my|visa|mastercard)[ -]pin|(?-i:\bPIN)) {1,2}(?P<known>\d{4,6})(?![\w-])(?![.,:/]\d)",
        "code", "secret code", _no_amount,
    ),
    Place(
        ("puk",), rf"\bpuk ?[12]?(?: ?code)?{_FOR_WHAT}(?:{_IS}| )(?P<known>\d{{8}})(?!\w)",
        "code", "secret code", _no_amount,
    ),
    Place(
        (" code", "türcode"), rf"(?<![\w#]){_CODE}{_FOR_WHAT}(?:{_IS}| {{1,2}})[\"'*#]?(?P<known>\d{{3,8}}#?)(?![\w%.:/-]{{0,20}}\d)(?!\w)",
        "code", "secret code", _no_amount,
    ),
    Place(
        ("cvv", "cvc"), rf"(?<![\w#]){_CARD_CODE}{_FOR_WHAT}(?:{_IS}| {{1,2}})(?P<known>\d{{3,4}})(?![\w-])(?!\.\d)",
        "code", "secret code", _no_amount,
    ),
    Place(
        ("code", "otp", "tan"), rf"(?<![\w#]){_ONE_TIME}{_FOR_WHAT}(?:{_IS}| {{1,2}})[\"']?(?P<known>(?:[a-z]-)?\d{{3}}[ -]?\d{{3,5}}|\d{{4,8}})(?!\w)",
        "code", "one-time code", _no_amount,
    ),
    Place(
        ("combination",),
        rf"\b(?:(?:safe|lock|padlock|locker|vault|luggage|suitcase)(?:'s)? combination|combination (?:for|of|to) {_WHOSE} (?:\w{{1,12}} )?(?:safe|lock|padlock|locker|vault|suitcase|bike))"
        rf"{_FOR_WHAT}(?:{_IS}| {{1,2}})(?P<known>\d{{1,2}}(?:[ -]{{1,3}}\d{{1,2}}){{2,4}}|\d{{3,8}})(?!\w)",
        "code", "secret code", _no_amount,
    ),
    # The other way round.
    Place(
        ("pin", "puk", "code", "geheimzahl", "cvv", "cvc", "combination"),
        rf"(?<![\w.,:/$€£-])(?P<known>\d{{4,8}})#? (?:is|was|ist) (?:now |still )?(?:{_WHOSE}|meine?|the) (?:[\w'-]{{1,16}} ){{0,3}}?"
        rf"(?:{_PIN}|puk|geheimzahl|{_CODE}|{_ONE_TIME}|{_CARD_CODE}|(?:safe|lock)(?:'s)? combination)(?!\w)(?! (?:pad|machine|of errors?))",
        "code", "secret code", _no_amount,
    ),
    Place(
        ("recovery", "backup", "scratch", "emergency", "rescue", "wiederherstellung"),
        rf"\b(?:recovery|backup|scratch|emergency|rescue|wiederherstellungs)[ -]?(?:code|key)s?{_FOR_WHAT}{_IS}[\"'\[]?\s{{0,3}}(?P<known>{_ONE_OF}(?:[\s,;\"']{{1,4}}{_ONE_OF}){{0,23}})",
        "recovery-code", "recovery code", _always,
    ),
    # BitLocker's form is its own; FileVault's is not.
    Place(("-",), r"(?<![\w-])(?P<known>\d{6}(?:-\d{6}){7})(?![\w-])", "recovery-code", "recovery key", _always),
    Place(
        ("recovery", "filevault"),
        rf"\b(?:recovery key|filevault(?: key)?){_FOR_WHAT}(?:{_IS}| {{1,2}})(?P<known>(?-i:[A-Z0-9]{{4}}(?:-[A-Z0-9]{{4}}){{5}}))(?![\w-])",
        "recovery-code", "recovery key", _always,
    ),
    # Four groups of four letters, as Google and Apple give them to programs.
    Place(
        ("app",), rf"\bapp(?:lication)?(?:[ -]specific)?[ -]passwords?{_FOR_WHAT}(?:{_IS}| {{1,2}})[\"']?(?P<known>[a-z]{{4}}(?:[ -][a-z]{{4}}){{3}})(?![\w-])",
        "password", "app password", _always,
    ),
    # The key URI format of Google Authenticator.
    Place(("otpauth",), r"otpauth://[^\s\"'<>]{1,200}?[?&]secret=(?P<known>[a-z2-7]{8,200}=*)", "totp-secret", "authenticator key", _always),
    Place(
        ("totp", "2fa", "mfa", "otp", "factor", "authenticator"),
        rf"\b(?:totp|2fa|mfa|h?otp|two-factor|authenticator)\b[^\n:=]{{0,30}}?(?:secret|key|seed|code){_FOR_WHAT}(?:{_IS}| {{1,2}})[\"']?(?P<known>[a-z2-7]{{4}}(?:[ -]?[a-z2-7]{{4}}){{3,15}}={{0,6}})(?!\w)",
        "totp-secret", "authenticator key", _is_setup_key,
    ),
    Place(
        ("phrase", "seed", "mnemonic", "recovery", "words", "wallet"),
        rf"\b(?:(?:seed|recovery|mnemonic|backup|wallet|secret)[ -]?(?:phrase|words|seed|mnemonic|sentence)s?|mnemonic|(?:12|15|18|21|24|twelve|twenty-four)[ -](?:words?|seed)(?: phrase)?)\b"
        rf"[^\n:=]{{0,40}}?(?:is|are|:|=)\s{{0,3}}[\"']?(?P<known>{_WORD}(?:{_BETWEEN}{_WORD}){{11,23}})(?!\w)",
        "seed-phrase", "seed phrase", _is_phrase,
    ),
)  # fmt: skip

# One of these must occur, in small letters, for anything here to be found.
LITERALS = literals_of(_PLACES)


def code_secrets(text: str, here: set[str]) -> Iterator[Span]:
    """Every code with (start, end, rule, name); `here` are the literals that stand in the text."""
    yield from secrets_at_places(_PLACES, text, here)
