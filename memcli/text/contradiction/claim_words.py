"""The words by which a claim is known: its verbs, and what there is one of."""

from __future__ import annotations

from memcli.text.english.vocabulary import word_set

# What makes a statement more than one claim, or none.
COMPLEX = word_set(
    """
    and or but if when because although while unless except which who whose that where whether maybe perhaps
    would could should might may will used almost nearly like as
    """
)
# Who "she" is, the next statement may not know.
UNKNOWN = word_set(
    """
    it that this there he she they you these those his her their your its who what which everyone everybody
    someone somebody people one some any all every each many most
    """
)
# They say that it holds now.
ASIDE = word_set(
    "now currently recently just already still again nowadays instead actually always finally meanwhile"
)
LEADS = word_set("leads heads manages owns chairs directs captains")
PLACING = word_set("lives live resides reside sits hangs stands stays")
PLACED = word_set(
    "located stored kept hosted deployed based parked saved placed housed living sitting hidden archived"
)
MOVED = word_set("moved relocated moving postponed rescheduled shifted delayed")
BUILT = word_set("written rewritten built rebuilt coded implemented developed reimplemented")
CHANGED_TO = word_set(
    """
    went rose grew increased dropped fell climbed changed raised lowered reduced cut bumped extended shortened
    set grown risen fallen
    """
)
STARTS = word_set(
    "starts start begins begin happens happen leaves leave departs depart rings ring runs run meets meet"
)
LEFT = word_set("left quit resigned")
PLACE = word_set("in on at to under behind inside beside near with below above")
ARTICLE = word_set("a an the")
# With what only says since when.
SINCE = word_set("since last ago this these starting")
LEADING = word_set("lead leader head manager owner boss director captain chair")
MARITAL = word_set("single married divorced widowed engaged")
SPOUSE = word_set("wife husband spouse fiance fiancee")
# What each diet leaves out.
DIETS = {
    "vegan": word_set("meat fish dairy"), "vegetarian": word_set("meat fish"),
    "pescatarian": word_set("meat"), "omnivore": frozenset[str](),
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
ALCOHOL = word_set("alcohol wine beer whisky whiskey vodka gin cocktails")
# There is one who is it.
JOB_ROLES = word_set(
    """
    lead leader head manager boss director ceo cto cfo coo president chair captain owner sponsor maintainer
    dentist doctor landlord wife husband fiance fiancee mother father editor therapist
    """
)
# There is one, whatever it is.
ONE_VALUED = JOB_ROLES | word_set(
    """
    favorite favourite preferred default current main primary name birthday age salary income rent height
    weight address number email job profession title employer budget deadline quota limit goal target timezone
    type size color colour language nationality religion status hometown major username pin version port host
    price cost capital provider branch network timeout password
    """
)
# Being there for a while says of no place.
STATES = word_set(
    """
    progress review use charge love trouble holiday vacation time order stock place effect danger sync mind
    production development beta touch english german french spanish leave hold
    """
)
NATIONAL = word_set(
    """
    american british english scottish irish welsh german french italian spanish portuguese dutch belgian swiss
    austrian polish czech hungarian greek turkish russian ukrainian swedish norwegian danish finnish chinese
    japanese korean indian pakistani brazilian mexican canadian australian african european asian egyptian
    israeli iranian catholic jewish muslim christian buddhist hindu
    """
)
# By which words a claim of this relation is found where its subject has none of its own ("I", "the user").
CUES = {
    "place": word_set("live living moved relocated based reside"),
    "employer": word_set("work joined employed job"),
    "diet": word_set("vegetarian vegan pescatarian omnivore eat"),
    "marital status": MARITAL, "alcohol": word_set("drink alcohol"), "smoking": word_set("smoke"),
    "age": word_set("old"), "led by": JOB_ROLES | word_set("lead head manage own chair direct captain"),
}  # fmt: skip
