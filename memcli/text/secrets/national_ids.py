"""National identity numbers, recognised by their check digits.

If the format of a number with its check occurs in nothing else (letters in certain places, a date inside,
dots and dashes as printed), it is enough. Digits alone need their name beside them as well, since one number
in ten or eleven passes a check by chance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from memcli.text.secrets.amounts import is_amount
from memcli.text.secrets.places import Place, Span, literals_of, present_literals, secrets_at_places

_BIRTHDAY = r"(?:0[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0[1-9]|1[0-2])"


def ids_by_name(text: str, lower: str) -> Iterator[Span]:
    """Yield numbers beside their names as (start, end, rule, name); `lower` is the text in lower case."""
    yield from secrets_at_places(_by_name(), text, present_literals(literals_of(_by_name()), lower))


def ids_by_form(text: str, lower: str) -> Iterator[Span]:
    """Yield numbers by their format alone, as above."""
    yield from secrets_at_places(_by_form(), text, present_literals(literals_of(_by_form()), lower))


def social_security(number: str) -> bool:
    """Check a US number by SSA's rules since 2011; from 900 on by the IRS's for ITINs."""
    digits = _digits(number)
    area, group, serial = int(digits[:3]), int(digits[3:5]), int(digits[5:])
    if area >= 900:
        return 50 <= group <= 99 and group not in (66, 67, 68, 69, 89, 93)
    return area not in (0, 666) and group > 0 and serial > 0


def luhn(number: str) -> bool:
    """Check by ISO/IEC 7812-1, annex B; False for zeros alone."""
    digits = [int(digit) for digit in reversed(_digits(number))]
    odd, even = digits[::2], (2 * digit for digit in digits[1::2])
    return any(digits) and (sum(odd) + sum(digit - 9 * (digit > 9) for digit in even)) % 10 == 0


def _digits(number: str) -> str:
    return "".join(filter(str.isdecimal, number))


def _weighed(weights: Sequence[int], modulus: int, rest: int = 0) -> Callable[[str], bool]:
    """Return a check: the digits weighted by these sum up to `rest` modulo `modulus`."""

    def check(number: str) -> bool:
        digits = _digits(number)
        fits = len(digits) == len(weights) and len(set(digits)) > 1
        return fits and _sum(digits, weights) % modulus == rest

    return check


def _sum(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _eleven(digits: str, weights: Sequence[int], check: str) -> bool:
    """Check that the digit is 11 less the sum modulo 11; 11 is written 0, 10 is not issued (or a K)."""
    value = -_sum(digits, weights) % 11
    return "0123456789K"[value] == check.upper()


def _french(number: str) -> bool:
    """Check INSEE's key: 97 less the remainder modulo 97; Corsica's 2A and 2B count as 19 and 18."""
    bare = re.sub(r"[ .-]", "", number).upper().replace("2A", "19").replace("2B", "18")
    return bare.isdecimal() and 97 - int(bare[:13]) % 97 == int(bare[13:])


def _cpf(number: str) -> bool:
    """Check Receita Federal's two digits."""
    digits = _digits(number)
    checks = (10 * _sum(digits[:place], range(place + 1, 1, -1)) % 11 % 10 for place in (9, 10))
    return len(set(digits)) > 1 and [str(check) for check in checks] == list(digits[9:])


def _spanish(number: str) -> bool:
    """Check the letter, which is the number modulo 23; a foreigner's X, Y, Z count as 0, 1, 2."""
    bare = re.sub(r"[ .-]", "", number).upper()
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(bare[:-1].translate(str.maketrans("XYZ", "012"))) % 23] == bare[-1]


def _steuer_id(number: str) -> bool:
    """Check by ISO 7064, modulus 11,10."""
    digits = _digits(number)
    product = 10
    for digit in digits[:-1]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return digits[0] != "0" and (11 - product) % 10 == int(digits[-1])


