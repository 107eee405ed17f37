"""Openings: codes of locks noted in prose: "the bike lock is 4417", "Tresor: 34 rechts, 11 links, 78 rechts".

Four digits may be a year, a room or a price as well. So the thing that is locked, the words before the number
and the verb of entering it are scored, in the seven languages of `cues`; a number that belongs to a unit, a
date or another name is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memcli.text.dates.calendar import NUMBERS
from memcli.text.expressions import compiled
from memcli.text.secrets.amounts import is_amount
from memcli.text.secrets.cues import OTHERS, whole_word
from memcli.text.secrets.places import Span

_THREE_DIGITS = r"\d(?:\D{0,20}\d){2}"
_ENOUGH = 4
# The points for words that say that the number is the code.
_SAID = 2
_REACH, _MOST = 90, 300

# Words for such a code itself.
CODES = tuple(
    r"""
    pins? pin-?(?:code|nummer|nr)s? geheimzahl geheimnummer geheimcode nip pincode codice\spin código\spin code\spin puk \w{1,20}pin
    code\ssecret code\sconfidentiel c[oó]digo\ssecreto codice\ssegreto c[oó]digo\ssecreto
    (?:tür|haustür|tor|zugangs|zutritts|entsperr|alarm|safe|tresor|schloss|garagen|eingangs|sicherheits)code \w{0,16}entsperrcode
    (?:toegangs|deur|poort|kluis|alarm|slot|ontgrendel)code code\sd[’']entrée code\sd[’']accès digicode code\sd[ue]\s(?:la\s|l[’'])?(?:porte|portail|garage|coffre|immeuble|alarme|cadenas|boîte)
    c[oó]digo\sd(?:e|el|a|o)\s(?:la\s|el\s)?(?:puerta|portal|port[oó]n|porta|garaj?ge?|alarmas?|alarme|entrada|acceso|acesso|caja|cofre|candado|cadeado|prédio|edificio)
    codice\sd(?:el|ella|ell[’']|i)\s?(?:cancello|porta|portone|garage|allarme|ingresso|cassaforte|lucchetto|accesso)
    keypad tastenfeld codeklavier toetsenpaneel clavier tastierino teclado
    combinations? combo kombination zahlenkombination zahlenschloss combinatie cijferslot combinaison combinación combinazione combinação segredo
    (?:door|gate|entry|entrance|access|lock|locker|unlock|garage|safe|keypad|security|building|alarm|key\s?box|lock\s?box|phone|tablet)\scodes?
    (?:phone|screen|tablet|laptop)\s(?:un)?lock codes?\s(?:for|to|of)\sthe\s\w{2,12}
    """.split()
)
# Things that are locked.
LOCKED = tuple(
    r"""
    (?:\w{1,8}\s)?locks? bike-?lock padlock lockers? safe key\s?safe key\s?box keysafe lockbox alarm gate (?:front|back|side|garage|street|yard)\sdoor barrier
    voicemail suitcase cupboard
    \w{0,12}schloss \w{0,8}tresor safe \w{0,6}alarm\w{0,6} \w{0,8}tür haustüre \w{0,6}tor schlüssel(?:kasten|tresor|box|safe) spind koffer schranke briefkasten
    \w{0,10}slot \w{0,8}kluis\w{0,2} sleutel(?:kast|kluis)\w{0,4} \w{0,6}poort voordeur achterdeur kluisje slagboom     cadenas antivol coffre(?:-fort)? alarme portail bo[iî]t(?:e|ier)s?\sà\scl[eé]f?s? kastje\smet\s(?:de\s)?sleutels? caja\sde\slas\sllaves cassetta\sdelle\schiavi caixa\sd[ae]s?\schaves? porte\s(?:d[’']entrée|de\sservice|du\s\w+) casier valise messagerie verrou barrière
    candado caja\sfuerte alarma portal portón cancela puerta taquilla maleta buzón cerradura verja trastero
    lucchetto cassaforte allarme antifurto cancello portone armadietto valigia serratura segreteria cassetta\s\w+\schiavi porta garage
    cadeado cofre alarme portão porta cacifo armário mala fechadura portaria tranca
    (?:to\s)?get\sin(?:to)? entr(?:er|ar|are) (?:para|pour|per)\s(?:abrir|ouvrir|aprire) binnenkomen reinkommen
    unlock(?:s|ed|ing)? entsperr\w{1,5} ontgrendel\w{0,2} déverrouill\w{1,4} desbloque\w{1,3} sblocc\w{1,2}
    """.split()
)
# "Code of" something that is opened; not of shops, post and law.
_CODE_OF = tuple(
    r"""
    (?:code|c[oó]digo|codice)\s(?:d[eu]s?|d[’']|de\sl[ae]|del|dell[ao]|dell[’']|d[oa]|der|vom|für|fürs|zum|van|voor|for|of|to)\s?(?:(?:the|my|our|la|le|l[’']|mon|ma|mi|meu|minha|de|het|den|die|das)\s?)?(?!route|produ|client|arti|command|promo|rédu|remise|discount|order|area|country|error|post|barr|condu|pedido|desc|prodott|scont|ordin|dress|bank|swift|fis|tva|paint|colo|cor\s|cou|parc|paket|proje|kurs|course|cours|class|kunde|klant|bestell|artikel|farb|kleur)\w{2,18}
    """.split()
)
# Words for entrances; they may also say who came in, so they count only if the number stands alone.
_ENTRY = tuple(
    r"zugang zutritt eingang access accès acceso accesso acesso toegang entry entrée entrada ingresso".split()
)
# A text must contain one of these, in lower case, for anything here to be found: parts of the words above.
LITERALS = tuple(
    """
    lock pin puk nip cod cód combin kombin combo segredo safe key door tor tür spind koffer tresor
    schrank briefkasten zahl geheim slot kluis poort deur slagboom cijfer barri gate voicemail suitcase
    cupboard clav alarm allarm porta porte porto portó casier valise messagerie verrou cadenas antivol
    antifurto coffre boît boit candado caja puerta cancel taquilla maleta buzón cerra serra verja trastero
    lucchetto cass armadietto valigia segreteria cadeado cofre portão cacifo armário mala fechadura
    tranca tast toets tecla get entr abrir ouvrir aprire binnen rein kastje caixa unlock entsperr
    ontgrendel déverrouill desbloque sblocc zugang zutritt eingang access accès acces acesso toegang
    ingresso schloss digi garag
    """.split()
)
# Verbs of entering a code, directly before it.
_KEYED = tuple(
    r"""
    opens?\s(?:with|at|on|to|by|using) unlock(?:s|ed)?\s(?:with|by|using|on) (?:entsperr|ontgrendel|déverrouill|desbloque|sblocc)\w{0,4}(?:\s\w{2,5}){1,2}\s(?:mit|met|avec|con|com) wants takes (?:go|goe)s?\s(?:off|on|out)\swith punch(?:\sin)? enter(?:ing)? press(?:ing)? key\sin typ(?:e|ing)(?:\sin)? tap(?:ping)?(?:\sin)? dial(?:ling)?
    set\sto tippt? tippe\w? gib eingeben drück\w{0,3} geht\smit geht\sauf\smit auf\smit öffne\w{0,2}\s(?:sich\s)?mit mit\sder heißt lautet entsperr\w{1,3}\smit
    gaat\sopen\s(?:op|met) open\smet gaat\smet opent\smet toets\w? tik druk ontgrendel\w?\smet
    s[’']ouvre\s(?:avec|par|au) ouvre\savec tape[zr]? taper compose[zr]? fais(?:ez)? déverrouille\savec se\sdéverrouille\savec
    se\sabre\s(?:con|com|marcando) abre\s(?:con|com) marca\w{0,3} teclea\w{0,2} pulsa\w{0,2} se\sdesbloquea\scon desbloquea\scon
    si\sapre\scon apre\scon digita\w{0,3} componi si\ssblocca\scon premi si\sdisattiva\scon fare
    abre-se\scom abre\scom digit[ae]\w{0,2} \w{4,12}-se\scom marc[ae]\w{0,2} desbloqueia\scom desbloqueia-se\scom carrega\w? desliga\w{0,3}\scom tecl[ae]\w{0,2}
    se\sdesactiva\scon se\sdésactive\savec désactive\savec
    """.split()
)
_IS = r"(?:(?<![^\W_])(?:is|are|was|ist|sind|est|es|è|é|sono|são|son|to|tá|está)|['’]s|[:=])(?: now| still| jetzt| noch| nu| toujours| ahora| ancora| sempre| star| stern| étoile)?"
_WITH = r"(?<![^\W_])(?:with|mit|met|op|avec|con|com|at|au|al|on|em|su|sul|sur|en|auf)"
# Numbers that look like a year, a round number, a time of day, a model.
_LIKE_OTHERS = r"^(?:19|20)\d\d$|\d00$|^(?:[01]\d|2[0-3])[0-5][05]$|[a-z]"
# Digits as people read them out, one by one, in seven languages: "four seven one nine", "7 then 1 then 9 then
# 4".
_DIGIT_WORDS = "|".join(
    (
        *NUMBERS[:10],
        "null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|zéro|un|deux|trois|quatre|cinq|sept|huit|neuf",
        "cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|due|tre|quattro|cinque|sei|sette|otto|nove",
        "um|dois|três|quatro|sete|oito|nul|een|twee|drie|vijf|zes|zeven|negen",
    )
)
_ONE_DIGIT = rf"(?:\d(?!\d)|(?:{_DIGIT_WORDS})(?![^\W_]))"
_READ_OUT = rf"{_ONE_DIGIT}(?:(?:,? (?:(?:and |und )?then |dann |puis |luego |poi |dan |depois )?|, ?|-){_ONE_DIGIT}){{3,7}}"
# Other keys of a keypad, and actions at one.
_KEYPAD = (
    r"\b(?:hash|pound key|star|asterisk|(?:key|bell|lock) (?:key|symbol|sign)|then (?:the )?(?:key|bell|tick|enter|pull|turn)|and (?:pull|turn|push)|to (?:un)?set|disarm|unset|straight (?:down|across)"
    r"|raute|sternchen|schlüssel(?:zeichen|symbol)|entschärf\w+|scharf|hekje|sterretje|sleuteltje|dièse|étoile|almohadilla|asterisco|cancelletto|cardinal|sustenido|touche|campan\w+|campainha|cloche|klingel|glocke|bel(?:letje)?|(?:und|en|e|y|et|and|then) (?:enter|ok|push|spingi|pousse|pulsa|empurra)|eintippen|eingeben|intoetsen|desarm\w+|désarm\w+|disinser\w+)\b"
)
# The number: digits, perhaps one by one as people read them out, or with capitals among them.
_NUMBER = (
    r"(?<![\w.,:/€$£#+-])(?<![€$£] )(?P<known>"
    + _READ_OUT
    + r"(?![ -]?\d)|[*#]?\d(?:[ -]\d){3,7}(?![ -]?\d)|[*#]?\d{3,8}#?|\d\d?(?:-\d\d?){2}|[A-Z]{1,2}\d{3,6}[A-Z]{0,2}|\d{3,5}[A-Z]{1,2}|\d{1,3}[A-F]\d{2,3})(?![\w/-]|[.,:]\d|[ -]\d{3}|%)"
)
_UNIT = r" ?(?:%|°|€|£|\$|mm|cm|m|km|kg|g|l|ml|w|kw|kwh|v|mv|a|ma|mb|gb|kb|hz|h|hrs?|uhr|am|pm|times?|mal|keer|fois|veces|volte|vezes|people|days?|tage?|dagen|jours|días|giorni|dias|years?|jahre?|ans|años|anni|anos|steps?|calories|pages?|points?|miles?|meter|metres?|members?)(?![^\W_])"
_DATED = r"(?<![^\W_])(?:in|since|from|of|until|till|by|before|after|im|seit|von|vom|bis|ab|sinds|van|tot|uit|en|depuis|de|du|jusqu'en|desde|hasta|dal|nel|del|fino al|em|até|do|year|jahr|jaar|année|año|anno|ano) $"
_OPENS = r"(?:opens?|unlocks?|disarms?|gets you (?:in|into|through|past)|öffnet|entsperrt|entschärft|opent|ontgrendelt|ouvre|déverrouille|désactive|abre|desbloquea|desactiva|apre|sblocca|disattiva|desbloqueia|desliga)"
_AT = r"(?:on|at|into|am|an|auf|bei|op|bij|sur|au|à|en|al|a|su|sul|sulla|no|na|em|for|für|pour|para|per|voor)"
_TURN = r"(?:to the |nach )?(?:left|right|clockwise|anti-?clockwise|counter-?clockwise|links|rechts|linksom|rechtsom|(?:à )?(?:gauche|droite)|(?:a la )?(?:izquierda|derecha)|(?:a )?(?:sinistra|destra)|(?:à |para a )?(?:esquerda|direita))"
_TURNS = "left right clockwise link recht gauche droite izq derech sinist destr esquerd direit".split()
_TO = r"(?: (?:to|on|at|auf|bis|zu|op|naar|tot|sur|à|jusqu'à|hasta|a|al|fino a|até|em|no|twice to|past))?"
_PAIR = rf"(?:{_TURN}{_TO} \d{{1,2}}|\d{{1,2}} (?:{_TO.strip()} ?)?{_TURN})"
_DIAL = rf"\b(?P<known>{_PAIR}(?:(?:,? (?:and |then |dann |und |en |dan |puis |et |y |luego |poi |e |depois )?|[,;/] ?){_PAIR}){{2,4}}(?:,? (?:back |and |then )?(?:to )?\d{{1,2}})?)(?!\w)"
_DIALLED = r"(?:safe|dial|vault|lock|combination|tresor|schloss|kluis|slot|coffre|cadenas|caja fuerte|candado|combinaci[oó]n|cassaforte|lucchetto|cofre|cadeado|combina\w+)"


# Things with other kinds of codes, anywhere before the number.
_NUMBERED = r"\b(?:produ|artik|artíc|articl|artig|discount|rabatt|korting|rédu|remise|descuento|sconto|desconto|promo|http|error|fehler|erreur|postal|postleit|postcode|zip|area|country|vorwahl|order|version|connector|bowling|thread|commit|ticket)"
# Words that may follow a code; any other word after a number is what the number counts.
_GOES_ON = (
    r"then|and|to|till|until|now|since|if|in|on|at|for|from|but|so|because|same|till|not|please|or|when|with|again|straight|drawn|dann|und|bis|jetzt|seit|wenn|falls|im|am|für|aber|auf|oder|scharf|danach|bitte|zum|drücken"
    r"|dan|en|tot|nu|als|in|op|voor|maar|of|puis|et|pour|si|mais|ou|dans|jusqu|sur|depuis|quand|ensuite|luego|y|para|si|pero|hasta|desde|cuando|o|por|poi|e|per|se|ma|fino|da|quando|depois|mas|até|desde|ou"
)
_NAMED = tuple(
    "room zimmer kamer chambre habitación camera quarto durchwahl toestel poste interno number nummer numéro número numero".split()
)
_OTHERS = rf"{whole_word(OTHERS, _NAMED)}(?:\W{{1,3}}(?:is|ist|est|es|è|é|no|nr|number|n°)\b)?\W{{0,3}}$"
# A sentence ends before a capital.
_SENTENCE_END = r"[.!?](?=[ \t]+[^a-zß-ÿ\s])|\n"
# Three digits, or a date: codes only if a word for a code and a verb say so.
_WEAK = r"\d{3}|(?:0?\d|[12]\d|3[01])-(?:0?\d|1[0-2])-\d\d?"
_ONE_BY_ONE = rf"\d(?:[ -]\d){{3,}}|{_READ_OUT}"
_BY_DASHES = r"\d\d?-\d\d?-\d\d?"


def may_hold_opening(text: str, lower: str) -> bool:
    """True if a text has a number of at least three digits, or digits read out, and one of the words."""
    if not any(word in lower for word in LITERALS):
        return False
    return re.search(_THREE_DIGITS, text) is not None or compiled(_READ_OUT).search(lower) is not None


def opening_secrets(text: str, lower: str) -> Iterator[Span]:
    """Yield every code of a lock as (start, end, rule, name); `lower` is the text in lower case."""
    for match in compiled(_DIAL).finditer(lower) if any(turn in lower for turn in _TURNS) else ():
        if compiled(rf"{_DIALLED}|{whole_word(LOCKED)}|caja").search(
            lower[max(0, match.start() - _REACH) : match.start()]
        ):
            yield *match.span("known"), "code", "secret code"
    for number, match in enumerate(compiled(_NUMBER).finditer(text)):
        if number >= _MOST:
            return
        if _opens(match, lower):
            yield *match.span("known"), "code", "secret code"


def _opens(match: re.Match[str], lower: str) -> bool:
    """True if the words around a number make it the code of something locked."""
    known, (start, end) = match["known"], match.span("known")
    near = match.string[max(0, start - _REACH) : start]
    begins = max((each.end() for each in compiled(_SENTENCE_END).finditer(near)), default=0)
    before, after = near[begins:].lower(), lower[end : end + 60].split("\n", maxsplit=1)[0]
    if compiled(_UNIT).match(after) or compiled(_DATED).search(before) or is_amount(match):
        return False
    locks = (
        LOCKED,
        *((_ENTRY,) if _stands_alone(after) else ()),
        *((_CODE_OF,) if "cod" in before or "cód" in before else ()),
    )
    named, locked = (_last(compiled(whole_word(*words)), before) for words in ((CODES,), locks))
    if max(named, locked) < 0:
        return _opens_behind(known, before, after)
    if compiled(_OTHERS).search(before[-40:]) or compiled(_NUMBERED).search(before[-60:]):
        return False
    led = _led(before, max(named, locked), after)
    keyed = compiled(_BY_DASHES).fullmatch(known) and _is_keyed(before)
    if (named < 0 or led < _SAID) and not keyed and compiled(_WEAK).fullmatch(known):
        return False
    one_by_one = compiled(_ONE_BY_ONE).fullmatch(known) is not None
    points = led + (3 if named >= 0 else 2) + one_by_one
    points -= named < 0 and not one_by_one and compiled(_LIKE_OTHERS).search(known.lower()) is not None
    return points + 2 * bool(compiled(_KEYPAD).search(after) or re.search(r"[#*]", known)) >= _ENOUGH


def _opens_behind(known: str, before: str, after: str) -> bool:
    """True if the lock follows the number: "4417 opens the shed lock", "punch 4417 on the alarm"."""
    opens = known.isdigit() and compiled(rf"#? {_OPENS}(?![^\W_])").match(after)
    said = opens or compiled(rf"#? {_AT}(?![^\W_])").match(after)
    if not said or not (opens or compiled(rf"{whole_word(_KEYED)} $").search(before)):
        return False
    locked = rf"(?: (?:\w{{1,14}}['’ ]){{0,3}}?)?{whole_word(CODES, LOCKED)}"
    return compiled(locked).match(after, said.end()) is not None


def _stands_alone(after: str) -> bool:
    """True if a number counts nothing: its clause ends after it, or a keypad is mentioned."""
    return re.match(r"#?(?:\s*$|[.,;])", after) is not None or compiled(_KEYPAD).search(after) is not None


def _last(pattern: re.Pattern[str], before: str) -> int:
    """Return where the last match of a pattern ends; -1 without one."""
    return max((each.end() for each in pattern.finditer(before)), default=-1)


def _led(before: str, told: int, after: str) -> int:
    """Return the points for the words before the number; `told` is where the word for code or lock ends."""
    said = _is_keyed(before) or compiled(rf"{_IS}[\s:]{{1,3}}$").search(before)
    if said and not before.endswith((": ", "= ")):
        return _SAID
    between, alone = before[told:], _stands_alone(after)
    if _counts(between, after):
        return 0
    if before.endswith((": ", "= ", ":", "=")) or (
        before.endswith(", ") and alone and between.count(" ") <= 7
    ):
        return _SAID
    return int(
        compiled(rf"{_WITH}\s$").search(before) is not None or between.count(" ") <= (4 if alone else 2)
    )


def _is_keyed(before: str) -> bool:
    """True if a verb of entering a code stands directly before a number."""
    return compiled(rf"{whole_word(_KEYED)}(?:-se|-le)?[\s:]{{1,3}}(?:in )?$").search(before) is not None


def _counts(between: str, after: str) -> bool:
    """True if a number counts what follows it, or an article before it makes it a name."""
    if compiled(rf" (?!(?:{_GOES_ON})(?![^\W_]))[^\W\d_]{{2,}}").match(after) and not compiled(
        _KEYPAD
    ).search(after):
        return True
    return (
        compiled(r"(?<![^\W_])(?:the|der|die|das|den|le|la|les|el|los|il|o|os|de|het|een) $").search(between)
        is not None
    )
