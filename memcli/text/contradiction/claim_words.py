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
LEFT = words("left quit resigned")
PLACE = words("in on at to under behind inside beside near with below above")
ARTICLE = words("a an the")
# With what only says since when.
SINCE = words("since last ago this these starting")
LEADING = words("lead leader head manager owner boss director captain chair")
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
