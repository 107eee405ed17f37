"""The words by which a claim is known: its verbs, and what there is one of."""

from __future__ import annotations

from memcli.text.english.vocabulary import words

# What makes a statement more than one claim, or none.
COMPLEX = words(
    """
    and or but if when because although while unless except which who whose that where whether maybe perhaps
    would could should might may will used almost nearly like as
    """
)
# Who "she" is, the next statement may not know.
UNKNOWN = words(
    """
    it that this there he she they you these those his her their your its who what which everyone everybody
    someone somebody people one some any all every each many most
    """
)
# They say that it holds now.
ASIDE = words(
    "now currently recently just already still again nowadays instead actually always finally meanwhile"
)
LEADS = words("leads heads manages owns chairs directs captains")
PLACING = words("lives live resides reside sits hangs stands stays")
PLACED = words(
    "located stored kept hosted deployed based parked saved placed housed living sitting hidden archived"
)
MOVED = words("moved relocated moving postponed rescheduled shifted delayed")
BUILT = words("written rewritten built rebuilt coded implemented developed reimplemented")
CHANGED_TO = words(
    """
    went rose grew increased dropped fell climbed changed raised lowered reduced cut bumped extended shortened
    set grown risen fallen
    """
)
STARTS = words(
    "starts start begins begin happens happen leaves leave departs depart rings ring runs run meets meet"
)
ENDS = {
    verb: relation
    for relation, verbs in {
        "opening": "opens open", "closing": "closes close", "end": "ends end finishes finish",
        "arrival": "arrives arrive", "end of validity": "expires expire",
    }.items()
    for verb in verbs.split()
}  # fmt: skip
MEASURES = {
    verb: relation
    for relation, verbs in {
        "length": "takes take lasts last", "price": "costs cost", "weight": "weighs weigh",
        "pay": "earns earn pays pay", "end after": "expires expire", "limit": "allows allow holds hold",
    }.items()
    for verb in verbs.split()
}  # fmt: skip
HAVE = words("has have contains contain employs employ got")
VERSIONED = words("uses use requires require needs need runs run targets target on")
# What one does otherwise from now on; at other times one may do both.
LOOSE = {
    verb: name
    for name, verbs in {
        "prefer": "prefers prefer", "commute": "commutes commute", "drive": "drives drive",
        "deploy": "deploys deploy", "indent": "indents indent", "write": "writes write", "use": "uses use",
        "work": "works work", "sleep": "sleeps sleep", "meet": "meets meet", "pay": "pays pay",
        "shop": "shops shop", "train": "trains train", "study": "studies study", "build": "builds build",
    }.items()
    for verb in verbs.split()
}  # fmt: skip
OTHER_VERBS = words("works work joined runs run upgraded updated migrated eat eats drink drinks got gets")
GONE = words(
    "sold dropped abandoned retired cancelled canceled ditched scrapped deleted decommissioned cancelled"
)
LEFT = words("left quit resigned")
MARITAL = words("single married divorced widowed engaged")
SPOUSE = words("wife husband spouse fiance fiancee")
# What each diet leaves out.
DIETS = {
    "vegan": words("meat fish dairy"), "vegetarian": words("meat fish"), "pescatarian": words("meat"),
    "omnivore": frozenset[str](),
}  # fmt: skip
ANIMAL = {
    food: kind
    for kind, foods in {
        "meat": "meat beef pork chicken steak bacon ham lamb sausages burgers",
        "fish": "fish salmon tuna sushi shrimp seafood",
        "dairy": "cheese eggs butter milk yogurt dairy honey",
    }.items()
    for food in foods.split()
}  # fmt: skip
ALCOHOL = words("alcohol wine beer whisky whiskey vodka gin cocktails")
# There is one who is it.
ROLES = words(
    """
    lead leader head manager boss director ceo cto cfo coo president chair captain owner sponsor maintainer
    dentist doctor landlord wife husband fiance fiancee mother father editor therapist
    """
)
# There is one, whatever it is.
ONE_VALUED = ROLES | words(
    """
    favorite favourite preferred default current main primary name birthday age salary income rent height
    weight address number email job profession title employer budget deadline quota limit goal target timezone
    type size color colour language nationality religion status hometown major username pin version port host
    price cost capital provider branch network timeout password
    """
)
# Being there for a while says of no place.
STATES = words(
    """
    progress review use charge love trouble holiday vacation time order stock place effect danger sync mind
    production development beta touch english german french spanish leave hold
    """
)
NATIONAL = words(
    """
    american british english scottish irish welsh german french italian spanish portuguese dutch belgian swiss
    austrian polish czech hungarian greek turkish russian ukrainian swedish norwegian danish finnish chinese
    japanese korean indian pakistani brazilian mexican canadian australian african european asian egyptian
    israeli iranian catholic jewish muslim christian buddhist hindu
    """
)
# By which words a claim of this relation is found where its subject has none of its own ("I", "the user").
CUES = {
    "place": words("live living moved relocated based reside"),
    "employer": words("work joined employed job"),
    "diet": words("vegetarian vegan pescatarian omnivore eat"),
    "marital status": MARITAL, "alcohol": words("drink alcohol"), "smoking": words("smoke"),
    "age": words("old"), "led by": ROLES | words("lead head manage own chair direct captain"),
}  # fmt: skip
