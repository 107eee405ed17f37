"""Words by what they do to a statement: those that turn, bound or time it, opposites, and synonyms.

Closed classes of English after its grammars, with the commonest of German,
French and Spanish; opposites and synonyms are everyday words, chosen before
any data was looked at. All folded and with contractions undone, as
`tokens.tokenize` gives them.
"""

from __future__ import annotations

import itertools
from functools import cache

from memcli.text.dates import calendar
from memcli.text.dates.calendar import MONTHS, ORDINALS, TENS, WEEKDAYS
from memcli.text.english.word_forms import american_spelling


def word_set(text: str) -> frozenset[str]:
    """The words of a list written as text."""
    return frozenset(text.split())


NEGATION = word_set(
    """
    not no never none nobody nothing nowhere neither nor without hardly barely rarely seldom scarcely
    cannot lack lacks lacking except unless
    nicht kein keine keinen keinem keiner keines nie niemals nichts niemand ohne
    non nein niet geen nooit nao nem nessuno не нет ни без никогда
    ne pas jamais rien aucun aucune sans
    nunca nada nadie ningun ninguno ninguna sin tampoco
    """
)
MODAL = word_set(
    """
    will would shall should must may might can could ought need
    darf kann konnte konnen muss musste mussen soll sollte wird wurde werden
    doit devrait peut pourrait
    debe deberia puede podria
    """
)
QUANTITY = word_set(
    """
    all every each any some most many much few several both half only always usually often sometimes
    occasionally mostly mainly almost nearly about around approximately roughly exactly least more less
    fewer enough too once twice daily weekly monthly yearly hourly nightly annually another other else
    alle jeder jede jedes einige manche wenige viele immer oft manchmal meistens nur selten mehr weniger
    tous toutes chaque quelques plusieurs toujours souvent parfois seulement plus moins
    todos todas cada algunos algunas muchos pocos siempre veces solo menos
    """
)
# Where in time, order or condition the rest stands: without them it says something else.
RELATION = word_set(
    """
    before after until till since during while if than instead rather unlike against despite although
    because yet again anymore longer ago formerly previously former ex later earlier first
    last next current new old under behind beside near between beyond above below
    vor nach bis seit wenn statt anstatt noch schon
    avant apres depuis jusque si lieu
    antes despues hasta desde
    """
)
# Where a thing stands to another; those of a line say the same.
_PREPOSITIONS = """
with along|without|in within inside|into|on upon onto|off|at|to toward unto|from|by via|for|against|of|about
concerning regarding|over|under beneath underneath below|above|between among|across|through throughout
around|beyond|near beside|behind|past|before|after|during|until till|since|per|up|down|out|away|back
"""
PREPOSITIONS = {
    word: line.split()[0] for line in _PREPOSITIONS.replace("\n", "|").split("|") for word in line.split()
}
# They end a verb: without them it is another.
PARTICLES = word_set("up down out off away back over on in")
ARTICLES = word_set("a an the this that these those")
# Of the other languages that are known here.
FOREIGN_ARTICLES = word_set(
    """
    der die das den dem des ein eine einen einem einer
    le la les l un une el los las una il lo gli de het een o os as
    """
)
# Names of one thing each, of which the word beside it is the name; and commands that take one.
NAMED_BY = word_set(
    """
    table column field branch endpoint route key variable function method class module package library
    command flag option file folder directory bucket topic queue namespace repo repository service host
    hostname tag label property attribute parameter param argument image container index schema database
    script job task target step stage role group user channel page tab app project name named called
    make npm yarn pnpm cargo git docker kubectl brew apt pip tox nox rake gradle import select
    """
)
# Whose it is, and about whom: English, then the three others.
PERSON = {
    word: person
    for person, members in {
        "i": "i me my mine myself ich mir mich mein meine meinen meinem meiner je moi mon ma mes yo mi mis",
        "you": "you your yours yourself du dir dich dein deine tu toi ton ta tes vous votre vos usted",
        "he": "he him his himself",
        "she": "she her hers herself",
        "we": "we us our ours ourselves wir uns unser unsere nous notre nos nosotros nuestro nuestra",
        "they": "they them their theirs themselves",
    }.items()
    for word in members.split()
}
POSSESSIVE = word_set("my your his her its our their whose mein meine dein deine mon ma mes mi mis su sus")
SUBJECT = {"i": "i", "he": "he", "she": "she", "we": "we", "they": "they"}
OBJECT = {"me": "i", "him": "he", "her": "she", "us": "we", "them": "they"}
PAST = word_set("was were had did used been war hatte etait avait era tenia")
PRESENT = word_set("is are am has have do does being")

