"""Aspects of a person that a statement tells: name, home, work, languages, diet, allergies; and of whom.

Patterns of seven languages, because these are said in few ways. Whether people speak of themselves at all is
recognised by words here too, and better by `memcli.judgement`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, get_args

from memcli.text.expressions import compiled
from memcli.text.words import fold_case

Aspect = Literal["name", "home", "work", "languages", "diet", "allergies"]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)

# The patterns match case-folded text without accents.
_FORMS: dict[Aspect, str] = {
    "name": (
        r"my (?:full |first |last )?name is|i'?m called|i am called|call me|(?:user|owner)(?:'s name is"
        r"| is called)"
        r"|ich heisse|mein name ist|je m'appelle|mon nom est|me llamo|mi nombre es|mi chiamo|il mio nome e"
        r"|ik heet|mijn naam is|me chamo|chamo-me|meu nome e"
    ),
    "home": (
        r"(?:i|we)(?: now| both| all)? live|(?:i|we)(?:'ve| have)? moved to|(?:user|owner)(?: now)? lives"
        r"|my (?:home|address|flat|apartment|house|place)|ich wohne|wir wohnen|wohne (?:jetzt "
        r"|seit \w+ )?(?:in|am|an)"
        r"|ich lebe|meine (?:adresse|wohnung)|mein haus|j'habite|nous habitons|mon (?:adresse"
        r"|appartement)|ma maison"
        r"|viv(?:o|imos) en|mi (?:casa|piso|direccion)|abit(?:o|iamo)|viv(?:o|iamo) a|la mia casa"
        r"|il mio indirizzo"
        r"|ik woon|wij wonen|we wonen|mijn (?:huis|adres)|mor(?:o|amos) em|viv(?:o|emos) em|minha casa"
        r"|meu endereco"
    ),
    "work": (
        r"(?:i|we) work(?:ed)? (?:as|at|for|in|on|with|from|nights|part|full|shifts)|i work|(?:user"
        r"|owner) works"
        r"|my (?:job|employer|company|profession|trade)|i(?:'m| am) employed|ich arbeite|arbeite (?:als"
        r"|bei|in)"
        r"|mein (?:job|beruf|arbeitgeber)|von beruf|je travaille|mon (?:travail|metier|employeur)"
        r"|trabajo (?:en|como|de|para)|mi (?:trabajo|empresa)|lavoro (?:in|come|per|da|presso|alla|al)"
        r"|il mio (?:lavoro|mestiere)|ik werk|mijn (?:baan|werk|beroep)|trabalho (?:em|como|na|no|para)"
        r"|meu (?:trabalho|emprego)"
    ),
    "languages": (
        r"(?:speak|speaks|fluent|native|mother tongue|spreche|muttersprache|parle|langue maternelle"
        r"|hablo|lengua materna"
        r"|parlo|madrelingua|spreek|moedertaal|falo|lingua materna|learning|lerne|apprends|aprendo"
        r"|imparo)\b.*\b(?:engl|ingl|"
        r"angl|deutsch|german|alem|allem|tedesc|duits|franz|french|franc|fran[sz]|ital|spani|span[sn]"
        r"|espa[gn]|castell|"
        r"portug|dutch|nederl|niederl|neerl|olan|poln|pol[ia]|russ|rus|chin|manda|japan|japon|giapp"
        r"|arab|turk|turc|greek|"
        r"griech|grec|catal|welsh|irish|hindi|urdu|czech|tschech|swed|schwed|danish|danisch|hungar|ungar)"
    ),
    "diet": (
        r"vegetari|vegan|vegetal|pesc[ae]tar|kosher|koscher|halal|gluten|lactose|laktose|lattosio"
        r"|lactosa|keto\b"
        r"|i (?:do not|don't|never|can't|cannot) eat|(?:esse|ess) kein|je ne mange|no como|non mangio"
        r"|ik eet geen|nao como"
    ),
    "allergies": r"\w*allerg|alerg|\w*intoleran|unvertraglich|c[o]?eliac|zoliakie|anaphyla|anafyla",
}  # fmt: skip
_SELF = (
    r"i|i'm|i've|i'd|i'll|me|my|mine|we|we're|we've|our|us|user|user's|owner|owner's|ich|mein\w*|mir"
    r"|mich|wir|unser\w*"
    r"|je|j'\w+|mon|ma|mes|moi|m'\w+|nous|notre|nos|yo|mi|mis|soy|tengo|nosotros|nuestr\w+|vivo|trabajo"
    r"|hablo|como"
    r"|io|mio|mia|miei|mie|sono|ho|noi|nostr\w+|abito|lavoro|parlo|mangio|eu|meu|minha|sou|tenho|moro"
    r"|trabalho|falo"
    r"|ik|mijn|wij|ons|onze|estoy|prefiero|odio|gusta|preferisco|prefiro|adoro"
)
_KIN = (
    r"wife|husband|partner|girlfriend|boyfriend|spouse|fiancee?|sons?|daughters?|child|children|kids?"
    r"|mother|father|mom|mum"
    r"|dad|parents?|sisters?|brothers?|friends?|colleagues?|boss|manager|neighbou?rs?|cousins?|aunt"
    r"|uncle|niece|nephew"
    r"|grand\w+|twins|dogs?|cats?|in-laws"
    r"|frau|mann|sohn|sohne|tochter|kind|kinder|mutter|vater|eltern|schwester|bruder|freund\w*"
    r"|kolleg\w+|chef\w*|nachbar\w*"
    r"|oma|opa|hund|katze|femme|mari|fils|fille|filles|enfants?|mere|pere|soeur|frere|amie?|collegue"
    r"|voisine?|chien|chat"
    r"|mujer|esposa|marido|esposo|hijos?|hijas?|madre|padre|hermanos?|hermanas?|amig[oa]|jef[ea]"
    r"|vecin[oa]|perro|gato"
    r"|moglie|marito|figli[oa]?|sorell[ae]|fratell[oi]|amic[oa]|capo|vicin[oa]|cane|gatto"
    r"|vrouw|man|zoon|dochter|kinderen|moeder|vader|zus|broer|vriend\w*|collega|buurman|buurvrouw|hond|kat"
    r"|filh[oa]s?|mae|pai|irma|irmao|chefe|vizinh[oa]|cachorro"
)
_MY = (
    r"my|our|user's|owner's|mein\w*|unser\w*|mon|ma|mes|notre|nos|mis?|nuestr[oa]s?|(?:il |la |i "
    r"|le )?(?:mi[oae]|miei|nostr[oaie])"
    r"|mijn|ons|onze|meus?|minhas?|noss[oa]s?"
)
_GROUP = (
    r"family|household|team|office|class|familie|haushalt|buro|klasse|famille|equipe|bureau|classe"
    r"|familia|equipo|oficina|clase|famiglia|squadra|ufficio|gezin|kantoor|klas|equipa|escritorio|turma"
)
# Verbs that may follow the person who is the subject of a statement.
_ACTS = (
    r"(?:is|are|was|has|likes|loves|prefers|hates|dislikes|wants|enjoys|eats|drinks|can't|cannot"
    r"|doesn't|plays|works|lives"
    r"|ist|hat|mag|liebt|hasst|isst|trinkt|arbeitet|wohnt|lebt|est|a|aime|prefere|deteste|mange"
    r"|travaille|habite|es"
    r"|tiene|prefiere|odia|ama|come|trabaja|vive|e|ha|preferisce|mangia|lavora|abita|heeft|houdt|eet"
    r"|werkt|woont|gosta"
    r"|tem|mora|trabalha)"
)
_PLURAL_ACTS = (
    r"are|have|like|love|prefer|hate|eat|drink|don't|do not|sind|haben|mogen|essen|trinken|sont|ont|aiment"
    r"|mangent|son|tienen|comen|sono|hanno|mangiano|zijn|hebben|eten|sao|comem"
)
_RELATED = (
    r"\b(?:married|verheiratet|mariee?|casad[oa]s?|sposat[oa]|getrouwd|siblings|geschwister|widowed"
    r"|divorced)\b"
)


def aspects(text: str) -> list[Aspect]:
    """Return the aspects that a text tells of any person; of most texts none."""
    folded = _folded(text)
    return [aspect for aspect in ASPECTS if _form(aspect).search(folded)]


def names_relationship(text: str) -> bool:
    """True if a text mentions a person or pet of the owner's: "my sister", "unser Hund"."""
    kin = rf"\b(?:{_MY}) (?:\w+ ){{0,2}}?(?:{_KIN})\b|\b(?:i|we) have (?:\w+ ){{1,2}}(?:{_KIN})\b"
    return compiled(f"{kin}|{_RELATED}").search(_folded(text)) is not None


