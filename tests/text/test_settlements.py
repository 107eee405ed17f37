"""What is paid settles money, and what comes back was on loan: of anything else both hold."""

from __future__ import annotations

import pytest

from memcli.judgement.pairs import judge_pair
from memcli.text.semantics.settlements import settlement

_OTHER = [
    ("Bronwen lent me her spokeshave", "Paid Bronwen back for the rivets"),
    ("Dev borrowed my socket set", "Dev paid me back for the lunches"),
    ("Kofi lent me his drill", "Gave Kofi his tent back"),
    ("I owe Lena 50 for the concert tickets", "Paid Lena back for the groceries"),
    ("I owe Lena 50 for the concert tickets", "Gave Lena her book back"),
    ("Rob owes me 200 for the bike", "Rob brought the bike back"),
    ("The Dawsons owe me £90", "The Pattersons paid me back the £90"),
    ("Nadia has my camping stove", "Nadia gave me back the 20 euros"),
    ("Yusuf lent me his van", "I've settled up with Yusuf for the diesel"),
    ("Mrs Hartnell has my drill", "Mrs Hartnell returned my saw"),
    ("Lena hat sich mein Fahrrad geliehen", "Lena hat mir die 30 Euro für das Essen zurückgegeben"),
    ("Ich schulde Mia 50 Euro für die Konzertkarten", "Habe Mia ihr Buch zurückgegeben"),
    ("Luc m'a prêté sa perceuse", "J'ai remboursé Luc pour l'essence"),
    ("Je dois 50 euros à Léa pour le concert", "J'ai rendu son livre à Léa"),
    ("Le presté mi tienda de campaña a Iker", "Iker me ha devuelto los 20 euros de la cena"),
    ("Paolo mi ha prestato il trapano", "Ho restituito a Paolo i soldi della benzina"),
]
_ALL = [
    ("I owe Bronwen £35 for the copper rivets", "Paid Bronwen back for the rivets"),
    ("Lent Dev my Japanese pull saw, he's got it at home", "Dev brought the pull saw back"),
    ("Clem has my cordless drill", "Clem returned the cordless drill"),
    # A name may end as a future does.
    ("Dora lent me her kayak", "Dora's got her kayak back"),
    ("Zara owes me 14 for the train fare", "Zara paid me back for the train fare"),
    ("I've got Sue's casserole dish", "Took Sue's casserole dish back"),
    ("My hedge trimmer is at Colin's", "Colin dropped the hedge trimmer back"),
    ("Stavros owes me £640 for the tiller", "Stavros settled the rest, we're square"),
    ("Paul schuldet mir 80 Euro", "Paul hat den Rest bezahlt, wir sind quitt"),
    ("Zoé me doit 80 euros", "Zoé a payé le reste, on est quittes"),
    ("Iker me debe 80 euros", "Iker ha pagado el resto, estamos en paz"),
    ("Sandro mi deve 150 euro per le gomme", "Sandro mi ha dato gli ultimi 50, siamo pari"),
]
_TO_ASK = [
    ("Jo Kemp has my thickness planer", "Jo dropped the planer off", "perhaps"),
    ("I owe Walt £45", "Paid Walt back for the boiler", "perhaps"),
    ("Ho prestato il trapano a Sandro", "Sandro ha riportato il trapano", "perhaps"),
    ("Stavros owes me £640 for the tiller", "Stavros paid 400 of the 640", "part"),
    ("I owe Lena 50 for the concert tickets", "Gave Lena 20 of the 50", "part"),
    ("Ben owes me 300 euros, 100 a month until March", "Ben paid me back 100", "part"),
]


@pytest.mark.parametrize(("older", "newer"), _OTHER)
def test_what_is_paid_or_given_back_ends_nothing_else(older: str, newer: str) -> None:
    assert settlement(newer, older) == "other" and judge_pair(newer, older, 0.9).both == 1


@pytest.mark.parametrize(("older", "newer"), _ALL)
def test_what_is_paid_or_given_back_whole_is_no_longer_owed(older: str, newer: str) -> None:
    assert settlement(newer, older) == "all" and judge_pair(newer, older, 0.3).update >= 0.9


@pytest.mark.parametrize(("older", "newer", "how"), _TO_ASK)
def test_what_is_not_said_to_be_all_of_it_is_asked_about_and_never_ended(
    older: str, newer: str, how: str
) -> None:
    judged = judge_pair(newer, older, 0.9)
    assert settlement(newer, older) == how and 0.6 < judged.update < 0.9


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Stavros owes me £640", "Stavros owes me £500 now"),
        ("I owe Bronwen £35", "Bronwen's birthday is 18 December"),
        ("I owe Bronwen £35", "Did I pay Bronwen back?"),
        ("I owe Bronwen £35", "I will pay Bronwen back on Friday"),
        ("Pick Gwen up at nine", "Gwen brought the pressure washer back"),
    ],
)
def test_what_tells_of_no_repayment_settles_nothing(older: str, newer: str) -> None:
    assert settlement(newer, older) is None
