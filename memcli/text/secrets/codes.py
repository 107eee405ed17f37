"""Codes: PINs and door codes, one-time and recovery codes, authenticator keys, seed phrases of wallets.

A code has no format of its own: four digits may be a year as well. So each needs a word that calls it a code
beside it, on either side ("my PIN is 4711", "4711 is my PIN").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memcli.text.secrets.amounts import is_amount
from memcli.text.secrets.places import Place, Span, literals_of, secrets_at_places

_PIN = r"(?:(?<!gpio )(?<!postal )pin(?:[ -]?(?:code|number|nr|kod))?|geheimzahl|code pin|c[oó]digo pin)"
# Things that are opened by a code; names of one-time codes; "code" with such a thing.
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
# One code of a list: with a digit, or in groups.
_ONE_OF = r"(?:(?=[a-z-]{0,24}\d)[a-z0-9]{4,12}(?:-[a-z0-9]{3,12}){0,5}|[a-z0-9]{4,6}-[a-z0-9]{4,6})(?![\w@])"
# A word of BIP 39, numbered or not; without function words, which are not in its list and are in every
# sentence.
_WORD = r"(?:\d{1,2}[.):]? ?)?(?!(?:the|and|are|was|were|not|have|has|your|its|for|from|with|but|his|her|our)\b)[a-z]{3,8}"
_BETWEEN = r"(?:[\s,;|]{1,3})"
# The same in seven languages, whose word lists have other letters; all words are separated alike.
_ANY_WORD = (
    r"(?:\d{1,2}[.):]? ?)?(?!(?:the|and|are|was|were|not|has|have|your|its|for|from|with|but|his|her|our|you|that|this"
    r"|der|die|das|und|ist|sind|den|dem|ein|eine|mit|für|von|nicht|auf|het|een|van|niet|voor|met|les|des|une|est|sont|dans|pour|avec|pas"
    r"|los|las|una|que|con|por|para|del|gli|della|che|non|per|uma|com|não|dos|das|sur|zijn|son|sono|são)\b)[^\W\d_]{3,10}"
)
_WALLET = (
    r"(?:wallet|ledger|trezor|metamask|(?:seed|recovery|mnemonic|backup)[ -]?(?:phrase|words|seed)?|\w{0,6}wörter|wiederherstellungs\w{4,8}|seed-?phrase|herstel(?:woorden|zin)|woorden"
    r"|mots|phrase (?:secrète|de récupération|mnémonique)|palabras|frase (?:semilla|secreta|de recuperación|di recupero|de recuperação)|parole|palavras|cartera|portafoglio|portefeuille|carteira)"
)
# The security question of a bank, and its answer.
_QUESTION = (
    r"(?:(?:security|secret) questions?|sicherheitsfrage|geheimfrage|(?:beveiligings|veiligheids|geheime )vraag|question (?:secrète|de sécurité)"
    r"|pregunta (?:secreta|de seguridad)|domanda (?:segreta|di sicurezza)|pergunta (?:secreta|de segurança))"
)
_ANSWER = r"(?:answer|antwort|antwoord|réponse|respuesta|risposta|resposta)s?"


def _always(_: re.Match[str]) -> bool:
    return True


def _no_amount(match: re.Match[str]) -> bool:
    return not is_amount(match)


def _is_answer(match: re.Match[str]) -> bool:
    """True unless it is the question itself."""
    asked = match.string[match.end("known") :].split(".", maxsplit=1)[0]
    return "?" not in asked


def _is_phrase(match: re.Match[str]) -> bool:
    """True for 12, 15, 18, 21 or 24 words, as BIP 39 has them, with few repetitions."""
    words = re.findall(r"[^\W\d_]{3,10}", match["known"])
    return len(words) in (12, 15, 18, 21, 24) and len({word.lower() for word in words}) >= len(words) - 3


def _is_setup_key(match: re.Match[str]) -> bool:
    """True for Base32 (RFC 4648) of 80 bits or more, which is no sentence of four-letter words."""
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
    Place(
        ("wallet", "ledger", "trezor", "metamask", "seed", "recovery", "mnemonic", "backup", "wörter", "wiederherstellung", "herstel", "woorden",
         "mots", "phrase", "palabras", "frase", "parole", "palavras", "cartera", "portafoglio", "portefeuille", "carteira"),
        rf"\b{_WALLET}\b[^\n]{{0,60}}?(?:[:=]|\b(?:is|are|sind|lauten|zijn|sont|son|sono|são)\b)\s{{0,3}}[\"']?"
        rf"(?P<known>{_ANY_WORD}(?P<gap>\s{{0,2}}[,;|/-]\s{{0,2}}|\s{{1,2}}){_ANY_WORD}(?:(?P=gap){_ANY_WORD}){{10,22}})(?!\w)",
        "seed-phrase", "seed phrase", _is_phrase,
    ),
    Place(
        ("security", "secret question", "secret answer", "sicherheitsfrage", "geheimfrage", "vraag", "question secrète", "sécurité", "seguridad", "secreta", "segreta",
         "sicurezza", "segurança"),
        rf"\b(?:{_ANSWER}\b[^\n.]{{0,60}}{_QUESTION}|{_QUESTION}\b[^\n.]{{0,80}}?\b{_ANSWER}|(?:security|secret) answers?)\b[^\n.?]{{0,60}}?"
        rf"(?:\b(?:is|ist|lautet|est|es|è|é|pet|name)\b|[:=]) {{0,2}}[\"']?(?P<known>(?-i:[A-ZÀ-Þ])[\w'’-]{{2,24}}(?: (?-i:[A-ZÀ-Þ])[\w'’-]{{1,24}}){{0,3}})(?!\w)",
        "security-answer", "answer to a security question", _is_answer,
    ),
)  # fmt: skip

# A text must contain one of these, in lower case, for anything here to be found.
LITERALS = literals_of(_PLACES)


def code_secrets(text: str, here: set[str]) -> Iterator[Span]:
    """Yield every code as (start, end, rule, name); `here` are the literals in the text."""
    yield from secrets_at_places(_PLACES, text, here)
