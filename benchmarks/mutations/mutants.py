"""The ways in which a guard is turned around: from a module's source to that of its mutants. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_SQL = (
    (re.compile(r"\bAND\b"), "OR"),
    (re.compile(r"\bIS NOT NULL\b"), "IS NULL"),
    (re.compile(r"\bIS NULL\b"), "IS NOT NULL"),
    (re.compile(r"\bNOT IN\b"), "IN"),
    (re.compile(r"\bNOT EXISTS\b"), "EXISTS"),
    (re.compile(r"(?<=[\w)] )<(?= [\w(?:])"), "<="),
    (re.compile(r"(?<=[\w)] )>(?= [\w(?:])"), ">="),
)
_STATEMENT = re.compile(r"\b(?:SELECT|DELETE FROM|UPDATE|INSERT|WHERE)\b|\bAND .+=")
# What is there for a type checker or another platform cannot be seen here.
_ELSEWHERE = re.compile(r"TYPE_CHECKING|win32|darwin|os\.name|sys\.platform")


class Mutant(NamedTuple):
    """A module with one place changed. `line` counts from 1; `source` is the whole new text.

    `lines` are those of its statement, without the body of one that has a body; of a `def`, those of its
    body. `within` is the class and function around it. `names`: what a statement binds that runs at import
    alone, and what is made of that. `branches` are the first lines of the blocks below.
    """

    line: int
    before: str
    after: str
    source: str
    lines: tuple[int, ...] = ()
    within: str = ""
    names: tuple[str, ...] = ()
    branches: tuple[int, ...] = ()


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of its lines; each still compiles."""
    tree = ast.parse(source)
    text = _Text(source)
    described = _docstrings(tree) | _annotations(tree) | _decorators(tree) | _assertions(tree)
    found: list[Mutant] = []
    for node in ast.walk(tree):
        if not isinstance(node, (ast.expr, ast.stmt)) or id(node) in described or not text.shows(node):
            continue
        for after in _turned(node):
            found.append(text.replaced(node, after))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _STATEMENT.search(node.value):
            found.extend(_turned_sql(text, node))
    around = places(source)
    for mutant in {each.source: each for each in sorted(found, key=lambda each: each.line)}.values():
        if not _ELSEWHERE.search(mutant.before) and _compiles(mutant.source):
            placed = located(mutant, around)
            yield placed._replace(names=_built_upon(tree, placed.names))


class Place(NamedTuple):
    """A statement: its own lines, those that run when it does, what is around it, what it binds at import."""

    lines: tuple[int, ...]
    run: tuple[int, ...]
    within: str
    names: tuple[str, ...] = ()
    branches: tuple[int, ...] = ()


def located(mutant: Mutant, around: Sequence[Place]) -> Mutant:
    """The mutant with the innermost of the places (long ones first) that has its line."""
    for place in reversed(around):
        if mutant.line in place.lines:
            lines, within = place.run, place.within
            return mutant._replace(lines=lines, within=within, names=place.names, branches=place.branches)
    return mutant


def places(source: str) -> list[Place]:
    """Every statement of a module, long ones first."""
    return sorted(_places(ast.parse(source).body), key=lambda each: len(each.lines), reverse=True)


def _places(body: Sequence[ast.stmt], within: str = "", imported: bool = True) -> Iterator[Place]:
    for statement in body:
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        inner = [each for each in ast.iter_child_nodes(statement) if isinstance(each, ast.stmt)]
        inner += [each for block in getattr(statement, "handlers", []) + getattr(statement, "cases", [])
                  for each in block.body]  # fmt: skip
        header = tuple(range(first, max(min((each.lineno for each in inner), default=last + 1), first + 1)))
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield Place(header, tuple(range(header[-1] + 1, last + 1)), _joined(within, name))
                yield from _places(inner, _joined(within, name), imported=False)
            case ast.ClassDef(name=name):
                yield Place(header, header, _joined(within, name))
                yield from _places(inner, _joined(within, name), imported)
            case _:
                names = _bound(statement) if imported else ()
                yield Place(header, header, within, names, tuple(_branches(statement)))
                yield from _places(inner, within, imported)


def _branches(statement: ast.stmt) -> Iterator[int]:
    for block in ("body", "orelse"):
        if below := getattr(statement, block, ()):
            yield below[0].lineno


def _joined(within: str, name: str) -> str:
    return f"{within}.{name}" if within else name


