"""Survey of a path: which source reads which of its files, and which files no source reads, by name.

A folder may hold files of several sources: an export beside a vault, transcripts beside an agent's notes.
Each file goes to one source. A vault, a memory folder of Claude Code's and a repository with rules own what
lies below them; elsewhere the contents decide; Markdown and tables that nobody else owns are read as such.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from memcli.importers.files import File, files_of, is_zip
from memcli.importers.passed_over import UNKNOWN, PassedOver, aside, is_empty, rest_of_archive, why_aside
from memcli.importers.records import Only
from memcli.importers.register import MODULES, guess_source, is_own_export, source_named
from memcli.importers.source import Source
from memcli.importers.sources.csv_table import has_text
from memcli.importers.sources.notes import is_note
from memcli.importers.sources.rules import rule_files
from memcli.messages import Command, message
from memcli.named_tuple import NamedTuple

# Sources recognized by a file's contents; any Markdown file, or any table, fits one of the others.
_TELLING = (
    "chatgpt", "claude", "claude-code", "codex", "cursor", "memory-server", "mcp-memory-service", "mem0",
    "llm", "letta",
)  # fmt: skip
# Sources whose empty or broken files are recognized by name, if another file in the folder is theirs.
_BY_NAME = ("chatgpt", "claude", "claude-code", "codex", "cursor")
# Suffixes of a source's files that people may have renamed.
_RENAMED = {
    "chatgpt": (".json", ".zip"), "claude": (".json", ".zip"), "letta": (".json",),
    "mem0": (".db", ".sqlite"), "llm": (".db", ".sqlite"), "cursor": (".vscdb",),
}  # fmt: skip
# Sources whose folder is an unpacked export with attachments.
_EXPORTS = ("chatgpt", "claude")
_NOTES = ("basic-memory", "obsidian", "markdown")
# Folders of others' code.
_PASSED_OVER = frozenset(("node_modules", "site-packages", "__pycache__"))


class Part(NamedTuple):
    """The files that one source reads: a path, or only these files of it, by their names in it."""

    source: Source
    path: Path
    only: Only = None


class Survey(NamedTuple):
    """The parts of a path that sources read, in the order of the register; and what is passed over."""

    parts: tuple[Part, ...]
    passed_over: tuple[PassedOver, ...]


def survey(path: Path, chosen: Source | None = None) -> Survey:
    """Survey a path; with `chosen`, that source alone reads its files.

    Raises BadInput for a folder that cannot be read.
    """
    if path.is_dir():
        return _Folder(path, chosen).survey()
    source = chosen or guess_source(path)
    if source is None:
        return Survey((), ())
    return Survey((Part(source, path),), rest_of_archive(path, source) if is_zip(path) else ())


def _may_be(name: str, source: Source) -> bool:
    """True if a file may be a source's, by its name: read or not, or renamed by its owner."""
    suffix = PurePosixPath(name).suffix.lower()
    return (
        source.wants(name) or suffix in _RENAMED.get(source.name, ()) or why_aside(name, source) is not None
    )


