"""What the documentation has from the code: written here, never by hand.

    python -m tests.docs.generate            write it
    python -m tests.docs.generate --check    say what is stale, and exit 1

Whole files: docs/commands/*.md and man/mem.1, from the commands; memcli/config/setting_names.py, from the
settings. In the other pages, what stands between
`<!-- generated: NAME -->` and `<!-- end -->` is what the function of that name in BLOCKS gives.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import tempfile
import textwrap
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.docs import reference

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "memcli"
# Of README's list: what one reads first stands first; a page that is not named here comes last.
ORDER = (
    "install", "remembering", "recalling", "changing-and-forgetting", "sessions-and-tasks",
    "procedures-and-policies", "graph", "seeing", "agents", "llm", "importing", "scripting", "consolidation",
    "exchange", "sync", "postgresql", "upkeep",
    "backups-and-snapshots", "encryption", "library", "warm", "settings",
    "guarantees", "how-it-was-tried", "threat-model", "platforms", "ranking", "measured", "schema",
    "architecture", "contributing",
)  # fmt: skip
_BLOCK = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def files() -> Iterator[tuple[Path, str]]:
    """Each file that is generated, in whole or in part, and what should stand in it."""
    for name in reference.commands():
        yield ROOT / "docs" / "commands" / f"{name}.md", reference.page(name)
    yield ROOT / "docs" / "commands" / "README.md", reference.index()
    yield ROOT / "man" / "mem.1", reference.manual()
    yield PACKAGE / "config" / "setting_names.py", setting_names()
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = path.read_text("utf-8")
        if "<!-- generated:" in text:
            yield path, _BLOCK.sub(lambda found: f"{found[1]}\n{BLOCKS[found[2]]()}\n\n{found[3]}", text)


def stale() -> list[str]:
    """What is not as the code says, or of no command any more, from the root of the repository."""
    wanted = dict(files())
    old = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    left = [path for path in (ROOT / "docs" / "commands").glob("*.md") if path not in wanted]
    return sorted(str(path.relative_to(ROOT)) for path in [*old, *left])


# Blocks


def verbs() -> str:
    """The commands' names by section, for README.md."""
    return reference.overview("docs/commands/")


def pages() -> str:
    """The pages of docs/ with their first sentence, in the order of ORDER."""
    lines = []
    there = {path.stem: path for path in sorted((ROOT / "docs").glob("*.md"))}
    for path in [*(there.pop(name) for name in ORDER if name in there), *there.values()]:
        title, _, rest = path.read_text("utf-8").partition("\n")
        about = re.split(r"(?<=[.?!])\s", " ".join(rest.strip().split("\n\n")[0].split()), maxsplit=1)[0]
        lines.append(f"- [{title.lstrip('# ')}](docs/{path.name}): {about}")
    return "\n".join(lines)


def settings() -> str:
    """Every setting with default, variable and help."""
    from memcli.config.settings import SETTINGS, environment_variable

    rows = [
        f"| `{name}` | {_default(name, setting)} | `{environment_variable(name)}` | {setting.help} |"
        for name, setting in SETTINGS.items()
    ]
    return "\n".join(["| setting | default | variable | |", "|---|---|---|---|", *rows])


def setting_names() -> str:
    """The module that says to a type checker which settings have values of which type."""
    from memcli.config.config import DEFAULT_PLACES
    from memcli.config.settings import SETTINGS

    names: dict[str, list[str]] = {}
    for name, setting in SETTINGS.items():
        may_be_none = setting.default is None and name not in DEFAULT_PLACES
        kind = setting.read.__annotations__["return"].capitalize()
        names.setdefault(f"{kind}OrNoneName" if may_be_none else f"{kind}Name", []).append(name)
    lines = [
        '"""Settings by the type of their values, for type checkers. Written from `SETTINGS`."""',
        "",
        "from typing import Literal",
    ]
    for kind, some in sorted(names.items()):
        listed = f'"{some[0]}"' if len(some) == 1 else "".join(f'\n    "{name}",' for name in some) + "\n"
        lines += ["", f"{kind} = Literal[{listed}]"]
    return "\n".join([*lines, ""])


