"""A deadline that a note tells as past, or as met, is ahead no more."""

from __future__ import annotations

import pytest

from memcli.text.semantics.settled_deadlines import is_settled


@pytest.mark.parametrize(
    "text",
    [
        "The rent was due on Friday and I paid it",
        "The report was due on Thursday and is handed in",
        "La factura vencía el jueves y ya está pagada",
        "Die Abgabe war am Donnerstag und ist erledigt",
        "Le loyer était dû vendredi et il est payé",
        "L'affitto scadeva venerdì ed è pagato",
        "O prazo era na quinta e já foi entregue",
        "De deadline was vrijdag en het is ingeleverd",
        "The rent was due on Friday",
        "Die Miete war am Freitag fällig",
        "Rent is due on Friday, already paid",
        "The rent is due on Friday and I paid it",
        "Die Miete ist am Freitag fällig und schon bezahlt",
        "The passport expired on Friday",
    ],
)
def test_what_was_due_or_is_done_is_settled(text: str) -> None:
    assert is_settled(text)


@pytest.mark.parametrize(
    "text",
    [
        "The rent is due on Friday",
        "The rent is due on Friday and is not paid",
        "Die Abgabe ist am Donnerstag",
        "La factura vence el jueves",
        "The invoice was paid and the next is due on Friday",
        "The party was moved to Friday",
        "I was told the report is due on Thursday",
        "The hall is booked, paid and due to open on Friday",
        "The report is done, the talk is on Friday",
        "I promised to be there on Friday",
        "The rent is due on Friday and must be paid in cash",
        "The rent is due on Friday; the deposit is paid",
        "I paid the deposit and the rest is due on Friday",
        "Die Miete ist am Freitag fällig und muss bezahlt werden",
        "The deadline was Thursday but it is Friday now",
        "I booked the dentist for Friday",
        "The report is due on Friday and I will get it done",
        "La factura vence el jueves y no está pagada",
    ],
)
def test_what_is_due_is_not_settled_by_what_else_is_done(text: str) -> None:
    assert not is_settled(text)
