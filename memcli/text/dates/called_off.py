"""Called off: what a text says is cancelled, abandoned, or no longer to be done."""

from __future__ import annotations

from functools import lru_cache

from memcli.text.expressions import expression
from memcli.text.stopwords import COORDINATING
from memcli.text.words import fold_case

# In English, German, French, Spanish, Italian, Portuguese and Dutch, without accents.

# A few words within a clause, and the rest of a clause.
_SOME = r"(?:[^\W\d]+ ){0,4}"
_REST = r"[^.;,!?\n]{0,80}"
# Cancelled, not taking place. In another form ("cancel", "absagen") the cancelling is still to be done.
_CANCELLED = (
    r"cancell?ed|called off|is off(?= ?(?:[.,;!?]|$|because|again|after all))|fallen through"
    r"|(?:\w+n't|not(?: going to)?) (?:be )?"
    r"(?:tak(?:e|ing) place|happen(?:ing)?|going ahead)"
    r"|abgesagt(?! (?:werden|sein|haben))|storniert(?! (?:werden|sein|haben))"
    rf"|fallt {_SOME}aus\b|fallen {_SOME}aus\b|ausgefallen|entfallt|entfallen|fallt {_SOME}ins wasser"
    rf"|find(?:et|en) {_SOME}nicht statt|geplatzt"
    r"|annulee?s?|supprimee?s?|decommandee?s?|n'(?:a|ont|aura|auront) pas lieu|tombe a l'eau"
    r"|(?:se ha[n]? )?(?:cancelad|anulad|suspendid|desconvocad)[oa]s?|se (?:cancela|anula|suspende)n?\b"
    r"|no (?:se celebra(?:ra)?|tendra lugar|habra|va a haber)|(?:cancel|anul)aron|suspendieron"
    r"|(?:annullat|cancellat|disdett|sospes|saltat)[oaie]|non (?:si (?:fa|tiene|terra)|avra luogo|ci sara)"
    r"|desmarcad[oa]s?|nao (?:vai (?:haver|acontecer)|havera|se (?:vai )?realizar?)|suspens[oa]s?"
    rf"|geannuleerd|afgelast|afgezegd|gaat {_SOME}niet door|gaan {_SOME}niet door|vervalt|vervallen"
)
# Words for "no longer necessary".
_RELEASED = (
    r"(?:no longer|don't|do not|doesn't|does not) (?:have|has|need|needs) to\b"
    r"|no longer (?:due|required|necessary|needed)|needn't"
    rf"|(?:muss|musst|mussen|brauch\w*|soll|sollen) {_REST}nicht mehr\b|hat sich erledigt|ist hinfallig"
    r"|n'(?:ai|as|a|avons|avez|ont) plus (?:a|besoin de)\b|ne (?:dois|doit|devons|devez|doivent) plus\b"
    r"|n'est plus necessaire|il ne faut plus|n'y a plus besoin"
    r"|ya no (?:tengo|tiene|tenemos|hay) que\b|ya no (?:hace falta|necesito|es necesario|debo)\b"
    r"|non (?:devo|deve|dobbiamo|serve|occorre|bisogna|e) piu\b"
    r"|ja nao (?:tenho|tem|temos|preciso|precisa|precisamos|e (?:preciso|necessario))\b"
    r"|nao (?:tenho|preciso|precisa) mais\b"
    rf"|(?:hoef|hoeft|hoeven|moet|moeten) {_REST}niet meer\b|niet meer nodig"
    # Nothing is to be done.
    r"|(?:need|needs|needed|have|has|had) to \w+ nothing(?! but)\b"
    r"|(?:muss|mussen|brauche|brauchen) (?:[^\W\d]+ ){0,2}nichts\b(?! als)"
    r"|n'(?:ai|avons|a) rien a\b|no (?:tengo|tenemos|hay) (?:nada que|que \w+ nada)\b"
    r"|non (?:devo|dobbiamo) \w+ (?:niente|nulla)\b|hoe(?:f|ft|ven) niets\b"
    r"|nao (?:tenho|temos) (?:nada (?:que|para|a)|que \w+ nada)\b"
)
# Given up: a habit or a plan that somebody ended.
_GIVEN_UP = (
    r"(?:given|gave) up|packed in|dropped out|(?:i|we|he|she|they|have|has|'ve|'s) quit"
    r"|(?:i|we|he|she|they|have|has|'ve|'s) stopped(?! (?:by|at|off|over|in)\b)"
    r"|aufgehort|aufgegeben|(?:ai|a|avons|ont) (?:arrete|abandonne|laisse tomber)"
    r"|(?:he|ha|hemos|han) (?:dejado|abandonado)|(?:ho|ha|abbiamo|hanno) (?:smesso|lasciato|mollato)"
    r"|(?:deixei|deixou|larguei|desisti)\b|gestopt met|opgehouden|opgegeven"
)
_OFF = expression(rf"\b(?:{_CANCELLED}|{_RELEASED}|{_GIVEN_UP})\b")
_ENDED = expression(rf"\b(?:{_GIVEN_UP})\b")
_NO_LONGER = expression(rf"\b(?:{_RELEASED})\b")
# "Don't have to" and "need to" alone may mean not yet, or not by then.
_NOT_YET = expression(r"(?:don't|do not|doesn't|does not) [hn]")
_ANY_MORE = expression(r"[^.;!?\n]*\b(?:any ?more|any longer|after all)\b")
# Words before such a form that negate it, make it uncertain, or say that it is still to be done.
_UNLESS = expression(
    r"(?:"
    r"\b(?:not|never|n't|nicht|kein\w*|pas|no|non|niet|nao|nunca) (?:[^\W\d]+ ){0,2}"
    r"|n't (?:[^\W\d]+ ){0,2}"
    r"|\b(?:may|might|could|would|can|if|unless|perhaps|maybe|konnten?|kann|wenn|falls|vielleicht|pourrait|peut"
    r"|podria|puede|quiza|potrebbe|puo|forse|kan|misschien|pode|poderia|talvez) (?:[^\W\d]+ ){0,9}"
    r"|\b(?:to|must|should|doit|devra|debe|deve|moet) (?:be|etre|ser|essere|worden) "
    # "The cancelled class": that is no news.
    r"|\b(?:the|a|an|our|my|your|die|der|das|den|dem|la|le|el|il|o|de|het) "
    r")$"
)
# Borders that separate a day from such a form: if the day comes first, the end of the sentence or a
# subordinate clause; if it comes after the form, the next clause as well.
_PARTS_BEFORE = expression(
    rf"[.;:!?\n(](?!\d)|\b(?:{COORDINATING}|sondern|that|because|if|dass|weil|que|che|dat)\b"
)
_PARTS_BEHIND = expression(
    rf"[.;!?\n,](?!\d)|\b(?:{COORDINATING}|now|instead|jetzt|nun|stattdessen|ahora|invece|ora)\b"
)


