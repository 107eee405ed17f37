"""An error says in fields what one reader wants and another does not."""

from __future__ import annotations

import ast
import pickle
import re
from pathlib import Path

import pytest

import memcli
from memcli import app, errors
from memcli.errors import BadInput, MemcliError, NotFound, StoreCut, StoreDamaged

# What to do, where only a shell can: a command line, an option, a variable.
_OF_A_SHELL = re.compile(r"; [^;]*(`mem |(?<!\S)--[a-z]|MEMCLI_)")
_AS_IT_WAS = re.compile(r"nothing was (changed|touched)")


def test_the_line_has_all_its_parts_in_an_order_that_reads() -> None:
    assert str(NotFound("no task")) == "no task"
    assert str(NotFound("no task", by_hand="`mem task list` shows them")) == (
        "no task; `mem task list` shows them"
    )
    meant = NotFound("no task", advice="did you mean 'move'? ", by_hand="`mem task list` shows them")
    assert str(meant) == "no task; did you mean 'move'? `mem task list` shows them"
    cut = StoreCut("m.db: cut", left="nothing was touched", by_hand="move it away; or not", salvageable=False)
    assert str(cut) == "m.db: cut; nothing was touched. Move it away; or not"
    assert str(BadInput("no ZIP", about=Path("a.zip"), advice="unpack it")) == "a.zip: no ZIP; unpack it"


def test_each_reader_gets_what_is_for_him() -> None:
    error = StoreDamaged(
        "damaged", about="m.db", left="nothing was changed", advice="ask", by_hand="run `mem doctor`"
    )
    assert error.in_passing() == "m.db: damaged; ask; run `mem doctor`"
    assert error.without_shell() == "m.db: damaged; nothing was changed. Ask"
    assert error.beside("m.db") == "damaged; nothing was changed. Ask; run `mem doctor`"
    assert error.beside("other.db") == str(error)
    again = StoreDamaged("gone", **error.told)
    assert str(again) == "m.db: gone; nothing was changed. Ask; run `mem doctor`"
    error.rename("m.db", "n.db")
    assert str(error).startswith("n.db: damaged;")


def test_what_happened_may_say_anything_and_decides_nothing() -> None:
    quoted = NotFound("no memory '; nothing was changed; `mem list`'", by_hand="`mem list` shows ids")
    assert quoted.in_passing() == str(quoted)
    assert quoted.without_shell() == "no memory '; nothing was changed; `mem list`'"


def test_an_error_reaches_another_process() -> None:
    error = pickle.loads(pickle.dumps(NotFound("no task", by_hand="`mem task list`")))
    assert (str(error), error.by_hand) == ("no task; `mem task list`", "`mem task list`")


def _raised() -> list[tuple[str, str, bool]]:
    """Of each error that the program makes: where, the texts of what happened, whether at a shell."""
    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type)}
    root, found = Path(memcli.__file__).parent, []
    for path in root.rglob("*.py"):
        place = path.relative_to(root).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and ast.unparse(node.func).split(".")[-1] in kinds:
                texts = [each for each in ast.walk(node.args[0]) if isinstance(each, ast.Constant)]
                said = " ".join(each.value for each in texts if isinstance(each.value, str))
                found.append((f"{place}:{node.lineno}", said, place.startswith(("commands/", "views/"))))
    return found


def test_what_happened_holds_neither_how_all_is_left_nor_what_a_shell_is_for() -> None:
    raised = _raised()
    assert len(raised) > 300
    assert not [place for place, said, _ in raised if _AS_IT_WAS.search(said)]
    assert not [place for place, said, by_hand in raised if not by_hand and _OF_A_SHELL.search(said)]


@pytest.mark.parametrize("kind", [each for each in vars(errors).values() if isinstance(each, type)])
def test_every_kind_takes_the_fields(kind: type) -> None:
    if not issubclass(kind, MemcliError) or kind in (errors.AnswerRejected, errors.StoreCut):
        return
    error = kind("it broke", left="nothing was changed", advice="mend it", by_hand="`mem doctor`")
    assert str(error) == "it broke; nothing was changed. Mend it; `mem doctor`"


def test_want_of_memory_is_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(app, "_check_text", fail)
    assert app.run(["list"]) == 4
    assert "not enough memory" in capsys.readouterr().err
