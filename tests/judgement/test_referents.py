"""Which of several near notes a new one updates: the one that stands out, not all that are judged so."""

from __future__ import annotations

import pytest

from memcli.judgement.pairs import PairJudgement
from memcli.judgement.referents import Near, likely_updated, standings
from memcli.recall.ranking.replacement import SAID

_UPDATE = PairJudgement(same=0.02, update=0.8, both=0.18)


def test_of_several_that_are_judged_alike_the_one_that_is_nearer_by_far_is_meant() -> None:
    first, *others = likely_updated([Near(_UPDATE, cosine) for cosine in (0.75, 0.35, 0.33, 0.32, 0.3)], 0.3)
    assert first >= SAID and all(each < SAID for each in others)


def test_where_none_stands_out_it_is_less_likely() -> None:
    first, *others = likely_updated([Near(_UPDATE, cosine) for cosine in (0.36, 0.35, 0.34)], 0.33)
    [alone] = likely_updated([Near(_UPDATE, 0.36)], 0.1)
    assert first < alone and all(each < SAID for each in others)


def test_what_differs_in_a_value_alone_is_of_one_thing_and_one_text_twice_is_one() -> None:
    near = [Near(_UPDATE, 0.97), Near(_UPDATE._replace(update=0.7), 0.96, changed=True)]
    assert likely_updated(near, None)[1] >= 0.7
    [alone] = likely_updated([near[0]], None)
    assert likely_updated([near[0], near[0]], None)[0] == alone
    assert likely_updated([near[0], near[0]._replace(cosine=0.96)], None)[0] < alone


def test_what_is_certain_by_its_form_stays_whatever_stands_beside_it() -> None:
    certain = PairJudgement(same=0.0, update=0.95, both=0.05, certain=True)
    near = [Near(_UPDATE, 0.6), Near(certain, 0.3)]
    assert likely_updated(near, None)[1] == 0.95


@pytest.mark.parametrize("beyond", [None, 0.1])
def test_how_one_stands_alone(beyond: float | None) -> None:
    [found] = standings([Near(_UPDATE, 0.6)], beyond)
    assert found["rank"] == 0 and found["ahead of the next"] == found["ahead of the rest"]
    assert found["ahead of the rest"] == pytest.approx(0.5 if beyond else 0.35)
    assert not list(standings([], beyond))