# How much one means it, and verbs that only bind: with and without them a statement says the same.
LIGHT = word_set(
    """
    really truly very actually currently presently now nowadays already still simply basically definitely
    certainly absolutely quite honestly personally generally literally please also just own owns use uses
    using utilize utilizes have has having got hav located situated based happen happens indeed
    """
)
# They say that a number is not exact, which it seldom is; "any" only goes along with a "not".
APPROXIMATE = word_set("about around approximately roughly circa any")
TITLES = word_set("mr mrs ms miss dr")
# What one likes, eats or avoids is meant in general, one or many.
GENERIC = word_set(
    "to of for about like love enjoy hate dislike prefer adore avoid eat drink want allergic fear"
)
# Stems.
LIKING = word_set("prefer lik lov enjoy ador favor")

# When, and in what: another one is another value, as another number is. "May" is a verb as well.
CALENDAR = frozenset((*WEEKDAYS, *MONTHS)) - {"may"} | word_set(
    """
    today tomorrow yesterday tonight noon midnight morning afternoon evening night weekend weekday
    spring summer autumn winter
    montag dienstag mittwoch donnerstag freitag samstag sonntag heute morgen gestern
    lundi mardi mercredi jeudi vendredi samedi dimanche demain hier
    lunes martes miercoles jueves viernes sabado domingo manana hoy ayer
    """
)
UNIT = word_set(
    """
    second minute hour day week month year decade millisecond meter centimeter millimeter kilometer
    mile foot feet inch yard gram kilogram pound ounce ton liter milliliter gallon degree celsius fahrenheit
    kelvin byte kilobyte megabyte gigabyte terabyte bit percent dollar euro franc yen cent thousand million
    billion trillion dozen watt kilowatt volt ampere hertz megahertz gigahertz calorie
    """
)
# Each line of unit signs: how it is written, what it is.
UNIT_NAMES = {
    written: unit
    for unit, forms in {
        "second": "s sec secs seconds", "minute": "min mins minutes", "hour": "h hr hrs hours",
        "day": "d days", "week": "w wk wks weeks", "month": "months", "year": "y yr yrs years",
        "millisecond": "ms milliseconds", "meter": "m meters metre metres", "decade": "decades",
        "centimeter": "cm centimeters centimetre centimetres",
        "millimeter": "mm millimeters millimetre millimetres",
        "kilometer": "km kilometers kilometre kilometres", "mile": "mi miles", "inch": "inches",
        "yard": "yards", "gram": "g grams", "kilogram": "kg kgs kilograms kilo kilos",
        "pound": "lb lbs pounds £",
        "ounce": "oz ounces", "ton": "tons tonne tonnes", "liter": "l liters litre litres",
        "milliliter": "ml milliliters", "gallon": "gallons", "degree": "degrees °", "celsius": "c",
        "fahrenheit": "f", "byte": "b bytes", "kilobyte": "kb kilobytes", "megabyte": "mb megabytes",
        "gigabyte": "gb gigabytes", "terabyte": "tb terabytes", "percent": "%",
        "dollar": "usd dollars bucks $",
        "euro": "eur euros €", "yen": "¥", "cent": "cents", "thousand": "k thousands",
        "million": "mio millions",
        "billion": "bn billions", "dozen": "dozens", "watt": "watts", "kilowatt": "kw kilowatts",
        "volt": "v volts", "calorie": "kcal calories",
    }.items()
    for written in forms.split()
}  # fmt: skip
# Where a capital makes another unit.
UNITS_BY_CASE = {
    "Mb": "megabit", "Gb": "gigabit", "Tb": "terabit", "Kb": "kilobit", "Mbps": "megabit", "Gbps": "gigabit",
    "MW": "megawatt", "mW": "milliwatt", "MHz": "megahertz", "mHz": "millihertz", "GW": "gigawatt",
    "mV": "millivolt", "MV": "megavolt", "mA": "milliampere", "M": "million", "MBps": "megabyte-a-second",
    "GBps": "gigabyte-a-second",
}  # fmt: skip
# "first" says more often when than which, and stands among the relations.
NUMBERS = {
    **{word: str(number) for number, word in enumerate(calendar.NUMBERS)},
    **{word: str(10 * number) for number, word in enumerate(TENS, start=2)},
    **{word: str(number) for number, word in enumerate(ORDINALS, start=2)},
}

