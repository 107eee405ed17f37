"""Stopwords: words too common to tell one memory from another, case-folded and without accents.

Function words only (articles, pronouns, prepositions, auxiliaries, question words) of the languages with the
most speakers among terminal users; compiled by hand from their grammars. A word with a meaning in another of
these languages ("die", "war", "son") is left out.
"""

from __future__ import annotations

_ENGLISH = """
a about after again all also am an and any are arent as at be because been before being but by can
cannot cant could couldnt did didnt do does doesnt doing dont down during each few for from further
had has hasnt have having he her here hers him his how i id if ill im in into is isnt it its ive just
me more most my no nor not of off on once only or other our out over own s same she should so some
such t than that the their them then there these they theyre this those through to too under until up
us very was wasnt we were what whats when where which while who whom whose why will with would you
your yours
"""
_GERMAN = """
aber als am an auch auf aus bei bin bis bist da das dass dein dem den denn der des dich dir doch du
durch ein eine einem einen einer eines er es fur haben hat hatte ich ihm ihn ihr im ist ja
kann kein keine mein mich mir mit nach nicht noch nur oder ob sein seine sich sie sind so um und
uns unter vom von vor wann warum was wenn wer werden wie wird wir wo wurde zu zum zur
"""
_FRENCH = """
a ai au aux avec c ce ces cette d dans de des du elle elles en est et eu il ils j je l la le les leur
lui ma mais mes moi mon n ne nos notre nous on ou ou par pas pour qu que quel quelle qui sa
se ses sont sous sur ta te tes toi ton tu un une vos votre vous y
"""
_SPANISH = """
al algo como con cual cuando de del donde el ella ellos en entre era es esa ese eso esta este esto fue
ha hay la las le lo los mas me mi mis muy no nos o para pero por porque que quien se si sin sobre
su sus te tiene tu un una y ya yo
"""
_ITALIAN_PORTUGUESE = """
ao aos che chi com da das dei del della delle di do dos e ela ele em ha i il io isso lei lo loro lui
mais mas mia mio na nao nel nella no nos non o os para pela pelo per piu por quando que
quem sao se sem si sono sua sue suo tem tra um uma uno voi
"""
_DUTCH = """
aan al als bij dan dat de deze die dit door een en er het hij hoe ik in is je kan maar met mijn naar
niet nog of om ook op te tot uit van voor waar wat we wie wij worden zij zijn zo
"""
_RUSSIAN = """
а без бы был была были было быть в вам вас весь во вот все всех вы где да для до его ее если есть же
за и из или им их к как когда кто ли меня мне мой моя мы на над не нет но о об он она они оно от по
под при с со так там то тоже только у уже что чтобы эта эти это этот я
"""

# What sets one clause beside another, as alternatives of a pattern; each user adds what parts clauses for it.
COORDINATING = "and|but|so|und|aber|mais|pero|ma|mas|maar"

ENGLISH = frozenset(_ENGLISH.split())
GERMAN = frozenset(_GERMAN.split())
FRENCH = frozenset(_FRENCH.split())
# The function words of the other languages, including those that are English words.
FOREIGN = frozenset(" ".join((_GERMAN, _FRENCH, _SPANISH, _ITALIAN_PORTUGUESE, _DUTCH, _RUSSIAN)).split())
# Those of each language except French.
BUT_FRENCH = tuple(
    frozenset(each.split()) for each in (_ENGLISH, _GERMAN, _SPANISH, _ITALIAN_PORTUGUESE, _DUTCH, _RUSSIAN)
)
SPANISH_ALONE = frozenset(_SPANISH.split()).difference(_ITALIAN_PORTUGUESE.split(), ENGLISH)
# All of them, including those that have a meaning in another of these languages, or are names.
FUNCTION_WORDS = ENGLISH | FOREIGN
STOPWORDS = FUNCTION_WORDS - {"die", "war", "son", "om", "so", "mine", "per"}