def _default(name: str, setting: Any) -> str:
    from memcli.config.settings import written

    value = setting.default
    if value is None:
        return "its usual place" if name in ("db", "cache_dir") else "none"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return f"`{value}`" if isinstance(value, str) else written(setting, value)


def schema() -> str:
    """The tables, indexes, views and triggers of a new store, as its file has them."""
    from memcli.storage.sqlite.file.database_file import connect
    from memcli.storage.sqlite.tables import schema as source
    from memcli.storage.stores import open_store

    about = _comments_on(inspect.getsource(source))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        open_store(path, create=True, busy_timeout=1).close()
        connection, _ = connect(path, create=False, busy_timeout=1)
        rows = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"
            " AND NOT (tbl_name GLOB '_*' OR tbl_name GLOB 'sqlite_*' OR tbl_name GLOB 'word_index_*')"
            " ORDER BY rowid"
        ).fetchall()
        connection.close()
    parts = []
    for name, sql in rows:
        told = [f"-- {line}" for line in about.get(name, ())]
        parts.append("\n".join([*told, f"{_with_added_columns(inspect.cleandoc(sql))};"]))
    return "\n".join(["```sql", "\n\n".join(parts), "```"])


def _with_added_columns(sql: str) -> str:
    """A table's statement, with what migrations added (SQLite has it on one line) a column a line."""
    before, comma, rest = sql.rpartition("\n, ")
    if not comma:
        return sql
    columns, _, end = rest.rpartition(")")
    *others, last = before.split("\n")
    lines = [*others, re.sub(r"^(.*?)( ?)(\s*--.*)?$", r"\1,\3", last)]
    for number, column in enumerate(added := re.split(r", (?=\w+ [A-Z])", columns)):
        named, _, comment = column.removesuffix(" */").partition(" /* ")
        named = f"  {named}{',' if number < len(added) - 1 else ''}"
        lines.append(f"{named:<40} -- {comment}" if comment else named)
    return "\n".join([*lines, f"){end}"])


def _comments_on(source: str) -> dict[str, list[str]]:
    """The comment lines above each statement of the schema's source, by what it creates."""
    found: dict[str, list[str]] = {}
    above: list[str] = []
    for line in source.splitlines():
        if comment := re.match(r"\s*# ?(.*)", line):
            above.append(comment[1])
        elif made := re.search(r"CREATE (?:VIRTUAL |UNIQUE )?(?:TABLE|VIEW|TRIGGER|INDEX) (\w+)", line):
            found.setdefault(made[1], above)
            above = []
        elif line.strip() != '"""' and not re.fullmatch(r"[A-Z_]+ = \(", line):
            above = []
    return found


def weights() -> str:
    """What each signal of recall weighs, and what its comment says."""
    from memcli.recall.ranking.signals import Weights

    return _valued(inspect.getsource(Weights), r"    (\w+): float = ([-\d.]+)", "signal")


def factors() -> str:
    """What a memory itself is worth."""
    from memcli.recall.ranking import factors as module

    return _valued(inspect.getsource(module), r"([A-Z_]+) = (\d\.\d\d)", "factor")


def _valued(source: str, pattern: str, what: str) -> str:
    """Names, their values, and the comment above; names without one of their own share the one before."""
    rows, comment, fresh = [], "", True
    for line in source.splitlines():
        if told := re.match(r"\s*# (.*)", line):
            comment, fresh = (told[1] if fresh else f"{comment} {told[1]}"), False
        elif named := re.fullmatch(pattern, line):
            rows.append(f"| `{named[1].lower()}` | {named[2].replace('-', '−')} | {comment} |")
            fresh = True
        else:
            fresh = True
    return "\n".join([f"| {what} | | |", "|---|--:|---|", *rows])


