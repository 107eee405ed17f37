"""The forms of English: how many each table has, and what it gains on sentences not written for it.

    python -m benchmarks.forms [TABLE …]

Prints `benchmarks/forms.toml` as it would stand today, all of it (some minutes) or
only these tables (`comparison.differences._RULES`). A table's gains are the
judgements on each list that are right with it, less those that are right with the
table emptied and all that is made of it; `needed` where nothing works without.

That file fences the forms: a test fails where a table, or the functions of a
module, have other than so many, so that none grows unseen. Counted are the words
and the alternatives of patterns as they are written; what is made of other tables
has none of its own.

The lists: `changes.txt` and `everyday.txt` (both ways), with a cosine that any model may give, for no
model is asked here; `examples`, the sentences of tests/text and tests/recall,
which were written for the forms and so say only what a table is there for.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOM = "memcli.text"
# What is said of texts in any language, or of no language.
OF_NO_LANGUAGE = (
    "checks", "expressions", "kept", "names", "patterns", "printable", "quantities", "secrets", "sentences",
    "shapes", "words", "yaml_text", "english.literals", "dates.ahead", "dates.ahead_words", "aspects",
    "semantics",
)  # fmt: skip
_FOLDER = Path(__file__).parent
LISTS = ("changes", "everyday", "examples")
_ALIKE = 0.93
_EXAMPLES = (
    "tests.text.test_changes_and_rewordings", "tests.text.test_duplicates",
    "tests.text.test_everyday_statements", "tests.text.test_hedges", "tests.text.test_relations",
    "tests.text.test_updates", "tests.recall.test_events", "tests.recall.test_ranking",
    "tests.tiers.test_due",
)  # fmt: skip
# A pattern that nothing has, in place of one that is emptied.
_NOTHING = "(?!)"


class Table(NamedTuple):
    """A table of English below `memcli.text`, or without a name the functions of a module; its forms."""

    module: str
    name: str
    forms: int

    @property
    def key(self) -> str:
        """As forms.toml and the command line name it."""
        return f"{self.module}.{self.name}" if self.name else self.module


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser("python -m benchmarks.forms", description="Tables of English.")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="only these")
    given = parser.parse_args()
    found = {table.key: table for table in tables()}
    unknown = [name for name in given.tables if name not in found]
    if unknown:
        parser.error(f"no table {', '.join(unknown)}")
    whole = right(LISTS)
    if not given.tables:
        print("[right]")
        for name in LISTS:
            print(f"{name} = {whole[name]}")
        print("\n[tables]")
    for key in given.tables or sorted(found):
        gains = gain(found[key], whole) if found[key].name else {}
        said = [f"{name} = {gains[name]}" for name in LISTS if gains and gains[name]]
        said += ["needed = true"] * (gains is None)
        print(f'"{key}" = {{ {", ".join([f"forms = {found[key].forms}", *said])} }}', flush=True)


def tables() -> Iterator[Table]:
    """The tables of all modules of `memcli.text` that know English, and after them what functions say."""
    room = importlib.import_module(ROOM)
    for info in sorted(pkgutil.walk_packages(room.__path__, f"{ROOM}."), key=lambda info: info.name):
        module = info.name.removeprefix(f"{ROOM}.")
        if not info.ispkg and not module.startswith(OF_NO_LANGUAGE):
            yield from _tables_of(module, ast.parse(_source(module)))


def _tables_of(module: str, tree: ast.Module) -> Iterator[Table]:
    in_functions = 0
    for node in tree.body:
        if names := _assigned(node):
            value = getattr(node, "value", None)
            if value and not _is_type(value) and (forms := _written(value)):
                yield Table(module, names[0], forms)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            in_functions += _written(node)
    if in_functions:
        yield Table(module, "", in_functions)


def _written(node: ast.AST) -> int:
    """How many forms are written in a piece of code: words, or alternatives of a pattern.

    Docstrings are none, nor types that are written as text.
    """
    prose = {
        id(each.value) for each in ast.walk(node)
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
    }  # fmt: skip
    for each in ast.walk(node):
        types = (getattr(each, "annotation", None), getattr(each, "returns", None))
        prose |= {id(part) for kind in types if kind for part in ast.walk(kind)}
    return sum(
        _forms(each.value) for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in prose
    )  # fmt: skip


def _forms(text: str) -> int:
    pieces = text.split("|") if "|" in text else text.split()
    return sum(re.search(r"[^\W\d_]", piece) is not None for piece in pieces)


def _is_type(value: ast.expr) -> bool:
    return (
        isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name) and value.value.id == "Literal"
    )


def _assigned(node: ast.stmt) -> list[str]:
    targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _source(module: str) -> str:
    spec = importlib.util.find_spec(f"{ROOM}.{module}")
    assert spec and spec.origin
    return Path(spec.origin).read_text(encoding="utf-8")


def gain(table: Table, whole: dict[str, int]) -> dict[str, int] | None:
    """How many judgements more are right with a table than without, by list; None where it is needed."""
    left = _right_without(table)
    return left and {name: whole[name] - left[name] for name in LISTS}


def right(lists: Sequence[str]) -> dict[str, int]:
    """How many judgements on each list are right, by the modules as they are imported now."""
    return {name: _JUDGED[name]() for name in lists}


def _right_without(table: Table) -> dict[str, int] | None:
    """How many are right where a table is empty, and all that is made of it; None where nothing works."""
    kept = {name: module for name, module in sys.modules.items() if name.startswith(("memcli", "tests"))}
    for name in kept:
        del sys.modules[name]
    try:
        _import_emptied(table)
        return right(LISTS)
    except Exception:
        return None
    finally:
        for name in [name for name in sys.modules if name.startswith(("memcli", "tests"))]:
            del sys.modules[name]
        sys.modules.update(kept)


def _import_emptied(table: Table) -> None:
    """Import a module in which one of its tables is emptied where it is defined."""
    name = f"{ROOM}.{table.module}"
    spec = importlib.util.find_spec(name)
    assert spec and spec.origin
    tree = ast.parse(_source(table.module))
    place = max(n for n, node in enumerate(tree.body) if table.name in _assigned(node))
    tree.body.insert(place + 1, ast.parse(f"{table.name} = _emptied({table.name})").body[0])
    module = importlib.util.module_from_spec(spec)
    vars(module)["_emptied"] = _emptied
    sys.modules[name] = module
    exec(compile(tree, spec.origin, "exec"), vars(module))
    parent, _, leaf = name.rpartition(".")
    setattr(sys.modules[parent], leaf, module)


def _emptied(value: Any) -> Any:
    match value:
        case str():
            return _NOTHING if re.search(r"[|\\(\[]", value) else ""
        # By what they have: the modules under trial are imported anew, with classes of their own.
        case _ if hasattr(value, "cues"):
            return value._replace(cues=())
        case _ if hasattr(value, "pattern"):
            return re.compile(_NOTHING)
        case dict() if value and all(isinstance(each, str) and "|" in each for each in value.values()):
            return dict.fromkeys(value, _NOTHING)
    return type(value)()


def pairs(name: str) -> list[tuple[str, str, str]]:
    """The lines of a list: verdict, old, new."""
    lines = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    found = (line.split(" | ", 2) for line in lines if line and not line.startswith("#"))
    return [(label.strip(), old.strip(), new.strip()) for label, old, new in found]


def _same(name: str) -> int:
    duplicates = importlib.import_module(f"{ROOM}.comparison.duplicates")
    return sum(
        (duplicates.compare_texts(new, old, _ALIKE).verdict == "same") == (label == "same")
        for label, one, other in pairs(name)
        for old, new in ((one, other), (other, one))
    )


def _examples() -> int:
    return sum(_holds(test, values) for name in _EXAMPLES for test, values in _cases(name))


def _cases(name: str) -> Iterator[tuple[Callable[..., None], dict[str, Any]]]:
    """The parametrised tests of a module that take nothing but their values."""
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError:
        return
    for test in vars(module).values():
        marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
        if len(marks) != 1 or not callable(test):
            continue
        names, rows = marks[0].args
        names = [each.strip() for each in names.split(",")] if isinstance(names, str) else [*names]
        if set(inspect.signature(test).parameters) == set(names):
            for row in rows:
                yield test, dict(zip(names, row if len(names) > 1 else (row,), strict=True))


def _holds(test: Callable[..., None], values: dict[str, Any]) -> bool:
    try:
        test(**values)
    except Exception:
        return False
    return True


_JUDGED: dict[str, Callable[[], int]] = {
    "changes": lambda: _same("changes"),
    "everyday": lambda: _same("everyday"),
    "examples": _examples,
}

if __name__ == "__main__":
    main()
