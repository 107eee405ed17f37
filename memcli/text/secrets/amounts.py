"""Amounts: whether a number is a sum of money, and so no identity number, account or code.

An amount is a number as people write it, in one piece or with thousands separators, beside a currency or
after a word of cost. ISO 4217's codes, CLDR's symbols and the words of the languages whose numbers are looked
for.
"""

from __future__ import annotations

import re
from functools import cache

from memcli.text.expressions import expression

_CURRENCIES = r"[$€£¥₹₩₽₺₫₴₦₱฿₪₸₡₲₵₭₮]"
_CODES = (
    "aed ars aud bdt bgn brl cad chf clp cny cop czk dkk egp eur fcfa gbp gel hkd huf idr ils inr irr isk jpy kes krw"
    " kzt mad mxn myr ngn nok nzd pen php pkr pln ron rub sar sek sgd thb try twd uah usd vnd xaf xof zar"
    " kr kč kc zł zl ft lei лв руб грн rs fr tl btc eth 元 円 원"
)
_WORDS = (
    r"dollars?|euros?|eur[oi]a?|pounds?|quid|yen|yuan|won|rupees?|rupiah|pesos?|reais|real|francs?|franken|kron[oae]r?"
    r"|kronur|crowns?|korun[ay]?|złot\w{1,3}|zlot\w{1,3}|forint\w{0,2}|lir[ae]s?|rubles?|roubles?|рубл\w{1,3}|гривен\w{0,2}"
    r"|dirhams?|riyals?|rials?|shekels?|ringgit|baht|dong|naira|shillings?|rand|lakhs?|crores?|cents?|pence|millions?"
    r"|millionen|billions?|миллион\w{0,3}|mille"
)
# Words of cost and payment: between the name of a number and digits they show that these are an amount.
_COST = expression(
    r"(?<![^\W\d_])(?:cost|kost|koszt|coût|cout|cuest|cust[ao]|pric|preis|prix|preci|preço|prezz|prijs|pris(?!on)|cena|fees?\b"
    r"|gebühr|gebyr|avgift|frais|tasa|taxa|opłat|paid|pays?\b|paying|payment|bezahl|betal|payé|pagu|pagad|pagat|zapłac"
    r"|charg|amount|betrag|bedrag|belopp|beløb|montant|import[eo]\b|kwota|budget|total|sums?\b|summe|worth|ow(?:e|es|ed)\b"
    r"|spen[dt]|funds?\b|mortgage|loan|salar)",
    re.IGNORECASE,
)
_SHAPE = expression(r"\d+|\d{1,3}(?:(?P<gap>[ .,'’])\d{3})(?:(?P=gap)\d{3})*|\d{1,2}(?:,\d\d)+,\d{3}")


def is_amount(match: re.Match[str]) -> bool:
    """True if the group `known` of a match is an amount."""
    known, (start, end) = match["known"], match.span("known")
    digits = re.match(r"[\d .,'’]*\d", known)
    if not digits or not _SHAPE.fullmatch(digits.group()):
        return False
    if known[digits.end() :] and not _after().fullmatch(known[digits.end() :]):
        return False
    text = match.string
    if (
        digits.end() < len(known)
        or _after().match(text, end)
        or _before().search(text[max(start - 12, 0) : start])
    ):
        return True
    return _COST.search(text, match.start(), start) is not None


def names_cost(text: str) -> bool:
    """True if a text has a word of cost or payment."""
    return _COST.search(text) is not None


@cache
def _after() -> re.Pattern[str]:
    """Return the pattern of a currency after a number, which does not belong to a following number."""
    return re.compile(
        rf"(?:[.,]\d\d?(?!\d))?[ \u00a0\u202f]?(?:[kmb] ?)?(?:{_CURRENCIES}|(?:{'|'.join(_CODES.split())}|{_WORDS})(?!\w))(?! ?\d)",
        re.IGNORECASE,
    )


@cache
def _before() -> re.Pattern[str]:
    """Return the pattern of a currency before a number, which does not belong to a preceding number."""
    return re.compile(
        rf"(?<!\d)(?<!\d )(?:{_CURRENCIES}|(?<!\w)(?:{'|'.join(_CODES.split())})\.?)[ \u00a0\u202f]?$",
        re.IGNORECASE,
    )
