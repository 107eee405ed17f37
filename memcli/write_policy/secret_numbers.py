"""Numbers that belong to a person: payment cards, bank accounts, and those a state gives.

Only those that can be told from other numbers, by a check digit or a form that
nothing else has. Issuer ranges: ISO/IEC 7812 as the card networks publish them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

Span = tuple[int, int, str, str]

# First digits, and the lengths that their network issues.
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


def numbers(text: str) -> Iterator[Span]:
    """Every personal number with (start, end, rule, name)."""
    for pattern, check, rule, name in _table():
        for match in pattern.finditer(text):
            group = "known" if "known" in pattern.groupindex else 0
            if check(match[group]):
                yield *match.span(group), rule, name


@cache
def _table() -> tuple[tuple[re.Pattern[str], Callable[[str], bool], str, str], ...]:
    social = r"(?:ssn|social[ ]security|soc[ ]sec|tax(?:payer)?[ ]id|itin)\b[^\d\n]{0,30}"
    table = (
        # In one piece, or in the groups that are printed on cards.
        (
            r"(?<![\w.,/-])(?:\d{12,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?|\d{4}([ -])\d{6}\2\d{4,5})(?![\w/-]|[.,]\d)",
            is_card, "card-number", "card number",
        ),
        # Area, group and serial as the Social Security Administration gives them; ITINs begin with 9.
        (r"(?<![\w.+/-])\d{3}-\d\d-\d{4}(?![\w/-]|\.\d)", is_social_security, "social-security-number", "social security number"),
        (social + r"(?P<known>\d{3}[ .-]?\d\d[ .-]?\d{4})(?!\d)", is_social_security, "social-security-number", "social security number"),
        (r"(?:\bsin\b|social[ ]insurance)[^\d\n]{0,30}(?P<known>\d{3}[ -]?\d{3}[ -]?\d{3})(?!\d)", luhn, "social-insurance-number", "social insurance number"),
        (r"(?<![\w/-])[A-Z]{2}\d\d[ ]?(?:[A-Z0-9]{4}[ ]?){2,7}[A-Z0-9]{0,4}(?![\w/-])", is_iban, "iban", "IBAN"),
        # HMRC's NIM39110: no check digit, but letters that nothing else has in these places.
        (
            r"(?<![\w/-])(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ ]?\d\d[ ]?\d\d[ ]?\d\d[ ]?[A-D](?![\w/-])",
            bool, "national-insurance-number", "national insurance number",
        ),
        (r"(?<![\w/-])[12][ ]?\d\d[ ]?(?:0[1-9]|1[0-2])[ ]?(?:\d\d|2[AB])[ ]?\d{3}[ ]?\d{3}[ ]?\d\d(?![\w/-])", is_french, "french-social-security-number", "social security number"),
        (r"(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d\d(?![\w-])", is_brazilian, "cpf", "CPF"),
        (r"(?<![\w/-])(?:\d{8}|[XYZ]\d{7})-?[A-Z](?![\w/-])", is_spanish, "spanish-id", "DNI"),
        (r"(?<![\w/-])[A-Z]{6}\d\d[A-EHLMPRST](?:[0-6]\d|7[01])[A-Z]\d{3}[A-Z](?![\w/-])", bool, "codice-fiscale", "codice fiscale"),
    )  # fmt: skip
    return tuple(
        (re.compile(pattern, re.IGNORECASE if "ssn" in pattern or "sin" in pattern else 0), check, rule, name)
        for pattern, check, rule, name in table
    )


def _digits(number: str) -> str:
    return "".join(filter(str.isdigit, number))


def luhn(number: str) -> bool:
    """ISO/IEC 7812-1, annex B; False for zeros alone."""
    digits = [int(digit) for digit in reversed(_digits(number))]
    odd, even = digits[::2], (2 * digit for digit in digits[1::2])
    return any(digits) and (sum(odd) + sum(digit - 9 * (digit > 9) for digit in even)) % 10 == 0


def is_card(number: str) -> bool:
    """Whether a network issues such numbers, and the check digit is right."""
    digits = _digits(number)
    issued = any(len(digits) in lengths and re.match(first, digits) for first, lengths in _ISSUERS)
    return issued and len(set(digits)) > 1 and luhn(digits)


def is_social_security(number: str) -> bool:
    """SSA's rules since 2011; from 900 on the IRS's for taxpayers without one (ITIN)."""
    digits = _digits(number)
    area, group, serial = int(digits[:3]), int(digits[3:5]), int(digits[5:])
    if area >= 900:
        return 50 <= group <= 99 and group not in (66, 67, 68, 69, 89, 93)
    return area not in (0, 666) and group > 0 and serial > 0


def is_iban(number: str) -> bool:
    """ISO 13616: the country's length, and 1 modulo 97."""
    bare = number.replace(" ", "")
    if f"{bare[:2]}{len(bare)}" not in _IBAN_LENGTHS.split():
        return False
    return int("".join(str(int(letter, 36)) for letter in bare[4:] + bare[:4])) % 97 == 1


def is_french(number: str) -> bool:
    """INSEE's key: 97 less the rest modulo 97; Corsica's 2A and 2B count as 19 and 18."""
    bare = number.replace(" ", "").replace("2A", "19").replace("2B", "18")
    return bare.isdigit() and 97 - int(bare[:13]) % 97 == int(bare[13:])


def is_brazilian(number: str) -> bool:
    """Receita Federal's two check digits."""
    digits = [int(digit) for digit in _digits(number)]
    for place in (9, 10):
        rest = (
            10
            * sum(digit * weight for digit, weight in zip(digits, range(place + 1, 1, -1), strict=False))
            % 11
        )
        if rest % 10 != digits[place]:
            return False
    return len(set(digits)) > 1


def is_spanish(number: str) -> bool:
    """The letter is the number modulo 23; a foreigner's X, Y, Z count as 0, 1, 2."""
    bare = number.replace("-", "")
    value = int(bare[:-1].translate(str.maketrans("XYZ", "012")))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[value % 23] == bare[-1]
