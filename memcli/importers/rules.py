"""Instructions to agents: CLAUDE.md, AGENTS.md, GEMINI.md, rules of Cursor and of Claude Code.

Each passage is a constraint, or where it tells how something is done a procedure. In a repository
anybody may have written them: there they are untrusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import File
from memcli.importers.markdown import Passage, passages, read_markdown, text_id
from memcli.importers.records import Problem, Record, Source, Statement
from memcli.model import Kind

_NAMES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".cursorrules")
_FOLDERS = (
    ("", "*.mdc"), (".cursor/rules", "**/*.mdc"), (".claude/rules", "**/*.md"), (".claude", "CLAUDE.md"),
)  # fmt: skip
_HOW = re.compile(
    r"\b(?:commands?|build|set-?up|install\w*|run|running|tests?|testing|deploy\w*|workflows?|steps?|how to"
    r"|getting started|releas\w+|procedures?)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(r"\b(?:never|always|must|don't|do not|avoid|only|prefer)\b", re.IGNORECASE)
_RUNS = re.compile(r"```|`[^`]+`|^\s*\$ ", re.MULTILINE)


def guess(path: Path) -> bool:
    """Whether it is called so, or is a folder that has such files and is no vault of notes."""
    if path.is_dir():
        return not (path / ".obsidian").exists() and bool(_files(path))
    return path.is_file() and (path.name in _NAMES or path.suffix == ".mdc")


def read(path: Path) -> Iterator[Record]:
    """A statement for each passage."""
    found = _files(path) if path.is_dir() else [path]
    if not found or not path.exists():
        raise BadInput(f"{path}: holds no CLAUDE.md, AGENTS.md or rules")
    root = path if path.is_dir() else path.parent
    for each in found:
        if each.is_symlink() and path.is_dir():
            yield Problem(str(each), "a link or no plain file; it is left out")
            continue
        try:
            yield from _rules(each, each.relative_to(root).as_posix())
        except BadInput as error:
            yield Problem(str(each), str(error))


def _files(root: Path) -> list[Path]:
    found = [root / name for name in _NAMES if (root / name).is_file()]
    for folder, pattern in _FOLDERS:
        found += sorted(each for each in (root / folder).glob(pattern) if each.is_file())
    return list(dict.fromkeys(found))


def _rules(path: Path, name: str) -> Iterator[Record]:
    document = read_markdown(File(str(path), path.name, lambda: path.open("rb")).whole())
    front = document.front
    globs = front.get("globs") or front.get("paths") or ""
    about = ", ".join(globs) if isinstance(globs, list) else str(globs)
    owners = not any((folder / ".git").exists() for folder in path.resolve().parents)
    tags = fields.tags([path.stem.lstrip(".")])
    for passage in passages(document):
        text = passage.by_itself
        if text.startswith("@") and len(text.split()) == 1:
            continue
        said = f"{text} (for {about})" if about else text
        yield Statement(
            f"{path}: line {passage.line}", text_id(name, said), said, _kind(passage), tags, trusted=owners,
            data={"file": name, **({"paths": about} if about else {})},
        )  # fmt: skip


def _kind(passage: Passage) -> Kind:
    """A procedure where it tells what to run, or stands where that is told; else a constraint."""
    if _FORBIDS.search(passage.text):
        return "constraint"
    told = bool(passage.headings) and _HOW.search(passage.headings[-1])
    return "procedure" if told or ("\n" in passage.text and _RUNS.search(passage.text)) else "constraint"


SOURCE = Source("rules", "CLAUDE.md, AGENTS.md, GEMINI.md, Cursor's rules; a file, or a folder.", guess, read)
