"""The mutation benchmark: what it turns around, and that its lists fit the code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent

import pytest

from benchmarks.mutations.forks import End, Forks
from benchmarks.mutations.judging import Judge
from benchmarks.mutations.listed import equivalents, listed_guards
from benchmarks.mutations.mutants import mutants
from benchmarks.mutations.named import Named, Noted
from benchmarks.mutations.recorded import within_budget
from benchmarks.mutations.scratch import TREE
from benchmarks.mutations.swaps import Swaps, is_swapped


def test_every_listed_guard_stands_where_the_list_says() -> None:
    assert len(listed_guards()) > 200


def test_every_equivalent_mutant_is_one_of_its_file() -> None:
    known = equivalents()
    made = {
        (file, mutant.within, mutant.before, mutant.after)
        for file in {each[0] for each in known}
        for mutant in mutants((TREE / file).read_text(encoding="utf-8"))
    }
    assert known <= made


def test_conditions_calls_refusals_and_statements_of_sql_are_turned_around() -> None:
    source = dedent('''
        def f(a, b):
            """Not this: a and b."""
            if a and not b:
                check(a)
                raise ValueError
            return db.execute("DELETE FROM x WHERE a = 1 AND b < 2"), any(a)
        ''')
    made = {(mutant.line, mutant.after) for mutant in mutants(source)}
    assert made == {
        (4, "a or not b"), (4, "(b)"), (5, "pass"), (6, "pass"), (7, "… OR …"), (7, "… <= …"),
    }  # fmt: skip
    assert {mutant.within for mutant in mutants(source)} == {"f"}


def test_how_a_class_is_made_is_no_guard() -> None:
    assert not [*mutants("@dataclass(frozen=True)\nclass C:\n    at: int = 1\n")]


def test_what_a_program_asserts_of_itself_is_no_guard() -> None:
    assert not [*mutants("pairs = list(zip(a, b, strict=True))")]
    assert not [*mutants("assert here and not there")]
    assert [each.before for each in mutants("pairs = read(zip(a, b, strict=True), strict=True)")] == ["True"]


def test_what_runs_at_import_alone_is_known_by_the_names_that_it_binds() -> None:
    source = "class C:\n    sound: bool = True\n\nLIMIT = 1 < 2\ndef f(a=True):\n    return a\n"
    [field, constant, default] = mutants(source)
    assert (field.within, field.names) == ("C", ("sound",))
    assert constant.names == ("LIMIT",)
    assert (default.names, default.lines) == ((), (6,))


def test_what_runs_at_import_alone_is_known_by_what_is_made_of_it_too() -> None:
    source = (
        "one = read(True)\nother = read(1)\ntable = {1: one}\nall_of = [*table]\ndef f():\n    return one\n"
    )
    [mutant] = mutants(source)
    assert mutant.names == ("one", "table", "all_of")


def test_a_mutant_that_stands_in_no_file_fails_the_tests_that_know_it(tmp_path: Path) -> None:
    file = "memcli/changes/foreign_lines.py"
    test = "tests/changes/test_undo_walls.py::test_which_lines_are_another_machines"
    source = (TREE / file).read_text(encoding="utf-8")
    forks = Forks(tmp_path)
    try:
        assert forks.run(file, source, {test: 60.0}) == End()
        turned = source.replace("number <= ranges", "number < ranges")
        assert forks.run(file, turned, {test: 60.0}) == End(test)
        assert forks.run(file, "raise ValueError", {test: 60.0}) == End("import")
    finally:
        forks.close()
    assert (TREE / file).read_text(encoding="utf-8") == source


def test_a_function_that_has_the_code_of_a_mutant_fails_the_tests_that_know_it() -> None:
    file = "memcli/changes/foreign_lines.py"
    test = "tests/changes/test_undo_walls.py::test_which_lines_are_another_machines"
    source = (TREE / file).read_text(encoding="utf-8")
    [turned] = [each for each in mutants(source) if each.after.startswith("number < ranges")]
    assert is_swapped(file, turned)
    swaps = Swaps([test.partition("::")[0]])
    try:
        assert swaps.run(turned.within, file, source, {test: 60.0}) == End()
        assert swaps.run(turned.within, file, turned.source, {test: 60.0}) == End(test)
        assert swaps.run(turned.within, file, source, {test: 0.0}) == End(test, hangs=True)
    finally:
        swaps.close()


def test_every_file_of_tests_has_its_fixtures() -> None:
    file, within = "memcli/changes/foreign_lines.py", "is_among"
    tests = (
        "tests/changes/test_chains.py::test_a_reason_undoes_nothing",
        "tests/changes/test_quotations.py::test_of_nothing_nothing_is_merged",
    )
    swaps = Swaps([each.partition("::")[0] for each in tests])
    try:
        source = (TREE / file).read_text(encoding="utf-8")
        assert swaps.run(within, file, source, dict.fromkeys(tests, 60.0)) == End()
    finally:
        swaps.close()


def test_who_names_a_file_means_each_of_its_tests_in_their_order() -> None:
    one, file = "tests/commands/test_bad_options.py::test_by_hand", "tests/commands/test_bad_options.py"
    assert Named([one]).files() == [file]
    mutant = next(mutants("x = a < b"))
    tests = Named([one, file]).tests(file, mutant, 0)
    assert tests[:2] == [one, f"{file}::test_what_is_no_time_is_told"] and len(tests) > 10
    assert [Named([file]).starts_programs(each) for each in tests[:2]] == [True, False]
    with pytest.raises(ValueError, match="no test"):
        Named([f"{file}::test_that_is_none"])


def test_what_is_confirmed_fails_the_test_that_is_noted_by_what_stands_in_a_file() -> None:
    file = "memcli/changes/foreign_lines.py"
    test = "tests/changes/test_undo_walls.py::test_which_lines_are_another_machines"
    source = (TREE / file).read_text(encoding="utf-8")
    [turned] = [each for each in mutants(source) if each.after.startswith("number < ranges")]
    same = turned._replace(source=source)
    judge = Judge(Noted({(file, turned): test, (file, same): test}), budget=1)
    found = {each.mutant: (each.verdict, each.by) for each in judge.judge([(file, turned), (file, same)], 1)}
    assert found == {turned: ("caught", test), same: ("survived", "")}


@pytest.mark.parametrize("never_begins", [True, False])
def test_where_no_test_begins_nothing_is_called_caught(
    monkeypatch: pytest.MonkeyPatch, never_begins: bool
) -> None:
    file, test = "memcli/doors.py", "tests/test_doors.py::test_x"
    unchanged = (TREE / file).read_text(encoding="utf-8")

    def run(file: str, source: str, tests: Sequence[str]) -> End:
        return End("import" if never_begins or source != unchanged else "")

    judge = Judge(Noted({}), budget=1)
    if never_begins:
        with pytest.raises(RuntimeError, match="does not begin"):
            judge._failing(file, "changed", [test], "forked", run)
    else:
        assert judge._failing(file, "changed", [test], "forked", run) == "import"


def test_what_runs_at_import_is_no_functions_code() -> None:
    file = "memcli/scope.py"
    source = (TREE / file).read_text(encoding="utf-8")
    made = {each.line: each for each in mutants(source) if each.names or not each.within}
    assert not any(is_swapped(file, each) for each in made.values())


def test_long_tests_of_a_rare_branch_leave_time_for_quick_ones_of_the_line() -> None:
    took = {"slow": 40.0, "slower": 50.0, "a": 20.0, "b": 10.0, "c": 10.0}
    assert within_budget([["slow", "slower"], ["a", "b", "c"]], took.__getitem__, 60) == ["a", "b", "c"]
    assert within_budget([["a", "slow"], ["a", "b"]], took.__getitem__, 80) == ["a", "b", "slow"]
    assert within_budget([["slow"], ["slower"]], took.__getitem__, 1) == ["slow"]
    assert within_budget([[], []], took.__getitem__, 60) == []