class _Folder:
    """A folder whose files are assigned to sources, step by step."""

    def __init__(self, root: Path, chosen: Source | None) -> None:
        self._root, self._chosen = root, chosen
        self._files: dict[str, File | None] = {}
        for each in files_of(root):
            # A link or special file is reported by the source that would read it.
            name = each.name if isinstance(each, File) else Path(each.place).relative_to(root).as_posix()
            if _PASSED_OVER.isdisjoint(PurePosixPath(name).parts):
                self._files[name] = each if isinstance(each, File) else None
        self._homes = _homes_of(root, self._files)
        self._taken: dict[tuple[str, Path], set[str]] = {}
        # Sources of files that are theirs by content but are not read, by file name.
        self._told_by: dict[str, str] = {}
        self._passed_over: list[PassedOver] = []

    def survey(self) -> Survey:
        left = self._not_of(self._chosen) if self._chosen else dict(self._files)
        left = self._by_home(left)
        left = self._by_content(left)
        left = self._beside_others(left)
        exports = self._exports()
        left = self._loose(left, exports)
        self._pass_over(left, exports)
        self._rest_of_archives()
        parts = [
            Part(source_named(name), path, frozenset(some)) for (name, path), some in self._taken.items()
        ]
        parts.sort(key=lambda each: (list(MODULES).index(each.source.name), str(each.path)))
        if self._chosen:
            self._others_than_chosen(parts)
            parts = [Part(self._chosen, self._root)]
        return Survey(tuple(parts), tuple(self._passed_over))

    def _not_of(self, chosen: Source) -> dict[str, File | None]:
        """Return the files that the chosen source does not want."""
        if chosen.name == "rules":
            mine = {each.relative_to(self._root).as_posix() for each in rule_files(self._root)}
            return {name: file for name, file in self._files.items() if name not in mine}
        return {name: file for name, file in self._files.items() if not chosen.wants(name)}

    def _take(self, source: str, path: Path, name: str) -> None:
        within = (self._root / name).relative_to(path).as_posix()
        self._taken.setdefault((source, path), set()).add(within)

    def _by_home(self, names: Mapping[str, File | None]) -> dict[str, File | None]:
        """Assign what lies in a vault, a memory folder or a repository with rules; return the rest."""
        left: dict[str, File | None] = {}
        rules = {home: set(rule_files(home)) for home, each in _distinct(self._homes) if each == "rules"}
        for home, some in rules.items():
            # Hidden rules files are not among the listed files.
            within = {each.relative_to(self._root).as_posix() for each in some}
            for name in sorted(within - self._files.keys() | within & names.keys()):
                self._take("rules", home, name)
        for name, file in names.items():
            home, source = self._homes[_parent(name)]
            if source == "rules":
                if self._root / name not in rules[home]:
                    left[name] = file
            elif source and source_named(source).wants(name):
                self._take(source, home, name)
            else:
                left[name] = file
        return left

    def _by_content(self, names: Mapping[str, File | None]) -> dict[str, File | None]:
        """Assign the files that are recognized by their contents; return the rest."""
        left: dict[str, File | None] = {}
        own = []
        for name, file in names.items():
            path = self._root / name
            found = self._guessed(name) if file else None
            if found and why_aside(name, source_named(found)):
                # It is not read, but it tells which source the folder belongs to.
                self._told_by[name] = found
                self._taken.setdefault((found, self._root), set())
                left[name] = file
            elif found:
                self._take(found, self._root, name)
            elif file and is_own_export(path):
                own.append(name)
            else:
                left[name] = file
        if own:
            taken = "it" if len(own) == 1 else "one"
            how = message(Command(f"import {_quoted(self._root / own[0])}"), f" takes {taken}")
            self._passed_over.append(PassedOver(tuple(own), "exports of memcli's own", how))
        return left

    def _guessed(self, name: str) -> str | None:
        sources = (each for each in map(source_named, _TELLING) if _may_be(name, each))
        return next((each.name for each in sources if each.guess(self._root / name)), None)

    def _beside_others(self, names: Mapping[str, File | None]) -> dict[str, File | None]:
        """Assign files with a source's file name to it if their folder has others of it; return the rest."""
        left: dict[str, File | None] = {}
        folders = {source: {_parent(name) for name in self._names_of(source)} for source in _BY_NAME}
        for name, file in names.items():
            above = {each.as_posix() for each in PurePosixPath(name).parents}
            near = {each: above if each in _EXPORTS else {_parent(name)} for each in _BY_NAME}
            found = next((e for e in _BY_NAME if folders[e] & near[e] and source_named(e).wants(name)), None)
            if found and not (file and is_empty(file)):
                self._take(found, self._root, name)
            elif not found:
                left[name] = file
        return left

    def _names_of(self, source: str) -> set[str]:
        return self._taken.get((source, self._root), set())

    def _exports(self) -> dict[str, str]:
        """Return the folders that hold an unpacked export, and their sources."""
        return {
            _parent(name): source
            for source in reversed(_EXPORTS)
            for name in self._names_of(source)
            if not name.lower().endswith(".zip")
        }

    def _loose(self, names: Mapping[str, File | None], exports: Mapping[str, str]) -> dict[str, File | None]:
        """Assign the notes and tables in folders that nobody owns; return the rest."""
        left: dict[str, File | None] = {}
        notes: dict[str, list[str]] = {}
        for name, file in names.items():
            free = self._homes[_parent(name)][1] is None and _parent(name) not in exports
            if free and is_note(name):
                notes.setdefault(name.split("/", 1)[0] if "/" in name else ".", []).append(name)
            elif free and source_named("csv").wants(name) and has_text(self._root / name):
                self._take("csv", self._root, name)
            else:
                left[name] = file
        # One note of basic-memory's makes its folder basic-memory's; else one with wikilinks, Obsidian's.
        untold = []
        for some in notes.values():
            if any(source_named("basic-memory").guess(self._root / name) for name in some):
                for name in some:
                    self._take("basic-memory", self._root, name)
            else:
                untold += some
        linked = any(source_named("obsidian").guess(self._root / name) for name in untold)
        for name in untold:
            self._take("obsidian" if linked else "markdown", self._root, name)
        return left

    def _pass_over(self, names: Mapping[str, File | None], exports: Mapping[str, str]) -> None:
        """Note the files no source reads: in exports, notes and tables in others' folders, unknown ones."""
        by_export: dict[str, list[str]] = {}
        known: dict[str, list[str]] = {}
        unknown = []
        for name, file in names.items():
            if file is None or is_empty(file):
                continue
            if source_named("csv").wants(name) and not has_text(self._root / name):
                unknown.append(name)
                continue
            owner = self._told_by.get(name) or _owner_of(name, exports)
            loose = next(
                (each for each in (*_NOTES[2:], "csv", "text") if source_named(each).wants(name)), None
            )
            if loose:
                known.setdefault(loose, []).append(name)
            elif owner:
                by_export.setdefault(owner, []).append(name)
            else:
                unknown.append(name)
        for source, some in by_export.items():
            self._passed_over += aside(some, source_named(source))
        for source, some in known.items():
            what = "tables" if source == "csv" else "Markdown"
            why = "plain text" if source == "text" else f"{what} in a folder of something else's"
            taken = "it" if len(some) == 1 else "one"
            how = message(
                Command(f"import --from {source} {_quoted(self._root / some[0])}"), f" takes {taken}"
            )
            self._passed_over.append(PassedOver(tuple(some), why, how))
        if unknown:
            self._passed_over.append(PassedOver(tuple(unknown), UNKNOWN))

    def _rest_of_archives(self) -> None:
        for source in _EXPORTS:
            for name in sorted(self._names_of(source)):
                if is_zip(self._root / name):
                    for each in rest_of_archive(self._root / name, source_named(source)):
                        inner = tuple(f"{name}/{member}" for member in each.names)
                        self._passed_over.append(each._replace(names=inner))

    def _others_than_chosen(self, parts: Iterable[Part]) -> None:
        for part in parts:
            if not (part.only and self._chosen) or part.source.name == self._chosen.name:
                continue
            names = ((part.path / name).relative_to(self._root).as_posix() for name in sorted(part.only))
            how = message(Command(f"import {_quoted(self._root)}"), " takes them, too")
            self._passed_over.insert(0, PassedOver(tuple(names), f"of {part.source.name}", how))


