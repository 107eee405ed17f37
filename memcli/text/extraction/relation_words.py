"""Words of relations between two names, in English: verbs, kinship, roles, and words that revoke them."""

from __future__ import annotations

import re

from memcli.named_tuple import NamedTuple
from memcli.text.english.vocabulary import NEGATION, PERSON, QUANTITY, word_set
from memcli.text.stopwords import ENGLISH

KIN = (
    "wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?|son|daughter|child|brother|sister|sibling|twin"
    "|mother|father|mom|mum|dad|parent|grandmother|grandfather|grandson|granddaughter|uncle|aunt|niece|nephew"
    "|cousin|stepmother|stepfather|stepson|stepdaughter"
    "|(?:mother|father|brother|sister|son|daughter)-in-law|godmother|godfather|godson|goddaughter"
    "|friend|neighbou?r|roommate|flatmate|colleague|co-worker|coworker|teammate|boss|manager|supervisor|mentor|assistant"
    "|doctor|dentist|therapist|lawyer|accountant|landlord|landlady|tenant|teacher|tutor|coach|trainer|babysitter"
    "|nanny|student|client|dog|cat"
)
ROLE = (
    "ceo|cto|cfo|coo|founder|co-founder|cofounder|head|director|president|chair|chairman|chairwoman|owner|co-owner|coowner"
    "|author|maintainer|leader|captain|member|editor|principal|dean|mayor|capital|part|subsidiary|fork|successor"
    "|predecessor|replacement|manager"
)
# Adverbs before a verb that only say that it holds.
_HOLDS = r"(?:(?:currently|now|also|still|already|usually|both|all) )*"
_HAS = r"(?:has |have |'ve |just |recently )*"
_BE = rf"(?:(?:is|are|am) |'(?:s|m|re) ){_HOLDS}"


class Verb(NamedTuple):
    """A verb that expresses a relation, with its pattern and how it is used."""

    relation: str
    pattern: str
    # True if it is used of machines and components, whose names are written in lower case.
    plain: bool = False
    # True if "I" may be the subject; for other verbs, what the owner uses or knows is no relation.
    first_person: bool = False
    # True if subject and object are exchanged: "is owned by".
    passive: bool = False
    # True if a part after a comma only says where the object is: "Berlin, Germany".
    place: bool = False
    confidence: float = 0.9


VERBS = (
    Verb("works_at", rf"{_HOLDS}works? (?:at|for)|{_BE}working (?:at|for)", first_person=True),
    Verb("works_at", rf"{_HOLDS}works? as an? (?:[\w-]+ ){{1,4}}(?:at|for)", first_person=True),
    Verb("works_at", rf"{_BE}working as an? (?:[\w-]+ ){{1,4}}(?:at|for)", first_person=True),
    Verb("works_at", rf"{_BE}employed (?:at|by)", first_person=True),
    Verb("works_at", rf"{_HAS}joined", first_person=True, confidence=0.85),
    Verb("works_on", rf"{_HOLDS}works? on|{_BE}working on", first_person=True, confidence=0.85),
    Verb("works_with", rf"{_HOLDS}works? with", first_person=True),
    Verb("lives_in", rf"{_HOLDS}(?:lives?|resides?) in|{_BE}living in", first_person=True, place=True),
    Verb("moved_to", rf"{_HAS}(?:moved|relocated) to", first_person=True, place=True, confidence=0.85),
    Verb("lives_with", rf"{_HOLDS}lives? with", first_person=True),
    Verb("born_in", r"(?:was|were) born in", first_person=True, place=True),
    Verb("from", rf"{_BE}(?:originally )?from|{_HOLDS}(?:comes?|hails?) from", first_person=True, place=True),
    Verb("married_to", rf"{_BE}married to", first_person=True),
    Verb("engaged_to", rf"{_BE}engaged to", first_person=True),
    Verb("reports_to", rf"{_HOLDS}reports? to", first_person=True),
    Verb("manages", rf"{_HOLDS}manages?", first_person=True),
    Verb("leads", rf"{_HOLDS}leads?", first_person=True),
    Verb("knows", rf"{_HOLDS}knows?"),
    Verb("speaks", rf"{_HOLDS}speaks?", first_person=True),
    Verb("studies_at", rf"{_HOLDS}(?:study|studies) at|{_BE}studying at", first_person=True),
    Verb("teaches_at", rf"{_HOLDS}teach(?:es)? at|{_BE}teaching at", first_person=True),
    Verb("plays_for", rf"{_HOLDS}plays? for", first_person=True),
    Verb("founded", r"(?:co-)?founded|cofounded", first_person=True),
    Verb("founded", r"(?:was|were) (?:(?:co-)?founded|cofounded) by", passive=True),
    Verb("owns", rf"{_HOLDS}owns?"),
    Verb("owns", rf"{_BE}owned by", plain=True, passive=True),
    Verb("belongs_to", rf"{_HOLDS}belongs? to", plain=True),
    Verb("maintains", rf"{_HOLDS}maintains?", plain=True),
    Verb("maintains", rf"{_BE}maintained by", plain=True, passive=True),
    Verb("wrote", r"wrote"),
    Verb("wrote", r"(?:is|was|were) written by", plain=True, passive=True),
    Verb("based_in", rf"{_BE}(?:based|located|headquartered) in", place=True),
    Verb("acquired", r"(?:has )?acquired"),
    Verb("acquired", r"(?:was|were) acquired by", passive=True),
    Verb("depends_on", rf"{_HOLDS}(?:depends?|relies|rely) (?:up)?on", plain=True),
    Verb("requires", rf"{_HOLDS}requires?", plain=True),
    Verb("uses", rf"{_HOLDS}uses?", plain=True),
    Verb("runs_on", rf"{_HOLDS}runs? on|{_BE}(?:running|deployed|hosted) (?:on|at)", plain=True),
    Verb("written_in", rf"{_BE}(?:written|implemented) in", plain=True),
    Verb("built_with", rf"{_BE}built (?:with|on)", plain=True),
    Verb("connects_to", rf"{_HOLDS}(?:connects?|talks?) to", plain=True),
    Verb("replaced", r"(?:has |have )?replaced|replaces", plain=True),
    Verb("stores_data_in", rf"{_HOLDS}stores? (?:its |their |all )?(?:data )?in", plain=True),
    Verb("part_of", rf"{_BE}part of", plain=True),
)  # fmt: skip

