"""Payment numbers: payment cards and bank accounts.

Only those that can be told from other numbers, by a check digit or a format that nothing else has; an account
number by its name beside it. What somebody owns, earns or owes is not secret. Issuer ranges: ISO/IEC 7812 as
published by the card networks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memcli.text.secrets.amounts import is_amount
from memcli.text.secrets.national_ids import luhn
from memcli.text.secrets.places import Place, Span, literals_of, present_literals, secrets_at_places

# First digits, and the lengths that their networks issue.
_ISSUERS = (
    (r"4", (13, 16, 19)),  # Visa
    (r"5[1-5]|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720", (16,)),  # Mastercard
    (r"3[47]", (15,)),  # American Express
    (r"6011|64[4-9]|65|62", (16, 17, 18, 19)),  # Discover, UnionPay
    (r"30[0-5]|309|36|3[89]", (14, 15, 16, 17, 18, 19)),  # Diners Club
    (r"35(?:2[89]|[3-8]\d)", (16, 17, 18, 19)),  # JCB
    (r"50(?:18|20|38)|5893|63(?:04|90)|67(?:59|6[1-3])", (12, 13, 14, 15, 16, 17, 18, 19)),  # Maestro
    (r"220[0-4]", (16, 17, 18, 19)),  # Mir
)
# Letters and digits of an IBAN by country: SWIFT's IBAN registry.
_IBAN_LENGTHS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24"
    " FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32"
    " LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22"
    " SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"
)


def payment_secrets(text: str, lower: str) -> Iterator[Span]:
    """Yield every card and IBAN as (start, end, rule, name); `lower` is the text in lower case."""
    yield from secrets_at_places(_PLACES, text, {"iban"} if "iban" in lower else set())


def account_secrets(text: str, lower: str) -> Iterator[Span]:
    """Yield every number that is called an account number, as above."""
    yield from secrets_at_places(_ACCOUNTS, text, present_literals(literals_of(_ACCOUNTS), lower))


def is_card(number: str) -> bool:
    """True if a network issues such numbers, and the check digit is right."""
    digits = re.sub(r"\D", "", number)
    issued = any(len(digits) in lengths and re.match(first, digits) for first, lengths in _ISSUERS)
    return issued and len(set(digits)) > 1 and luhn(digits)


def is_iban(number: str) -> bool:
    """Check by ISO 13616: the length of the country, and 1 modulo 97."""
    bare = re.sub(r"[ .-]", "", number).upper()
    if f"{bare[:2]}{len(bare)}" not in _IBAN_LENGTHS.split():
        return False
    return int("".join(str(int(letter, 36)) for letter in bare[4:] + bare[:4])) % 97 == 1


def _is_account(match: re.Match[str]) -> bool:
    """True for enough digits for an account, and no amount."""
    return sum(map(str.isdigit, match["known"])) >= 6 and not is_amount(match)


def _is_no_round_number(match: re.Match[str]) -> bool:
    return not match["known"].endswith("000") and not is_amount(match)


# "number", as it is written beside "account" or "konto".
_NUMBER = r"(?:[ -]?(?:numbers?|num|no|nr|n[°º]|nummer)\b\.?|[ .]{0,2}#)"
_ACCOUNT = (
    rf"(?:(?:account|acct|konto){_NUMBER}|kontonummer|konto-?nr\.?|rekening-?nummer|tilinumero|numer (?:konta|rachunku)"
    r"|(?:num[ée]ro|n[°º]) de compte|(?:n[úu]mero|n[°º]) de (?:la )?cuenta|n[úu]mero da conta|numero (?:di|del) conto|clabe"
    r"|(?:routing|aba)(?: (?:number|no\.?))?|sort code|bankleitzahl|номер сч[её]та|账号|帐号|口座番号|계좌번호)"
)
_ACCOUNT_DIGITS = r"(?P<known>[A-Z]{0,4}\d(?:[ .-]?\d){4,25})(?![\w/]|[.,]\d|-\w)"
# The gap between groups of digits: one character, or two spaces; dashes of any length are one by now.
_GAP = r"(?:[ ._/·,-]|[ ]{2}|[ ]-[ ])"
_PLACES = (
    # In one piece, in the groups that are printed on cards, or character by character.
    Place(
        (),
        rf"(?<![\w.,/+-])(?P<known>\d{{12,19}}|\d{{4}}{_GAP}\d{{4}}{_GAP}\d{{4}}{_GAP}\d{{1,4}}(?:{_GAP}\d{{1,3}})?"
        rf"|\d{{4}}{_GAP}\d{{6}}{_GAP}\d{{4,5}}|\d{{8}}{_GAP}\d{{8}}|\d(?:[ -]\d){{11,18}})(?![\w/-]|[.,]\d)",
        "card-number", "card number", lambda match: is_card(match["known"]) and not (match["known"].endswith("000") and is_amount(match)),
    ),
    Place(
        (),
        r"(?<![\w/-])(?P<known>(?-i:[A-Z]{2})\d\d(?P<gap>[ .-]?)(?:[A-Z0-9]{4}(?P=gap)){2,7}[A-Z0-9]{0,4})(?![\w/]|-\w)",
        "iban", "IBAN", lambda match: is_iban(match["known"]),
    ),
    Place(
        ("iban",),
        r"\biban\b[^\w\n]{0,4}(?:(?:is|ist|number|no|nr|:)[^\w\n]{0,3}){0,2}(?P<known>[a-z]{2}\d\d(?:[ .-]?[a-z0-9]){10,30})(?!\w)",
        # Mistyped it is one all the same: its owner calls it so.
        "iban", "IBAN", lambda match: sum(map(str.isdigit, match["known"])) >= 8,
    ),
)  # fmt: skip
_ACCOUNTS = (
    Place(
        ("account", "acct", "konto", "rekening", "tilinumero", "numer ", "compte", "cuenta", "conta", "conto", "clabe",
         "routing", "aba", "sort code", "bankleitzahl", "номер сч", "账号", "帐号", "口座番号", "계좌번호"),
        rf"(?<![^\W_]){_ACCOUNT}(?: (?:for|of|at|with|bei|chez|en|hos)(?: [\w'-]{{1,16}}){{1,3}}?)?"
        rf"[ ]{{0,2}}(?:is|are|ist|est|es|è|är|er|on|to|:|=)?[ ]{{0,2}}{_ACCOUNT_DIGITS}",
        "account-number", "account number", _is_account,
    ),
    # Beside the word alone only as many digits as few amounts have.
    Place(
        ("account", "acct", "konto"),
        r"\b(?:account|acct|konto)(?: is| ist|[ ]?[:=])?[ ]{1,2}(?P<known>\d{8,20})(?![\w/]|[.,]\d|-\w)",
        "account-number", "account number", _is_no_round_number,
    ),
)  # fmt: skip