@lru_cache(maxsize=16)
def called_off(folded: str) -> tuple[tuple[int, int], ...]:
    """Return where a folded text says that something is cancelled or no longer to be done."""
    return tuple(
        match.span()
        for match in _OFF.finditer(folded)
        if not _UNLESS.search(folded, 0, match.start())
        and (not _NOT_YET.match(match[0]) or _ANY_MORE.match(folded, match.end()))
    )


def is_called_off(folded: str, start: int, end: int) -> bool:
    """True if a folded text cancels what is on the day that it names from `start` to `end`."""
    for first, last in called_off(folded):
        if end <= first:
            parted = _PARTS_BEFORE.search(folded, end, first)
        elif start >= last:
            parted = _PARTS_BEHIND.search(folded, last, start)
        else:
            return True
        if parted is None:
            return True
    return False


def is_anything_called_off(text: str) -> bool:
    """True if a text says that anything is cancelled or no longer to be done."""
    return bool(called_off(_folded(text)))


def is_given_up(text: str) -> bool:
    """True if a text says that somebody gave something up, which is no promise."""
    folded = _folded(text)
    return any(_ENDED.match(folded, first) for first, _ in called_off(folded))


def is_no_longer_to_do(text: str) -> bool:
    """True if a text says that something is no longer to be done."""
    folded = _folded(text)
    return any(_NO_LONGER.match(folded, first) for first, _ in called_off(folded))


def _folded(text: str) -> str:
    return fold_case(text).replace("’", "'")