# Beginnings of these words: a sentence without any of them states no relation, and is not examined further.
BEGINNINGS = tuple(
    {
        word
        for pattern in (*(verb.pattern for verb in VERBS), KIN, ROLE)
        # Of a word with an optional letter, the part before it.
        for word in re.findall(r"\w{3,}", re.sub(r".\?", " ", pattern))
    }
    - ENGLISH
)

# Words by which a sentence does not state that something is so now.
STOPS = re.compile(
    r"\?|[\"“”«»]|(?<!\w)'(?=\w)|\b(?:if|unless|whether|would|could|might|may|must|shall|should|will|maybe"
    r"|perhaps|wish|hope|want|used to|no longer|any ?more|until|formerly|previously|former|ex|late|imagine"
    r"|pretend|suppose|example|hypothetically|joking|kidding|says?|said|thinks?|thought|guess|believes?|right\Z|claims?|claimed|heard"
    r"|ignore|almost|nearly|someday"
    r"|before|back then|at the time|in (?:19|20)\d\d)\b|n't\b|\bex-",
    re.IGNORECASE,
)
# What may follow an object without revoking the relation.
_SINCE = r"(?:,? (?:since|as of) (?P<since>(?:[A-Z][a-z]+ )?(?:\d{1,2},? )?(?:19|20)\d\d))"
# Possessive and atomic, without backtracking, so that no text can make it slow.
TAIL = (
    rf"(?>(?:{_SINCE}|,? as (?:an? |the |our )?[\w' -]++|,? with [\w' ,-]++|,? in @|,? (?:because|so) .++"
    r"|,? (?:which|who|where|whom) .++| now| these days| today| too| as well| full[- ]time| part[- ]time"
    r"|,? originally| (?:for|over) (?:\w+ )?(?:years|months)(?: now)?| \([^()]*+\)){0,4})"
)
NEXT = re.compile(r"(?:, | )(?:and|but) (?:he |she |they |it )?(?=\w)")
# Nouns for software and machines, which are named in lower case by what they are.
MACHINE = re.compile(
    r"\b(?:apis?|apps?|backend|frontend|services?|microservice|servers?|databases?|db|warehouse"
    r"|librar(?:y|ies)|packages?|modules?|components?|scripts?|cron ?jobs?|pipelines?|workers?|queues?|cache"
    r"|clusters?|proxy|gateway|websites?|sites?|blogs?|bots?|plug-?ins?|extensions?|parsers?|compilers?|clients?|cli|daemon|scheduler"
    r"|system|tools?|tooling|repos?|repository|dashboards?|buckets?|containers?|images?|firmware|drivers?|kernel|router"
    r"|monolith|stack|codebase|firewall|webhook|endpoints?|crawler|scraper|installer|build|deployment)$",
    re.IGNORECASE,
)
# Words that are capitalised, or stand where a name would, and are none.
NO_NAME = (
    ENGLISH | NEGATION | QUANTITY | PERSON.keys()
    | word_set(
        """
        anybody anyone anything everybody everyone everything somebody someone something one others people
        home school work night today tonight tomorrow yesterday now even onto please thank thanks yes
        """
    )
)  # fmt: skip
