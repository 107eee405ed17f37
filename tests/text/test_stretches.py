"""Stretches in each other's place: what difflib finds, whatever the sequences."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from memcli.text.comparison.stretches import unlike_stretches

_SEQUENCES = st.lists(st.sampled_from("abcd"), max_size=14) | st.lists(
    st.sampled_from("abcdefghij"), max_size=30
)


@given(_SEQUENCES, _SEQUENCES)
def test_the_stretches_are_those_of_difflib(old: Sequence[str], new: Sequence[str]) -> None:
    expected = [
        (slice(a, b), slice(c, d))
        for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if what != "equal"
    ]
    assert unlike_stretches(old, new) == expected