def _pension(number: str) -> bool:
    """Check by Deutsche Rentenversicherung: the letter as two digits, weighted cross sums, modulo 10."""
    bare = re.sub(r"[ .-]", "", number).upper()
    digits = f"{bare[:8]}{ord(bare[8]) - 64:02}{bare[9:11]}"
    products = (
        int(digit) * weight
        for digit, weight in zip(digits, (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1), strict=True)
    )
    return sum(product // 10 + product % 10 for product in products) % 10 == int(bare[11])


_VERHOEFF = ("1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258")


def _verhoeff(number: str) -> bool:
    """Check by Verhoeff's algorithm over the dihedral group of order 10 (UIDAI's for Aadhaar)."""

    def times(a: int, b: int) -> int:
        turned = (a + b) % 5 if a < 5 else (a - b) % 5
        return turned + 5 * ((a >= 5) != (b >= 5))

    check = 0
    for place, digit in enumerate(reversed(_digits(number))):
        moved = int(digit) if place % 8 == 0 else int(_VERHOEFF[place % 8 - 1][int(digit)])
        check = times(check, moved)
    return check == 0


def _belgian(number: str) -> bool:
    """Check 97 less the number modulo 97, with a 2 before it for births in this century."""
    digits = _digits(number)
    return any(97 - int(century + digits[:9]) % 97 == int(digits[9:]) for century in ("", "2"))


def _finnish(number: str) -> bool:
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(_digits(number[:-1])) % 31] == number[-1].upper()


