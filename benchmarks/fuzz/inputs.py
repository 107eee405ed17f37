"""Hostile inputs for a door: made from valid ones, field by field, so that they come far in.

A door is a function from a source of chance and a store's valid records to an `Input`: what is typed,
piped in and laid down as files. These make one input a run; `many` and `agents` several. `doors` lists all.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from benchmarks.fuzz.foreign import FOREIGN, a_state
from benchmarks.fuzz.values import Literal, broken, hostile_value, mutated, written


class Input(NamedTuple):
    """One run: the arguments of `mem`, what it reads on stdin, and files in its working folder.

    Of `lines`, which follow on stdin, and of `documents`, which are files, each is an input of its own:
    the program judges it by itself, and what it makes of one must cost the others nothing.
    """

    door: str
    arguments: Sequence[str]
    stdin: bytes = b""
    files: tuple[tuple[str, bytes], ...] = ()
    lines: tuple[bytes, ...] = ()
    documents: tuple[tuple[str, bytes], ...] = ()

    @property
    def inputs(self) -> int:
        """How many inputs these are: one for each line, or document; else one."""
        return len(self.lines) + len(self.documents) or 1

    @property
    def piped(self) -> bytes:
        """All that it reads on stdin."""
        return self.stdin + b"\n".join(self.lines)

    @property
    def laid_down(self) -> tuple[tuple[str, bytes], ...]:
        """All files that it finds."""
        return self.files + self.documents

    def only(self, numbers: Sequence[int]) -> Input:
        """The same run with those of its lines, or documents, alone; numbers count from 0."""
        if self.lines:
            return self._replace(lines=tuple(self.lines[each] for each in numbers))
        if self.documents:
            return self._replace(documents=tuple(self.documents[each] for each in numbers))
        return self


class Seeds(NamedTuple):
    """What a store has to say of itself: the valid records that hostile ones are made from."""

    records: Sequence[dict[str, Any]]
    """Of an export with history and vectors, its header first."""
    turns: Sequence[dict[str, Any]]
    plan: Sequence[dict[str, Any]]
    policies: str
    ids: Sequence[str]


PROCEDURES = (
    "---\nname: deploy\ndescription: Ship a release\nwhen: a release is due\n"
    "steps:\n  - build\n  - push\n---\n\n# deploy\n",
    "# deploy\n\nShip it.\n\n## Steps\n\n1. build\n2. push\n\n## Checks\n\n- it runs\n",
    "name: deploy\ndescription: Ship it\nsteps:\n  - build: all\n  - push\n",
    '{"name": "deploy", "description": "Ship it", "steps": ["build", "push"]}',
)  # fmt: skip


def _several(chance: random.Random, valid: Sequence[dict[str, Any]]) -> list[Any]:
    """Some of these records, most of them changed."""
    lines = []
    for _ in range(chance.randint(1, 4)):
        record: Any = chance.choice(valid)
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            record = mutated(record, chance)
        lines.append(record)
    return lines


def _json_lines(chance: random.Random, records: Sequence[Any]) -> bytes:
    form = chance.random()
    if form < 0.1:
        text = written({"records": records}, chance)
    elif form < 0.2:
        text = written(records, chance)
    else:
        text = "\n".join(written(each, chance) for each in records) + "\n"
    data = text.encode("utf-8", "surrogatepass")
    return broken(data, chance) if chance.random() < 0.2 else data


def an_import(chance: random.Random, seeds: Seeds) -> Input:
    """An export: its header, memories, events, links, states; and what comes from elsewhere."""
    head = seeds.records[0]
    records = _several(chance, [*sorted_records(chance, seeds), {"text": "The sky is blue", "at": "2026"}])
    if chance.random() < 0.3:
        records.insert(0, mutated(head, chance) if chance.random() < 0.7 else head)
    flags = flags_of(chance, "--untrusted", "--force", "--redact", "--json")
    return Input("import", ["import", "-", *flags], _json_lines(chance, records))


def sorted_records(chance: random.Random, seeds: Seeds) -> list[dict[str, Any]]:
    """A record of each type of an export, and all states: each area has its own form."""
    by_type: dict[str, list[dict[str, Any]]] = {}
    for each in seeds.records[1:]:
        by_type.setdefault(each["type"], []).append(each)
    return [chance.choice(some) for some in by_type.values()] + by_type["state"]


DRAFT = {
    "text": "Ann lives in Rome", "kind": "fact", "tags": ["a"], "confidence": 0.9, "importance": 0.5,
    "at": "2026-05-03", "valid_from": "2026-01-01", "valid_until": "2027-01-01", "ttl": "7d",
    "source": "inferred", "session": "s", "space": "default", "trusted": True, "role": "user",
    "data": {"x": [1]},
}  # fmt: skip


def a_batch(chance: random.Random, seeds: Seeds) -> Input:
    """Drafts for `remember --batch`."""
    short = {
        "text": "Ann lives in Rome",
        chance.choice(("replaces", "same_as", "both_hold")): chance.choice(seeds.ids),
    }
    flags = flags_of(chance, "--json", "--dry-run", "--force", "--redact")
    return Input(
        "batch",
        ["remember", "--batch", *flags],
        _json_lines(chance, _several(chance, [DRAFT, short, {"text": "x"}])),
    )


FOREIGN_TURNS: list[dict[str, Any]] = [
    {"role": "assistant", "content": [{"type": "text", "text": "Hello"}], "timestamp": 1.7e9},
    {
        "role": "assistant",
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "1", "content": "done", "time": "2026-05-03"},
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "1", "content": "x", "is_error": True}],
    },
    {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}]},
]


def a_transcript(chance: random.Random, seeds: Seeds) -> Input:
    """Turns of a session, ours and those of other programs."""
    records = _several(chance, [*seeds.turns, *FOREIGN_TURNS])
    return Input("transcripts", ["session", "import", "-", "--session", "s"], _json_lines(chance, records))


def _document(chance: random.Random, valid: Sequence[str]) -> bytes:
    """A document with a line, or a value in it, made hostile."""
    lines = chance.choice(valid).splitlines()
    for _ in range(chance.choice((0, 1, 1, 2))):
        place = chance.randrange(len(lines))
        head, colon, _ = lines[place].partition(":")
        evil = hostile_value(chance)
        said = evil if isinstance(evil, str) and not isinstance(evil, Literal) else written(evil)
        lines[place] = chance.choice(
            (f"{head}{colon} {said}", f"  {lines[place]}", lines[place].lstrip(),
            f"{lines[place]}\n{lines[place]}",
             f"{head}: &a [*a]", f"{head}: !!python/object:x y", "- " * 80 + "x", "[" * 80,
             "\t" + lines[place], "")
        )  # fmt: skip
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    return broken(data, chance) if chance.random() < 0.3 else data


def a_policy(chance: random.Random, seeds: Seeds) -> Input:
    """Policies in YAML."""
    return Input("policies", ["policy", "import", "-"], _document(chance, [seeds.policies]))


def a_procedure(chance: random.Random, seeds: Seeds) -> Input:
    """A folder of procedures, or one document."""
    data = _document(chance, PROCEDURES)
    if chance.random() < 0.5:
        return Input("procedures", ["procedure", "add", chance.choice(("deploy", "x", "a b")), "-"], data)
    record = {"format": "memcli-procedures", "version": 1, "procedures": {"a.md": {"name": "deploy",
    "version": 2, "ok": 1,
              "failed": 0, "note": None, "content": "0" * 64}}}  # fmt: skip
    files = [(f"in/{chance.choice(('a.md', 'a.yaml', 'a.json', 'b/SKILL.md'))}", data)]
    if chance.random() < 0.3:
        files.append(
            ("in/.memcli-procedures.json", written(mutated(record, chance)).encode("utf-8", "surrogatepass"))
        )
    return Input("procedures", ["procedure", "import", "in"], files=tuple(files))


def a_setting(chance: random.Random, seeds: Seeds) -> Input:
    """A config file, and settings that are typed."""
    from memcli.config.settings import SETTINGS

    name = chance.choice(list(SETTINGS))
    evil = hostile_value(chance)
    if chance.random() < 0.3:
        text = str(evil)
        return Input("settings", ["config", "set", name, "--", text.encode("utf-8", "replace").decode()])
    line = f"{name} = {written(evil) if chance.random() < 0.9 else evil}"
    text = chance.choice(
        (line, f"[{name}]\n{line}", f"{line}\n{line}", f"{name}.{name} = 1", "[" * 500, f"x = {'[' * 900}")
    )
    data = text.encode("utf-8", "surrogatepass")
    reading = (["list"], ["recall", "the sky"], ["remember", "Bob owns a boat"], ["config", "list"],
    ["context"], ["stats"],
               ["session", "messages", "s"], ["consolidate", "--dry-run"], ["task", "note", "x"], ["log",
               "hello"])  # fmt: skip
    return Input("settings", chance.choice(reading), files=(("config.toml", data),))


def a_plan(chance: random.Random, seeds: Seeds) -> Input:
    """A saved plan, whose checks its owner could have made anew."""
    lines = []
    for record in seeds.plan:
        changed: Any = mutated(record, chance) if chance.random() < 0.4 else record
        if isinstance(changed, dict) and chance.random() < 0.9:
            changed = _with_check(changed)
        lines.append(changed)
    text = "\n".join(written(each) for each in lines)
    data = text.encode("utf-8", "surrogatepass")
    how = ["--dry-run"] if chance.random() < 0.3 else []
    return Input(
        "plans",
        ["consolidate", "--apply", "plan", *how],
        files=(("plan", broken(data, chance) if chance.random() < 0.1 else data),),
    )


def _with_check(record: dict[str, Any]) -> dict[str, Any]:
    try:
        read = json.loads(written(record))
        text = json.dumps(read, ensure_ascii=True, sort_keys=True)
    except (ValueError, RecursionError):
        return record
    return {**record, "check": hashlib.sha256(text.encode()).hexdigest()[:16]}


def a_checkpoint(chance: random.Random, seeds: Seeds) -> Input:
    """A state that is saved."""
    state = {"page": 9, "at": [1.5, "x"], "more": {"a": None}}
    data = written(mutated(state, chance), chance).encode("utf-8", "surrogatepass")
    return Input("checkpoints", ["checkpoint", "save", "crawl", "-"], broken(data, chance))


def arguments(chance: random.Random, seeds: Seeds) -> Input:
    """Any command with any of its options, with values that fit, and values that do not."""
    path, options, takes = chance.choice(_commands())
    typed: list[str] = []
    for name, kinds in chance.sample(options, min(len(options), chance.choice((0, 1, 1, 2, 3)))):
        typed += [name] if kinds is None else [name, _typed(chance, (*kinds, *seeds.ids))]
    for _ in range(chance.choice((0, 1, 1, 2, 3)) if takes else 0):
        typed.append(_typed(chance, tuple(seeds.ids)))
    # A folder that it may fill, or walk to its last file, is never the root of this machine.
    typed = ["." if each == "/" and path in _FILLS | _WALKS else each for each in typed]
    if chance.random() < 0.1:
        typed.insert(chance.randrange(len(typed) + 1), "--")
    return Input(
        "arguments",
        [*path, *typed],
        chance.choice((b"", b"The sky is blue\n", b'{"text": "x"}\n', b"\xff\0")),
    )


def _typed(chance: random.Random, kinds: tuple[str, ...]) -> str:
    fits = (
        *kinds,
        "0",
        "1",
        "10",
        "0.5",
        "x",
        "Ann",
        "the sky",
        "deploy",
        "crawl",
        "s",
        "boat",
        "2026",
        "7d",
        "-",
        "a b",
    )
    evil = hostile_value(chance) if chance.random() < 0.5 else chance.choice(fits)
    # An argument holds no NUL; what is no UTF-8 arrives as surrogates.
    return str(evil).replace("\0", "\x01")


_FILLS = {("sync",), ("procedure", "export")}
_WALKS = {("import",), ("procedure", "import")}
# What runs other programs, waits for somebody, or takes a minute.
_NOT_RUN = {
    ("checkpoint", "run"),
    ("model", "compile"),
    ("model", "check"),
    ("model", "calibrate"),
    ("completions",),
    ("help",),
}


@cache
def _commands() -> list[tuple[tuple[str, ...], list[tuple[str, tuple[str, ...] | None]], bool]]:
    """Each command, its options with their choices (None: a flag), and whether it takes arguments."""
    from memcli.command_line.loading import load_command
    from memcli.command_line.table import COMMANDS

    found = []

    def walk(path: tuple[str, ...], command: Any) -> None:
        for name, below in getattr(command, "commands", {}).items():
            walk((*path, name), below)
        if path in _NOT_RUN or getattr(command, "commands", None):
            return
        options = [
            (each.opts[0], None if each.is_flag else tuple(getattr(each.type, "choices", ())))
            for each in command.params
            if each.param_type_name == "option" and each.name != "help"
        ]
        found.append((path, options, any(each.param_type_name == "argument" for each in command.params)))

    for name in COMMANDS:
        walk((name,), load_command(name))
    return found


def a_foreign_file(chance: random.Random, seeds: Seeds) -> Input:
    """A file of another program's, by its name or guessed."""
    name, file, valid = chance.choice(FOREIGN)
    if isinstance(valid, str):
        data = _document(chance, [valid])
    else:
        data = _json_lines(chance, _several(chance, valid))
        if file.endswith((".json", ".af")):
            record = _several(chance, valid)
            whole = record[0] if file.endswith(".af") else chance.choice((record, record[0]))
            data = written(whole, chance).encode("utf-8", "surrogatepass")
    data = broken(data, chance) if chance.random() < 0.2 else data
    whose = () if chance.random() < 0.2 else ("--from", name)
    return Input("importers", ["import", *whose, file, *flags_of(chance)], files=((file, data),))


_IMPORT_FLAGS = ("--untrusted", "--redact", "--json", "--dry-run")


def flags_of(chance: random.Random, *flags: str) -> list[str]:
    """Some of these flags; of those of an import, if none are given."""
    return [flag for flag in flags or _IMPORT_FLAGS if chance.random() < 0.2]


_IN = ("", "export/", "vault/", "vault/.obsidian/", "memory/", "repo/", "projects/", "textdocs/")


def place_in_folder(chance: random.Random) -> str:
    """A folder in which files of other programs' are looked for, or none."""
    return chance.choice(_IN)


def a_foreign_folder(chance: random.Random, seeds: Seeds) -> Input:
    """A folder with several files of other programs', at times a database of Cursor's among them."""
    files = []
    for _ in range(chance.randint(1, 5)):
        [(name, data)] = a_foreign_file(chance, seeds).files
        files.append((f"in/{place_in_folder(chance)}{name}", data))
    if chance.random() < 0.3:
        files.append((f"in/{place_in_folder(chance)}state.vscdb", a_state(chance)))
    whose = () if chance.random() < 0.8 else ("--from", chance.choice(FOREIGN)[0])
    return Input("folders", ["import", *whose, "in", *flags_of(chance)], files=tuple(files))