def is_of_somebody_else(text: str, own_names: frozenset[str] = frozenset()) -> bool:
    """True if the subject of a text is not its owner: "Tom likes jazz", "meine Schwester mag Jazz".

    `own_names` are the words of the owner's name, in lower case.
    """
    folded = _folded(text).lstrip()
    if compiled(rf"(?:{_MY}) (?:\w+ ){{0,2}}?(?:{_KIN})(?:'s)?\b").match(folded):
        return True
    # "Nobody in my family is", "most of our team eat".
    people = rf"(?:{_MY}) (?:\w+ )?(?:{_KIN}|{_GROUP})"
    acts = rf"(?:n'|ne |no |non |nao )?(?:{_ACTS}|{_PLURAL_ACTS})"
    some = rf"(?:(?!(?:{_SELF})\b)\w+ ){{1,3}}{people} {acts}\b"
    if compiled(some).match(folded):
        return True
    named = re.match(r"\W*([^\W\d_]+)(?: [^\W\d_]+)?", text)
    if named is None or not named[1][0].isupper() or fold_case(named[1]) in own_names:
        return False
    subject = compiled(rf"([a-z]+)(?: [a-z]+)? {_ACTS}\b").match(folded)
    return subject is not None and not _speaks_of_self(folded)


def speaks_of_self(text: str) -> bool:
    """True if a text has a word in the first person, or names the user: "soy", "my", "ich", "the owner's"."""
    return _speaks_of_self(_folded(text))


def _speaks_of_self(folded: str) -> bool:
    return compiled(rf"\b(?:{_SELF})\b").search(folded) is not None


def own_aspects(text: str, own_names: frozenset[str] = frozenset()) -> list[Aspect]:
    """Return the aspects that a text tells of its owner: in the first person, and of nobody else."""
    found = aspects(text)
    if found and _speaks_of_self(_folded(text)) and not is_of_somebody_else(text, own_names):
        return found
    return []


def _folded(text: str) -> str:
    return fold_case(text.replace("\u2019", "'"))


@cache
def _form(aspect: Aspect) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_FORMS[aspect]})")