# In each group the first is the opposite of all others.
_OPPOSITES = """
after before|early late|earlier later|first last|next previous|old new young|start stop end finish
begin end stop|open close shut|opened closed shut|on off|in out|up down|above below|over under
inside outside|left right arrived|north south|east west|top bottom|front back rear|upper lower|to from
into from|with without|for against|more less fewer|most least|many few|much little|high low|higher lower
big small little|large small little|bigger smaller|larger smaller|long short|longer shorter|tall short
wide narrow|thick thin|heavy light|dark light bright|hot cold|warm cool cold|hotter colder
warmer cooler colder|fast slow|faster slower|quick slow|strong weak|stronger weaker|hard soft easy
difficult easy|easier harder|good bad|better worse|best worst|right wrong|true false
correct incorrect wrong|rich poor|full empty|wet dry|clean dirty|safe unsafe dangerous|secure insecure
public private|happy sad unhappy|healthy sick ill unhealthy|alive dead|single married|married divorced
cheap expensive|cheaper dearer|free paid busy|possible impossible|likely unlikely|usual unusual
able unable|legal illegal|stable unstable|required optional|mandatory optional|compulsory optional
allow forbid deny prohibit prevent block|allowed forbidden denied prohibited prevented blocked banned
permit forbid prohibit ban|enable disable|enabled disabled|active inactive|activate deactivate
online offline|increase decrease reduce lower decline|increased decreased reduced lowered declined
rise fall drop decline|rose fell dropped declined|rises falls drops|increases decreases reduces
raise lower cut|raised lowered cut|gain lose|gained lost|win lose|won lost|grow shrink|grew shrank
expand shrink contract|improve worsen|improved worsened|add remove delete subtract|added removed deleted
insert delete remove|create delete destroy|attach detach|connect disconnect|install uninstall remove
include exclude omit|included excluded omitted|accept reject refuse decline
accepted rejected refused declined|approve reject|approved rejected|agree disagree|agreed disagreed
admit deny|admitted denied|confirm deny|confirmed denied|pass fail|passed failed|succeed fail
succeeded failed|success failure|buy sell|bought sold|lend borrow|lent borrowed|give take receive
gave took received|send receive|sent received|push pull|import export|upload download|read write
encrypt decrypt|lock unlock|locked unlocked|show hide|shown hidden|visible hidden|arrive leave depart
arrived left departed|come go|came went|enter leave exit|join leave quit|joined left quit|hire fire
hired fired|marry divorce|love hate dislike loathe|like dislike hate loathe|likes dislikes hates loathes
loves hates dislikes loathes|liked disliked hated|enjoy hate dislike|enjoys hates dislikes
prefer avoid dislike hate|prefers avoids dislikes hates|adore detest loathe hate
adores detests loathes hates|trust distrust|remember forget|remembered forgot|keep drop discard
keeps drops discards|save waste spend|teach learn|ask answer|lead follow|work rest|asleep awake
sleep wake|husband wife|man woman|men women|boy girl|son daughter|brother sister|mother father|mom dad
mum dad|uncle aunt|nephew niece|king queen|male female|boyfriend girlfriend|parent child|teacher student
boss employee|client server|input output|source target|sender receiver|minimum maximum|min max
staging production|vegetarian carnivore|guilty innocent|majority minority|positive negative|plus minus
profit loss|everyone nobody|everybody nobody|everything nothing|yes no
"""
_SYNONYMS = """
called named name|begin start commence|begins starts commences|begun started|big large|purchase buy
purchased bought|doctor physician|car automobile|live reside dwell|lives resides dwells|job occupation
kid child|kids children|film movie|phone telephone cellphone|photo picture photograph
help assist aid|helps assists|end finish conclude|ended finished concluded
repair fix mend|repaired fixed mended|shop store|use utilize|uses utilizes|speak talk
ill sick|quick fast rapid|quickly fast rapidly|answer reply respond|happy glad|afraid scared
choose select pick|need require|needs requires|allow permit|allowed permitted|forbid prohibit ban
forbidden prohibited banned|error mistake|road street|apartment flat|holiday vacation|trip journey
test exam|nearly almost|about around approximately roughly circa|whole entire|often frequently
perhaps maybe|say state|said stated|says states|show display|get obtain receive|got obtained received
give provide|given provided|gave provided|folder directory|configuration config|database db
repository repo|production prod|development dev|documentation docs|application app|information info
okay ok|television tv|bicycle bike|airplane plane aeroplane aircraft|refrigerator fridge
advertisement ad|laboratory lab|gymnasium gym|colour color|centre center|organise organize|grey gray
behaviour behavior|licence license|cancelled canceled|travelling traveling|mum mom mother|dad father
till until|too also|everyone everybody|each every|sofa couch|lawyer attorney|shares stock|company firm
rise increase|rose increased climbed|fell dropped declined|fall drop decline|huge enormous|favorite preferred
store keep|stored kept|tiny small
like love enjoy prefer adore favor|likes loves enjoys prefers adores favors
lik lov enjoy prefer ador favor|delete remove erase|deleted removed erased|upon on
"""


@cache
def _table(name: str) -> dict[str, frozenset[str]]:
    """Each word of a table, and those that stand against it; made where first asked for."""
    against: dict[str, set[str]] = {}
    for group in (_OPPOSITES if name == "opposites" else _SYNONYMS).strip().replace("\n", "|").split("|"):
        first, *others = members = [american_spelling(word) for word in group.split()]
        for one, other in (
            itertools.combinations(members, 2) if name == "synonyms" else ((first, each) for each in others)
        ):
            against.setdefault(one, set()).add(other)
            against.setdefault(other, set()).add(one)
    return {word: frozenset(those) for word, those in against.items()}


def opposites(word: str) -> frozenset[str]:
    """The everyday opposites of a folded word."""
    return _table("opposites").get(word, frozenset())


def synonyms(word: str) -> frozenset[str]:
    """The everyday synonyms of a folded word."""
    return _table("synonyms").get(word, frozenset())