def steps() -> str:
    """The steps of consolidation in the order of a run, and what each may propose."""
    from memcli.consolidation import registry

    rows = [f"| `{each.name}` | {each.does} | {', '.join(each.actions)} |" for each in registry.all_steps()]
    return "\n".join(["| step | | may propose |", "|---|---|---|", *rows])


def doors() -> str:
    """What an untrusted origin may do in each tier, and how what it adds is shown."""
    from memcli.doors import DOORS, Deed

    rows = []
    for door in DOORS:
        cells = [door.right(deed).value if deed in door.commands else "" for deed in Deed]
        shown = "marked" if door.lets_texts_in else ""
        rows.append(f"| {door.tier}: {door.holds} | {' | '.join(cells)} | {shown} | {door.note} |")
    head = ["tier", *(deed.value for deed in Deed), "in a context", ""]
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *rows])


def rooms() -> str:
    """Each room of the package with what its `__init__` promises, rooms inside rooms indented."""
    lines = [
        f"- `{path.name}`: {_first_line(path)}"
        for path in sorted(PACKAGE.glob("*.py"))
        if path.stem[0] != "_"
    ]
    for init in sorted(PACKAGE.rglob("__init__.py"), key=lambda path: path.parent.parts):
        room = init.parent.relative_to(PACKAGE)
        verb = room.parts[:1] == ("commands",) and room.parts[1:] not in ((), ("terminal",))
        if room.parts and not verb:
            lines.append(f"{'  ' * (len(room.parts) - 1)}- `{room.name}/`: {_first_line(init)}")
    return "\n".join(lines)


def _first_line(path: Path) -> str:
    told = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return " ".join(told.split("\n\n")[0].split())


def layers() -> str:
    """The rooms from top to bottom, as the import contract has them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    return "\n".join(["```text", *contracts[0]["layers"], "```"])


def contracts() -> str:
    """The other import contracts."""
    all_ = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    lines = []
    for each in all_[1:]:
        told = " over ".join(f"`{layer}`" for layer in each.get("layers", ()))
        lines.append(f"- {each['name']}{f': {told}' if told else ''}.")
    return "\n".join(lines)


def errors() -> str:
    """The tree of errors with their exit statuses."""
    from memcli import errors as module

    tree = inspect.cleandoc(module.__doc__ or "").split("\n\n")[1]
    return "\n".join(["```text", inspect.cleandoc("\n" + tree), "```"])


def formats() -> str:
    """What `--format` takes, what it means, and where."""
    from memcli.commands.terminal.forms import FORMS

    takes = reference.formats_taken()
    rows = [
        f"| `{name}` | {meaning} | {', '.join(path for path, names in takes.items() if name in names)} |"
        for name, meaning in FORMS.items()
    ]
    return "\n".join(["| `--format` | | of |", "|---|---|---|", *rows])


def secrets() -> str:
    """Whose tokens are known by their published form."""
    from memcli.text.secrets.provider_forms import table

    names = {form.name for form in table()}
    return textwrap.fill(f"{', '.join(sorted(names, key=str.casefold))}.", 110)


BLOCKS: dict[str, Callable[[], str]] = {
    block.__name__: block
    for block in (
        verbs,
        pages,
        settings,
        schema,
        weights,
        factors,
        steps,
        doors,
        rooms,
        layers,
        contracts,
        errors,
        formats,
        secrets,
    )
}


def main() -> int:
    """Write what is generated, or check it."""
    if "--check" in sys.argv[1:]:
        found = stale()
        sys.stdout.writelines(f"{name} is stale; python -m tests.docs.generate\n" for name in found)
        return 1 if found else 0
    wanted = dict(files())
    for path in (ROOT / "docs" / "commands").glob("*.md"):
        if path not in wanted:
            path.unlink()
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
