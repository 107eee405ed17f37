"""Rules importer: instructions to agents, in CLAUDE.md, AGENTS.md, GEMINI.md and the rules of several agents.

Each passage is a constraint; a section that tells how something is done is a procedure with its heading as
name. In a repository anybody may have written these files, so there they are untrusted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import file_at
from memcli.importers.markdown import Document, Passage, led, passages, read_markdown, text_id
from memcli.importers.records import Cleared, Only, Problem, Record, Skill, Statement
from memcli.importers.source import Source
from memcli.text.checks import MAX_NAME
from memcli.text.task_items import read_box

_NAMES = (
    "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "AGENT.md", "GEMINI.md",
    ".cursorrules", ".windsurfrules", ".clinerules", "copilot-instructions.md",
)  # fmt: skip
# Folders, anywhere in a repository, in which every file with these suffixes holds rules.
_FOLDERS = (
    (".cursor/rules", (".mdc", ".md")), (".claude/rules", (".md",)), (".windsurf/rules", (".md",)),
    (".clinerules", (".md",)), (".github/instructions", (".instructions.md",)),
)  # fmt: skip
# Hidden folders that are searched because rules lie there, and folders of others' code that are not searched.
_LOOKED_INTO = (".cursor", ".claude", ".github", ".windsurf", ".clinerules")
_PASSED_OVER = ("node_modules", "vendor", "site-packages", "dist", "build", "target", "worktrees")
_MOST_FOLDERS = 20_000
_HOW = re.compile(
    r"\b(?:commands?|build|set-?up|install\w*|run|running|tests?|testing|deploy\w*|workflows?|steps?|how to"
    r"|getting started|releas\w+|procedures?)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(r"\b(?:never|always|must|don't|do not|avoid|only|prefer)\b", re.IGNORECASE)
_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
# A line that includes another file (`@docs/style.md`); a name within a sentence includes nothing.
_TAKES_IN = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?@([\w~./-][^\s@]*)[ \t]*$", re.MULTILINE)
_RUNS = re.compile(r"```|`[^`]+`|^\s*\$ ", re.MULTILINE)


def guess(path: Path) -> bool:
    """True if the file has the name of a rules file."""
    return path.is_file() and (path.name in _NAMES or path.suffix == ".mdc")


def _is_repository(folder: Path) -> bool:
    """True if a folder has rules files at its top and is not a vault of notes."""
    if (folder / ".obsidian").exists():
        return False
    near = [folder / name for name in _NAMES] + [folder / ".github" / "copilot-instructions.md"]
    folders = (folder / name for name, _ in _FOLDERS)
    return (
        any(each.is_file() for each in near)
        or any(each.is_dir() for each in folders)
        or any(folder.glob("*.mdc"))
    )


def read(path: Path, _: Only, cleared: Cleared) -> Iterator[Record]:
    """Yield a statement for each passage and a procedure for each how-to section; a folder is read whole."""
    found = list(rule_files(path)) if path.is_dir() else [path]
    if not found or not path.exists():
        raise BadInput("holds no CLAUDE.md, AGENTS.md or rules", about=path)
    root = (path if path.is_dir() else path.parent).resolve()
    read = {each.resolve() for each in found}
    # Files that these include (`@docs/style.md` on a line of its own) are read after them.
    for each in found:
        if each.is_symlink() and path.is_dir():
            yield Problem(str(each), "a link or no plain file; it is left out")
            continue
        try:
            document = read_markdown(cleared(str(each), file_at(each).whole()))
            name = (each.parent.resolve() / each.name).relative_to(root).as_posix()
            yield from _rules(each, document, name, root.name)
            for place, named, taken_in in _taken_in(each, document):
                if taken_in is None or not taken_in.is_relative_to(root):
                    why = "is not there" if taken_in is None else "lies elsewhere; import it by itself"
                    yield Problem(place, f"@{named}: what it takes in {why}")
                elif taken_in not in read:
                    read.add(taken_in)
                    found.append(taken_in)
        except BadInput as error:
            yield Problem(str(each), str(error))


def _taken_in(path: Path, document: Document) -> Iterator[tuple[str, str, Path | None]]:
    """Yield the includes of a file: the place, the name, and the file, or None if it does not exist."""
    for passage in passages(document) if path.suffix == ".md" else ():
        for named in _TAKES_IN.findall(_CODE.sub("", passage.text)):
            try:
                found = (path.resolve().parent / os.path.expanduser(named)).resolve()  # noqa: PTH111 - or not
                there = found.is_file()
            except (OSError, ValueError):
                there = False
            yield f"{path}: line {passage.line}", named, found if there else None


def rule_files(root: Path) -> Iterator[Path]:
    """Yield the rules files in a folder and below it, those at its top first."""
    for number, (folder, folders, names) in enumerate(os.walk(root)):
        if number >= _MOST_FOLDERS:
            raise BadInput(f"more than {_MOST_FOLDERS:,} folders; name one within", about=root)
        folders[:] = sorted(
            name for name in folders
            if name not in _PASSED_OVER and (not name.startswith(".") or name in _LOOKED_INTO)
        )  # fmt: skip
        within = Path(folder).relative_to(root).as_posix()
        endings = next(
            (each for rules, each in _FOLDERS if f"/{within}/".find(f"/{rules}/") >= 0),
            (".mdc",) if within == "." else (),
        )
        for name in sorted(names):
            if name in _NAMES or (endings and name.endswith(endings)):
                yield Path(folder, name)


def _rules(path: Path, document: Document, name: str, repository: str) -> Iterator[Record]:
    front = document.front
    globs = front.get("globs") or front.get("paths") or front.get("applyTo") or ""
    about = ", ".join(map(str, globs)) if isinstance(globs, list) else str(globs)
    owners = not any((folder / ".git").exists() for folder in path.resolve().parents)
    tags = fields.tags([path.stem.lstrip(".")])
    data = {"file": name, **({"paths": about} if about else {})}
    told: dict[tuple[str, ...], list[Passage]] = {}
    for passage in led(passages(document)):
        if path.suffix == ".md":
            passage = passage._replace(text=_TAKES_IN.sub("", passage.text).strip())  # noqa: PLW2901
        if not passage.text:
            continue
        if passage.headings and _tells_how(passage):
            told.setdefault(passage.headings, []).append(passage)
            continue
        words, own = read_box(passage.text) if passage.item else (passage.text, ())
        text = passage._replace(text=words).by_itself
        said = f"{text} (for {about})" if about else text
        yield Statement(
            f"{path}: line {passage.line}", text_id(name, said), said, "constraint", (*tags, *own),
            trusted=owners, data=data, changed=file_at(path).date(),
        )  # fmt: skip
    for headings, steps in told.items():
        called = fields.one_line(headings[-1].strip("*_: "))
        yield Skill(
            f"{path}: line {steps[0].line}", f"{called} ({repository}/{name})"[:MAX_NAME],
            tuple(each.whole for each in steps),
            f"{' / '.join(headings)}{f', for {about}' if about else ''}; from {repository}/{name}", owners,
        )  # fmt: skip


def _tells_how(passage: Passage) -> bool:
    """True if a passage says what to run, or is in a how-to section; a prohibition is always a rule."""
    if _FORBIDS.search(_CODE.sub("", passage.whole)):
        return False
    told = _HOW.search(passage.headings[-1])
    return bool(told) or ("\n" in passage.text and bool(_RUNS.search(passage.text)))


SOURCE = Source(
    "rules",
    "CLAUDE.md, AGENTS.md, GEMINI.md, Cursor's rules; a file, or a folder.",
    guess,
    suffix=".md",
    lives_in=_is_repository,
    read_path=read,
)