def _bound(statement: ast.stmt) -> tuple[str, ...]:
    return tuple(
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def _built_upon(tree: ast.Module, names: tuple[str, ...]) -> tuple[str, ...]:
    """Names, and those that a module binds at import to what is made of them, in their order."""
    known = dict.fromkeys(names)
    for statement in tree.body if names else ():
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
            read = {node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)}
            if not read.isdisjoint(known):
                known |= dict.fromkeys(_bound(statement))
    return tuple(known)


def _turned(node: ast.AST) -> Iterator[str]:
    """What may stand in a node's place."""
    match node:
        case ast.BoolOp(op=op, values=values):
            yield ast.unparse(ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.Compare(left=left, ops=ops, comparators=others):
            for place, compared in enumerate(ops):
                turned = [*ops[:place], _OPPOSITE[type(compared)](), *ops[place + 1 :]]
                yield ast.unparse(ast.Compare(left, turned, others))
        case ast.Constant(value=bool() as value):
            yield str(not value)
        case ast.Raise(exc=ast.expr()) | ast.Expr(value=ast.Call()):
            yield "pass"
        case ast.Continue():
            yield "break"
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) if _is_plain(test):
            yield ""
        case ast.Return(value=ast.Call() as value) if ast.unparse(value.func) in ("any", "all"):
            swapped = "all" if ast.unparse(value.func) == "any" else "any"
            yield f"return {swapped}({', '.join(map(ast.unparse, value.args))})"


def _is_plain(test: ast.expr) -> bool:
    """A condition that no other mutation turns around as a whole."""
    return isinstance(test, (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.NamedExpr))


def _turned_sql(text: _Text, node: ast.Constant) -> Iterator[Mutant]:
    start, end = text.span(node)
    written = text.content[start:end].decode()
    for pattern, other in _SQL:
        for match in pattern.finditer(written):
            changed = written[: match.start()] + other + written[match.end() :]
            line = node.lineno + written[: match.start()].count("\n")
            yield Mutant(
                line, _around(written, match), f"… {other} …",
                (text.content[:start] + changed.encode() + text.content[end:]).decode(),
            )  # fmt: skip


def _around(written: str, match: re.Match[str]) -> str:
    return " ".join(written[max(0, match.start() - 30) : match.end() + 30].split())


class _Text:
    """A source as bytes, in which nodes are found by their places (columns count bytes)."""

    def __init__(self, source: str) -> None:
        self.content = source.encode()
        self._starts = [0]
        for line in self.content.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return (
            self._starts[node.lineno - 1] + node.col_offset,
            self._starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def shows(self, node: ast.expr | ast.stmt) -> bool:
        """Whether a node stands where it says (Python 3.11 is mistaken within f-strings)."""
        if isinstance(node, ast.stmt) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            return True
        start, end = self.span(node)
        try:
            written = ast.parse(b"(" + self.content[start:end] + b")", mode="eval").body
        except (SyntaxError, ValueError):
            return False
        return ast.unparse(written) == ast.unparse(node)

    def replaced(self, node: ast.expr | ast.stmt, after: str) -> Mutant:
        """The text with `after` in the node's place; an empty one negates the node's condition."""
        if not after:
            assert isinstance(node, (ast.If, ast.While, ast.IfExp))
            test = node.test
            node, after = test, f"not ({ast.unparse(test)})"
        start, end = self.span(node)
        before = " ".join(self.content[start:end].decode().split())
        source = self.content[:start] + f"({after})".encode() + self.content[end:]
        if isinstance(node, ast.stmt):
            source = self.content[:start] + after.encode() + self.content[end:]
        return Mutant(node.lineno, before[:110], after[:110], source.decode())


def _docstrings(tree: ast.Module) -> set[int]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr):
                found |= {id(first), id(first.value)}
    return found


def _annotations(tree: ast.Module) -> set[int]:
    roots: list[ast.AST | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign):
            roots.append(node.annotation)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            roots += [
                node.returns,
                *(each.annotation for each in ast.walk(node.args) if isinstance(each, ast.arg)),
            ]
    return {id(each) for root in roots if root for each in ast.walk(root)}


def _decorators(tree: ast.Module) -> set[int]:
    """What a class is made as (frozen, with slots): nothing that is done differs by it."""
    return {
        id(each)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for decorator in node.decorator_list
        for each in ast.walk(decorator)
    }


def _assertions(tree: ast.Module) -> set[int]:
    """What a program says of itself, `assert` and `zip(…, strict=True)`: nothing that is done differs."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            found |= {id(each) for each in ast.walk(node.test)}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
            found |= {id(each.value) for each in node.keywords if each.arg == "strict"}
    return found


def _compiles(source: str) -> bool:
    # To compile what can be read takes three times as long and finds the same: no change unbinds a name.
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True
