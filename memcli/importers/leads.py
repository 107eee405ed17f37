"""Leads: lines above a list, and titles, that say nothing about what follows ("Things to remember:")."""

from __future__ import annotations

import re

from memcli.text.words import fold_case

# Words of generic leads in English, German, French, Spanish, Italian, Portuguese and Dutch, without accents
# (_GENERIC), and the words that may stand beside them (_BESIDE).
_GENERIC = """
    thing things stuff note notes info facts remember know keep mind misc miscellaneous important list
    dinge sachen notiz notizen merken wissen erinnern wichtig wichtiges sonstiges allgemeines liste
    chose choses retenir savoir rappeler divers diverses
    cosa cosas nota notas recordar saber importante varios lista
    cose ricordare sapere varie appunti elenco
    dingen notitie notities onthouden weten belangrijk diversen overig lijst
    coisa coisas lembrar diversos
"""
_FORGOTTEN = "forget vergessen oublier olvidar dimenticare esquecer vergeten"
_BESIDE = """
    a some of i we you my our to the in and other various that should must
    ein paar die der das den man ich wir du was muss soll und zu zum meine unsere andere verschiedene
    de des les mes nos que il faut je et autres
    los las unas algunas mis y otras hay varias
    alcune le i che da per mie
    enkele om te dat ik wij mijn en andere overige
    as os umas para e outras minhas
"""
_NEGATED = "not never nicht nie ne pas no non niet nao nunca"


def says_nothing(lead: str) -> bool:
    """True if a lead or a title consists of generic words that say nothing about what follows."""
    words = set(re.findall(r"\w+", fold_case(lead)))
    generic, forgotten = {*_GENERIC.split()}, {*_FORGOTTEN.split()}
    allowed = {*_BESIDE.split(), *generic}
    if words & forgotten:
        return words <= allowed | forgotten | {*_NEGATED.split()}
    return bool(words & generic) and words <= allowed
