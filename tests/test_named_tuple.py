"""Our named tuples are what `typing` makes, but for what it costs to make their classes."""

from __future__ import annotations

import ast
import copy
import pickle
import types
import typing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memcli
from memcli.named_tuple import NamedTuple

VALUES = st.one_of(st.integers(), st.text(), st.none())


class Ours(NamedTuple):
    """A named tuple, made here."""

    first: object
    second: object = "two"
    third: object = None

    @property
    def both(self) -> tuple[object, object]:
        """What a property of it sees."""
        return self.first, self.second


class Named(Ours):
    """One that takes its fields over."""


class Theirs(typing.NamedTuple):
    """The same, made by `typing`."""

    first: object
    second: object = "two"
    third: object = None


@given(
    st.lists(VALUES, max_size=4),
    st.dictionaries(st.sampled_from(["first", "second", "third", "fourth"]), VALUES),
)
def test_it_is_made_of_what_one_of_typing_is_made_of(
    values: list[object], named: dict[str, typing.Any]
) -> None:
    """By place, by name, by default; and by nothing else."""
    try:
        expected = Theirs(*values, **named)
    except TypeError:
        with pytest.raises(TypeError):
            Ours(*values, **named)
        return
    made = Ours(*values, **named)
    assert tuple(made) == tuple(expected)
    assert hash(made) == hash(expected)
    assert repr(made) == repr(expected).replace("Theirs", "Ours")
    assert made._asdict() == expected._asdict()
    assert (made.first, made.second, made.third) == tuple(expected)
    assert made.both == expected[:2]


@given(VALUES, st.dictionaries(st.sampled_from(["first", "second", "fourth"]), VALUES))
def test_it_is_replaced_copied_and_pickled(value: object, changes: dict[str, typing.Any]) -> None:
    """With the same class, and only its own fields."""
    for made in (Ours(value), Named(value)):
        if "fourth" in changes:
            with pytest.raises(TypeError, match="fourth"):
                made._replace(**changes)
        else:
            replaced = made._replace(**changes)
            assert replaced._asdict() == {**made._asdict(), **changes}
            assert type(replaced) is type(made)
        for again in (copy.deepcopy(made), pickle.loads(pickle.dumps(made)), type(made)._make(made)):
            assert again == made
            assert type(again) is type(made)


def test_it_tells_of_itself_what_one_of_typing_tells() -> None:
    """Its fields, their defaults; and it takes no others."""
    assert Ours._fields == Named._fields == Theirs._fields
    assert Ours._field_defaults == Theirs._field_defaults
    match Ours(1, 2):
        case Ours(one, two):
            assert (one, two) == (1, 2)
    with pytest.raises(AttributeError):
        Ours(1).first = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Ours(1).other = 2  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="fields"):
        types.new_class("Empty", (NamedTuple,))


def test_each_module_of_ours_takes_these() -> None:
    """And has the future import, without which Python 3.14 keeps no annotations in a class's body."""
    for file in Path(memcli.__file__).parent.rglob("*.py"):
        source = file.read_text(encoding="utf-8")
        if "(NamedTuple" not in source:
            continue
        imports = {
            (node.module, name.name)
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.ImportFrom)
            for name in node.names
        }
        assert ("__future__", "annotations") in imports, file
        assert ("memcli.named_tuple", "NamedTuple") in imports or file.name == "named_tuple.py", file