def _norwegian(number: str) -> bool:
    digits = _digits(number)
    first = _sum(digits, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11
    return first == 0 and _sum(digits, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


def _turkish(number: str) -> bool:
    digits = [int(digit) for digit in number]
    tenth = (7 * sum(digits[0:9:2]) - sum(digits[1:8:2])) % 10
    return digits[0] > 0 and digits[9] == tenth and digits[10] == sum(digits[:10]) % 10


def _chinese(number: str) -> bool:
    """Check by GB 11643, which is ISO 7064's modulus 11-2."""
    total = sum(int(digit) * 2 ** (17 - place) for place, digit in enumerate(number[:17]))
    return "10X98765432"[total % 11] == number[-1].upper()


def _swiss(number: str) -> bool:
    """Check the digit of an EAN-13."""
    return _weighed((1, 3) * 6 + (1,), 10)(number)


def _argentine(number: str) -> bool:
    digits = _digits(number)
    return _eleven(digits[:10], (5, 4, 3, 2, 7, 6, 5, 4, 3, 2), digits[10])


def _chilean(number: str) -> bool:
    bare = re.sub(r"[.-]", "", number)
    return _eleven(bare[-2::-1], (2, 3, 4, 5, 6, 7, 2, 3), bare[-1])


def _portuguese(number: str) -> bool:
    digits = _digits(number)
    rest = _sum(digits, range(9, 1, -1)) % 11
    return int(digits[8]) == (0 if rest < 2 else 11 - rest)


def _romanian(number: str) -> bool:
    rest = _sum(number, (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11
    return int(number[12]) == (1 if rest == 10 else rest)


def _singaporean(number: str) -> bool:
    letters = "JZIHGFEDCBA" if number[0].upper() in "ST" else "XWUTRQPNMLK"
    total = _sum(number[1:8], (2, 7, 6, 5, 4, 3, 2)) + (4 if number[0].upper() in "TG" else 0)
    return letters[total % 11] == number[8].upper()


def _hong_kong(number: str) -> bool:
    bare = re.sub(r"[()]", "", number).upper()
    letters = bare[:-7].rjust(2)
    values = [36 if letter == " " else ord(letter) - 55 for letter in letters]
    total = 9 * values[0] + 8 * values[1] + _sum(bare[-7:-1], range(7, 1, -1))
    return (total + (10 if bare[-1] == "A" else int(bare[-1]))) % 11 == 0


def _irish(number: str) -> bool:
    bare = re.sub(r"\s", "", number).upper()
    second = (ord(bare[8]) - 64) * 9 if bare[8:] not in ("", "W") else 0
    return "WABCDEFGHIJKLMNOPQRSTUV"[(_sum(bare[:7], range(8, 1, -1)) + second) % 23] == bare[7]


def _japanese(number: str) -> bool:
    digits = _digits(number)
    rest = _sum(digits[10::-1], (2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6)) % 11
    return int(digits[11]) == (0 if rest <= 1 else 11 - rest)


def _nhs(number: str) -> bool:
    digits = _digits(number)
    return _eleven(digits[:9], range(10, 1, -1), digits[9])


def _document(number: str) -> bool:
    """True if it may be the number of a passport or licence: with digits, and no year or phone number."""
    return sum(map(str.isdigit, number)) >= (5 if number.isdigit() else 4) and not number.isalpha()


def _yes(_: str) -> bool:
    return True


# Literals of which one must occur, format, check, rule, name; (?<![\w/-]) and (?![\w/-]) are put around each.
_FORMS: tuple[tuple[tuple[str, ...], str, Callable[[str], bool], str, str], ...] = (
    (("-",), r"(?<![+.])\d{3}-\d\d-\d{4}(?!\.\d)", social_security, "social-security-number", "social security number"),
    # HMRC's NIM39110: no check digit, but letters that nothing else has in these places. QQ is its example.
    (
        (), r"(?-i:(?!BG|GB|KN|NK|NT|TN|ZZ)(?:[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]|QQ)) ?\d\d ?\d\d ?\d\d ?(?-i:[A-D])",
        _yes, "national-insurance-number", "national insurance number",
    ),
    ((), rf"[12][ .]?\d\d[ .]?{_MONTH}[ .]?(?:\d\d|2[AB])[ .]?\d{{3}}[ .]?\d{{3}}[ .-]?\d\d", _french, "french-social-security-number", "social security number"),
    (("-",), r"(?<!\.)\d{3}\.\d{3}\.\d{3}-\d\d", _cpf, "cpf", "CPF"),
    ((), r"(?-i:(?:\d{8}|\d\d?\.\d{3}\.\d{3}|[XYZ]-?\d{7})-?[A-Z])", _spanish, "spanish-id", "DNI"),
    # Agenzia delle Entrate: the letter of the month, the day of birth.
    ((), r"[A-Z]{6}\d\d[A-EHLMPRST](?:[0-6]\d|7[01])[A-Z]\d{3}[A-Z]", _yes, "codice-fiscale", "codice fiscale"),
    ((), rf"\d\d ?{_BIRTHDAY}{_MONTH}\d\d ?(?-i:[A-Z]) ?\d\d ?\d", _pension, "german-pension-number", "social security number"),
    (("756",), r"756\.?\d{4}\.?\d{4}\.?\d\d", _swiss, "swiss-social-security-number", "AHV number"),
    ((".",), rf"\d\d\.{_MONTH}\.{_BIRTHDAY}-\d{{3}}\.\d\d", _belgian, "belgian-national-number", "national number"),
    (("-", "+"), rf"(?:\d\d)?\d\d{_MONTH}{_BIRTHDAY}[-+]\d{{4}}", lambda number: luhn(number[-11:]), "swedish-personal-number", "personal number"),
    ((), rf"{_BIRTHDAY}{_MONTH}\d\d[-+A-FU-Y]\d{{3}}[0-9A-FHJ-NPR-Y]", _finnish, "finnish-personal-code", "personal identity code"),
    (("/",), rf"\d\d(?:[05][1-9]|[16][0-2]|[27]\d|[38]\d){_BIRTHDAY}/\d{{4}}", lambda number: int(_digits(number)) % 11 == 0, "czech-birth-number", "birth number"),
    ((), rf"[1-9]\d{{5}}(?:19|20)\d\d{_MONTH}{_BIRTHDAY}\d{{3}}[0-9X]", _chinese, "chinese-resident-id", "resident identity number"),
    (("-",), rf"\d\d{_MONTH}{_BIRTHDAY}-[1-8]\d{{6}}", _yes, "korean-resident-number", "resident registration number"),
    ((".",), r"\d{1,2}\.\d{3}\.\d{3}-[0-9K]", _chilean, "rut", "RUT"),
    (("-",), r"(?:2[0347]|3[034])-\d{8}-\d", _argentine, "cuit", "CUIT"),
    ((), rf"(?-i:[A-Z][AEIOUX][A-Z]{{2}}\d\d{_MONTH}{_BIRTHDAY}[HMX][A-Z]{{2}}[B-DF-HJ-NP-TV-Z]{{3}}[A-Z0-9]\d)", _yes, "curp", "CURP"),
    ((), r"(?-i:[STFGM]\d{7}[A-Z])", _singaporean, "nric", "NRIC"),
    (("(",), r"(?-i:[A-Z]{1,2})\d{6}\([0-9A]\)", _hong_kong, "hkid", "HKID"),
    (("-",), rf"\d\d{_MONTH}{_BIRTHDAY}-\d\d-\d{{4}}", _yes, "mykad", "MyKad number"),
    (("-",), r"[1-8]-\d{4}-\d{5}-\d\d-\d", lambda number: _eleven(_digits(number)[:12], range(13, 1, -1), number[-1]) or _digits(number)[-1] == str((11 - _sum(_digits(number)[:12], range(13, 1, -1)) % 11) % 10), "thai-id", "Thai identity number"),
    ((), r"(?-i:[A-Z]{3}P[A-Z]\d{4}[A-Z])", _yes, "pan", "PAN"),
)  # fmt: skip

# Names of which one must precede, format, check, rule, name.
_CALLED: tuple[tuple[tuple[str, ...], str, Callable[[str], bool], str, str], ...] = (
    (("ssn", "social security", "soc sec", "tax id", "taxpayer id", "itin"), r"\d{3}[ .-]?\d\d[ .-]?\d{4}", social_security, "social-security-number", "social security number"),
    (("sin", "social insurance", "assurance sociale", "nas"), r"\d{3}[ .-]?\d{3}[ .-]?\d{3}", luhn, "social-insurance-number", "social insurance number"),
    (("steuer-id", "steuerid", "steueridentifikation", "steuer-identifikation", "idnr", "steuerliche identifikation", "german tax id", "tax id", "steuernummer"), r"\d\d ?\d{3} ?\d{3} ?\d{3}", _steuer_id, "german-tax-id", "tax number"),
    (("steuer-id", "steuerid", "steueridentifikation", "tax id", "tax number", "taxpayer id", "tin"), r"\d(?:[ /.-]?\d){7,13}", _yes, "tax-number", "tax number"),
    (("aadhaar", "aadhar", "adhaar", "uidai", "आधार"), r"[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}", _verhoeff, "aadhaar", "Aadhaar number"),
    (("cpf",), r"\d{11}", _cpf, "cpf", "CPF"),
    (("pan", "permanent account"), r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]", _yes, "pan", "PAN"),
    (("tfn", "tax file"), r"\d{3}[ -]?\d{3}[ -]?\d{3}", _weighed((1, 4, 3, 7, 5, 8, 6, 9, 10), 11), "tax-file-number", "tax file number"),
    (("medicare",), r"\d{4}[ -]?\d{5}[ -]?\d{1,2}|[1-9][A-Z][A-Z0-9]\d-?[A-Z][A-Z0-9]\d-?[A-Z]{2}\d\d", _document, "medicare-number", "Medicare number"),
    (("bsn", "burgerservice", "sofinummer"), r"\d{4}[ .]?\d\d[ .]?\d{3}", _weighed((9, 8, 7, 6, 5, 4, 3, 2, -1), 11), "bsn", "BSN"),
    (("rijksregister", "registre national", "nationaal nummer", "numéro national", "insz", "niss"), r"\d\d[ .]?\d\d[ .]?\d\d[ -]?\d{3}[ .]?\d\d", _belgian, "belgian-national-number", "national number"),
    (("personnummer", "samordningsnummer", "swedish personal"), r"(?:\d\d)?\d{6}[-+ ]?\d{4}", lambda number: luhn(_digits(number)[-10:]), "swedish-personal-number", "personal number"),
    (("cpr", "personnummer"), rf"{_BIRTHDAY}{_MONTH}\d\d[- ]?\d{{4}}", _yes, "danish-personal-number", "CPR number"),
    (("fødselsnummer", "fodselsnummer", "personnummer", "d-nummer"), r"\d{6} ?\d{5}", _norwegian, "norwegian-birth-number", "birth number"),
    (("pesel",), r"\d{11}", _weighed((1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10), "pesel", "PESEL"),
    (("rodné číslo", "rodne cislo", "rodné číslo", "birth number"), r"\d{6}/?\d{3,4}", _yes, "czech-birth-number", "birth number"),
    (("cnp", "cod numeric"), r"[1-9]\d{12}", _romanian, "cnp", "CNP"),
    (("my number", "マイナンバー", "個人番号"), r"\d{4}[ -]?\d{4}[ -]?\d{4}", _japanese, "my-number", "My Number"),
    (("주민등록", "rrn"), r"\d{6}-?[1-8]\d{6}", _yes, "korean-resident-number", "resident registration number"),
    (("rut", "run", "rol único"), r"\d{7,8}-?[0-9K]", _chilean, "rut", "RUT"),
    (("cuit", "cuil"), r"\d{11}", _argentine, "cuit", "CUIT"),
    (("south african id", "sa id", "rsa id", "id number"), r"\d{6} ?\d{4} ?\d{3}", luhn, "south-african-id", "identity number"),
    (("nhs",), r"\d{3}[ -]?\d{3}[ -]?\d{4}", _nhs, "nhs-number", "NHS number"),
    (("tc kimlik", "t.c. kimlik", "tckn", "kimlik"), r"[1-9]\d{10}", _turkish, "turkish-id", "identity number"),
    (("nif", "contribuinte", "número fiscal"), r"\d{3} ?\d{3} ?\d{3}", _portuguese, "portuguese-tax-number", "tax number"),
    (("pps", "ppsn"), r"\d{7} ?[A-W][A-IW]?", _irish, "pps-number", "PPS number"),
    (("svnr", "sozialversicherung", "sv-nummer"), r"\d{4} ?\d{6}", _weighed((3, 7, 9, -1, 5, 8, 4, 2, 1, 6), 11), "austrian-social-security-number", "social security number"),
    (("תעודת זהות", "teudat", "israeli id"), r"\d{9}", luhn, "israeli-id", "identity number"),
    (("national insurance", "ni number", "nino"), r"[A-Z]{2} ?\d\d ?\d\d ?\d\d ?[A-D]", _yes, "national-insurance-number", "national insurance number"),
    (("sécurité sociale", "numéro de sécu", "n° de sécu", "numéro insee", "carte vitale"), r"[12](?:[ .]?\d){4}[ .]?(?:\d\d|2[AB])(?:[ .]?\d){6,8}", _yes, "french-social-security-number", "social security number"),
    (("seguridad social", "nuss"), r"\d\d[ /]?\d{8}[ /]?\d\d", _yes, "spanish-social-security-number", "social security number"),
    (("dni", "nie", "nif"), r"(?:\d{8}|\d\d?\.\d{3}\.\d{3}|[XYZ]-?\d{7})[ -]?(?-i:[A-Z])", _yes, "spanish-id", "DNI"),
    (("cpf",), r"\d{3}\.\d{3}\.\d{3}-\d\d", _yes, "cpf", "CPF"),
    (("codice fiscale",), r"[A-Z]{6}[A-Z0-9]{2}[A-Z][A-Z0-9]{2}[A-Z][A-Z0-9]{3}[A-Z]", _yes, "codice-fiscale", "codice fiscale"),
    (("ahv", "avs", "numéro avs"), r"756(?:\.?\d){10}", _yes, "swiss-social-security-number", "AHV number"),
    (("rijksregister", "registre national", "insz", "niss"), r"\d\d\.\d\d\.\d\d-\d{3}\.\d\d", _yes, "belgian-national-number", "national number"),
    (("segurança social", "niss"), r"[12]\d{10}", _yes, "portuguese-social-security-number", "social security number"),
    (("carta d'identità", "carte d'identité", "carte nationale d'identité", "identiteitskaart", "cartão de cidadão", "carné de identidad"), r"(?-i:[A-Z0-9]{7,14})", _document, "identity-card-number", "identity card number"),
    (("passport", "reisepass", "passeport", "pasaporte", "passaporto", "passaporte", "paspoort", "personalausweis", "ausweis"), r"(?-i:[A-Z0-9]{6,10})", _document, "passport-number", "passport number"),
    (("licence", "license", "führerschein", "permis"), r"(?-i:[A-Z]{0,2}[A-Z0-9]{1,7}[ -]?\d{4,8}[A-Z0-9 -]{0,8})", _document, "licence-number", "licence number"),
)  # fmt: skip


# The rest of the name, and what may stand between it and the number: "-nummer von Ann ist", "no.", ": ".
_TO_NUMBER = r"(?: ?'s)?[ .:#=-]{0,3}(?:(?:[cl]')?[^\W\d_]{1,16}(?: ?'s)?[ .:#=-]{1,3}){0,8}?"
_REST = rf"[^\W\d_]{{0,16}}{_TO_NUMBER}"
# An abbreviation must be a whole word: "since" does not name a SIN.
_REST_OF_SHORT = rf"(?:s|n|nummer|number|nr)?(?![^\W_]){_TO_NUMBER}"
# A licence plate is public.
_NO_PLATE = r"(?! ?plates?\b)"
_SHORT = 4
# Abbreviations that, in capitals, mean nothing else.
_CLEAR = ("nhs", "bsn", "cpf", "tfn", "svnr", "ppsn", "ssn")
# Directly after its name a number that fails its check is mistyped, and still treated as a person's.
_RIGHT_BEHIND = r"[^\W\d_]{0,16}(?:[ -](?:number|no|nr|nummer)\b\.?)?(?:(?: (?:is|ist|est|es|è|é)|[ ]?'s)[ :]{1,2}|[ ]?: {0,2}| )"


@cache
def _by_form() -> tuple[Place, ...]:
    return tuple(
        Place(literals, rf"(?<![\w/.-])(?P<known>{form})(?![\w/-]|[.,]\d)", rule, name, _checked(check))
        for literals, form, check, rule, name in _FORMS
    )


@cache
def _by_name() -> tuple[Place, ...]:
    return tuple(
        Place(
            words,
            rf"(?<![^\W_]){_named(words)}(?P<known>{form})(?![\w/-]|[.,]\d)",
            rule,
            name,
            _checked(check, _right_behind(words)),
        )
        for words, form, check, rule, name in _CALLED
    )


def _named(words: Sequence[str]) -> str:
    """Return the pattern of any of the names, with what may stand between it and the number."""
    short = [re.escape(word) for word in words if len(word) <= _SHORT and word.isascii()]
    whole = [re.escape(word) for word in words if len(word) > _SHORT or not word.isascii()]
    forms = [
        rf"(?:{'|'.join(some)}){rest}"
        for some, rest in ((whole, _NO_PLATE + _REST), (short, _REST_OF_SHORT))
        if some
    ]
    return f"(?:{'|'.join(forms)})"


def _right_behind(words: Sequence[str]) -> str:
    """Return the pattern of the unambiguous names with at most a verb before the number."""
    whole = [re.escape(word) for word in words if len(word) > _SHORT and word != "id number"]
    short = [rf"(?-i:{word.upper()})" for word in words if word in _CLEAR]
    return rf"(?:{'|'.join((*whole, *short))}){_RIGHT_BEHIND}" if whole or short else "(?!)"


def _checked(check: Callable[[str], bool], named: str = "(?!)") -> Callable[[re.Match[str]], bool]:
    def is_number(match: re.Match[str]) -> bool:
        known = check(match["known"]) or re.fullmatch(
            named, match.string[match.start() : match.start("known")], re.IGNORECASE
        )
        return bool(known) and not is_amount(match)

    return is_number
