"""Money is nobody's identity, account or card: no amount is a secret, no number of a person an amount."""

from __future__ import annotations

import pytest

from memcli.text.secrets.redaction import secrets_in_text

AMOUNTS = """\
My mortgage is with Nordea, 240000 left
My salary is 4,500.00 EUR
Mein Gehalt beträgt 4.500,00 €
Since March the project cost 190 000 000 kr
Single payment of 190 000 000 kr
Sinking fund of 130 692 544 kr
The license costs 24000 EUR a year
Licence fees were 1200000 last year
My passport fee was 120000 KRW
Le permis de construire coûte 12000 euros
Der Führerschein kostet 35000 Euro
Medicare costs me 1234567890 yen
The lottery is at 1234567890 kr
The house costs 12 000 000 FCFA
Pesel fee 44051401359 zł
CPF 12345678909 reais
Rs. 12,00,000 for the wedding
住宅ローンは 35000000 円
我的房贷还有 2400000 元
Ипотека 5 000 000 рублей
My account has 12345678 kr
My account balance is 240000
The account shows 12000000 left
The plot costs 6500000000000 VND
door code for house 12000 kr
"""
NUMBERS = """\
My account number is 12345678
My account no. 0532 0130 00
Kontonummer 532013000
Bank account: 12345679
Numéro de compte 12345678901
Número de cuenta: 2100 0418 4502
routing number 021000021
the sort code is 12-34-56
IBAN: DE12 3456 7890 1234 5678 90
my steuer-id is 12345678901
SIN 130 692 544, I think
sin-number 130692544
BSN-nummer 111222333
NHS number 943 476 5919
passport number C01X00T47
I paid by 4111 1111 1111 1111
card 4111111111111111, 50 EUR
charged 50 EUR 4111111111111111
my PIN is 4921
"""


@pytest.mark.parametrize("text", AMOUNTS.splitlines())
def test_an_amount_is_no_secret(text: str) -> None:
    assert secrets_in_text(text) == []


@pytest.mark.parametrize("text", NUMBERS.splitlines())
def test_a_number_of_a_person_is_one(text: str) -> None:
    assert secrets_in_text(text) != []