def _quoted(path: Path) -> str:
    """Return a path quoted as one word of a command line."""
    return shlex.quote(str(path))


def _parent(name: str) -> str:
    return PurePosixPath(name).parent.as_posix()


def _owner_of(name: str, exports: Mapping[str, str]) -> str | None:
    """Return the source of the export that a file lies in; None if it lies in none."""
    above = (each.as_posix() for each in PurePosixPath(name).parents)
    return next((exports[each] for each in above if each in exports), None)


def _homes_of(root: Path, names: Iterable[str]) -> dict[str, tuple[Path, str | None]]:
    """Return, for each folder with files, the nearest folder at or above it that a source owns, and which."""
    folders = {each.as_posix() for name in names for each in PurePosixPath(name).parents} | {"."}
    homes: dict[str, tuple[Path, str | None]] = {}
    for folder in sorted(folders, key=lambda each: (each != ".", each.count("/"), each)):
        above = homes[_parent(folder)] if folder != "." else (root, None)
        path = root / folder
        found = next(
            (each for each in ("obsidian", "claude-memory") if source_named(each).lives_in(path)), None
        )
        if not found and above[1] is None and source_named("rules").lives_in(path):
            found = "rules"
        homes[folder] = (path, found) if found else above
    return homes


def _distinct(homes: Mapping[str, tuple[Path, str | None]]) -> Iterator[tuple[Path, str | None]]:
    yield from dict.fromkeys(homes.values())
