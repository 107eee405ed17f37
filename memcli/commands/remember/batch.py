"""`mem remember --batch`: keep many memories from stdin; bad lines are reported, good ones kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import tee
from typing import Any

import typer

from memcli.changes.settled_writes import close_settled_questions
from memcli.commands.terminal import output
from memcli.commands.terminal.decisions import OVERRIDES, outcome
from memcli.commands.terminal.input import more_stands_ready, read_stdin_lines, text_of_line
from memcli.commands.terminal.progress import progress_bar
from memcli.errors import BadInput, NotFound, Refused
from memcli.memories import Memories
from memcli.messages import message
from memcli.model import Memory
from memcli.named_tuple import NamedTuple
from memcli.origins import is_through
from memcli.prompt.echoes import ECHOED, EchoReader
from memcli.scope import Scope
from memcli.storage.batches import BATCH
from memcli.system.processors import let_others_go_first
from memcli.text import printable
from memcli.text.secrets.redaction import without_quoted_secrets
from memcli.text.shapes import read_json
from memcli.write_policy.admission import Admission, ExaminedWrite
from memcli.write_policy.decision import Decision, WriterClaims
from memcli.write_policy.drafts import Draft, draft_from_record, new_memories
from memcli.write_policy.originals import StoredOriginals
from memcli.write_policy.related.batch import RelatedInBatch
from memcli.write_policy.settings import WriteOptions

# Names in a line, and the fields of a draft that they set.
_SETTLING = {
    "replaces": "supersedes",
    "supersedes": "supersedes",
    "both_hold": "both_hold",
    "same_as": "same_as",
}

# The beginning of an array of objects.
_ARRAY = re.compile(r'\[\s*\{\s*"')


class _Portion(NamedTuple):
    """Lines that are examined together, and that the model has read or is reading."""

    write: ExaminedWrite
    numbers: list[int]
    kinds_open: frozenset[str]
    settles: bool
    """True if some of them say what they replace, repeat or stand beside."""


class _Intake:
    """Lines on their way into the store, in portions of BATCH; `tell` is called with each decision.

    The model embeds one portion while the one before is judged and written, so that both cores work. Judging
    and writing has priority, because it is sequential; the model takes the time that is left.
    """

    def __init__(
        self, memories: Memories, how: WriteOptions, tell: Callable[[int, Decision], None], *, dry_run: bool
    ) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self._memories = memories
        self._how = how
        self._tell = tell
        self._dry_run = dry_run
        self._related = RelatedInBatch(memories.store, memories.now())
        self._thread = ThreadPoolExecutor(1, initializer=let_others_go_first)
        self._pending: list[tuple[int, Memory]] = []
        self._kinds_open = set[str]()
        self._told: dict[str, WriterClaims] = {}
        self._read: list[_Portion] = []

    def add(self, number: int, draft: Draft) -> None:
        """Add a line. Raises BadInput, NotFound, Refused for a bad one."""
        new = new_memories(self._memories, [draft])
        self._pending.append((number, new.memories[0]))
        self._told |= new.told
        self._kinds_open |= new.kinds_open

    def keep_full(self) -> bool:
        """If there is a full portion, embed it and write the one before. True if one was written.

        The last portion waits for the next one to be embedded beside it, but not for lines that are not
        written yet.
        """
        if len(self._pending) >= BATCH:
            self._begin()
        if not self._read or (len(self._read) < 2 and more_stands_ready()):
            return False
        self._keep()
        return True

    def finish(self) -> None:
        """Write what is left."""
        self._begin()
        while self._read:
            self._keep()
        self._thread.shutdown()
        self._related.end()

    def _begin(self) -> None:
        admission = Admission(self._memories, self._memories.model, self._how, related=self._related)
        examined = admission.examine([memory for _, memory in self._pending], self._told, thread=self._thread)
        numbers = [number for number, _ in self._pending]
        self._read.append(_Portion(examined, numbers, frozenset(self._kinds_open), settles=bool(self._told)))
        self._pending.clear()
        self._kinds_open.clear()
        self._told.clear()

    def _keep(self) -> None:
        examined, numbers, kinds_open, settles = self._read.pop(0)
        prepared = examined.look_around(kinds_open)
        close = partial(close_settled_questions, self._memories) if settles else None
        decisions = prepared.rehearse() if self._dry_run else prepared.write(then=close)
        for number, decision in zip(numbers, decisions, strict=True):
            self._tell(number, decision)


def remember_lines(
    memories: Memories, defaults: Draft, how: WriteOptions, as_json: bool, *, dry_run: bool = False
) -> None:
    """Read JSON Lines or one memory a line; print the ids; exit 2 if a line was bad, 3 if one was refused.

    The first line decides: if it begins with '{', all must be JSON objects; if not, none may be one.
    `defaults` provides what a line leaves out. With `dry_run`, each BATCH lines are decided without regard to
    earlier ones, because nothing of those is in the store.
    """
    counts = dict.fromkeys(("take", "supersede", "reinforce", "hold", "refuse", "bad"), 0)
    in_json: bool | None = None

    def tell(number: int, decision: Decision) -> None:
        counts[decision.action] += 1
        _print(number, decision, memories, as_json)

    intake = _Intake(memories, how, tell, dry_run=dry_run)
    with progress_bar("remembering") as progress:
        for number, line, text in _decoded(None if how.force else memories):
            if in_json is None:
                in_json = line.lstrip(b"\xef\xbb\xbf \t").startswith(b"{")
                _refuse_document(line)
            try:
                if isinstance(text, BadInput):
                    raise text
                if not text:
                    counts["refuse"] += 1
                    echoed = Refused(ECHOED, by_hand=memories.by_force(OVERRIDES))
                    output.to_stderr(message(f"line {number}: ", echoed))
                    continue
                intake.add(number, _draft(text, in_json, defaults, memories))
            except Refused as error:
                counts["refuse"] += 1
                output.to_stderr(message(f"line {number}: ", error))
            except (BadInput, NotFound) as error:
                counts["bad"] += 1
                place = f"line {number}"
                output.to_stderr(f"{place}: {without_quoted_secrets(error.beside(place))}")
            if intake.keep_full():
                progress(sum(counts.values()))
        intake.finish()
    _sum_up(counts, dry_run=dry_run)


def _decoded(scope: Scope | None) -> Iterator[tuple[int, bytes, str | BadInput]]:
    """Yield the lines of stdin: number, bytes, and text without what memcli printed of a scope.

    The text of a line that it printed is empty; for a line that cannot be decoded, the error is yielded.
    """
    lines: Iterator[tuple[int, bytes, str | BadInput]] = (
        (number, line, text_of_line(line, number)) for number, line in read_stdin_lines()
    )
    if scope is None:
        yield from lines
        return
    lines, ahead = tee(lines)
    reader = EchoReader(StoredOriginals(scope.store, scope.space))
    read = reader.read("" if isinstance(text, BadInput) else text for _, _, text in ahead)
    for (number, line, text), left in zip(lines, read, strict=True):
        yield number, line, text if isinstance(text, BadInput) else left.left


def _print(number: int, decision: Decision, scope: Scope, as_json: bool) -> None:
    refused = decision.action == "refuse"
    if as_json:
        record = {} if refused else decision.memory.to_record()
        output.to_stdout(printable.json_line({**record, "line": number, "decision": decision.to_record()}))
    elif not output.stdout_is_terminal() and not refused:
        output.to_stdout(decision.memory.id)
    # A memory known in other words may be a different one after all, so that is reported.
    if refused or decision.action == "hold" or decision.said is not None:
        output.to_stderr(message(f"line {number}: ", outcome(decision, scope)))
    for note in decision.notes:
        output.to_stderr(message(f"line {number}: ", note))


def _sum_up(counts: dict[str, int], *, dry_run: bool) -> None:
    kept = counts["take"] + counts["supersede"]
    verb = "would remember" if dry_run else "remembered"
    if output.stdout_is_terminal():
        output.to_stdout(f"{verb} {kept:,}")
    said = {"reinforce": "known already", "hold": "held for review"}
    for action, words in said.items():
        if counts[action]:
            output.to_stderr(f"{counts[action]:,} {words}")
    lost = counts["bad"] + counts["refuse"]
    if lost:
        output.to_stderr(f"{lost:,} of {sum(counts.values()):,} lines refused; the others are kept")
        raise typer.Exit(2 if counts["bad"] else 3)


def _draft(line: str, in_json: bool, defaults: Draft, scope: Scope) -> Draft:
    if not in_json:
        if _is_record(line):
            raise BadInput("a JSON object, but the first line is text, and so are all; batch them apart")
        return replace(defaults, text=line.strip(), origin=_origin(scope))
    record = read_json(line)
    if not isinstance(record, dict):
        raise BadInput("not a JSON object")
    settled = _settled(record)
    rest = {name: value for name, value in record.items() if name not in _SETTLING}
    draft = replace(draft_from_record(rest, scope.now(), _origin(scope)), **settled)
    given = {name for name in record if record[name] is not None}
    return replace(
        draft,
        tags=tuple({*defaults.tags, *draft.tags}),
        happened_at=draft.happened_at or defaults.happened_at,
        trusted=draft.trusted and defaults.trusted,
        **{
            name: getattr(defaults, name)
            for name in (
                "kind",
                "confidence",
                "importance",
                "source",
                "session",
                "ttl",
                "valid_from",
                "valid_until",
            )
            if name not in given
        },
    )


def _refuse_document(first: bytes) -> None:
    """Raise BadInput if the first line begins a JSON document of several lines, or an array."""
    head = first.decode("utf-8-sig", "replace").strip()
    if head in ("{", "[") or _ARRAY.match(head):
        raise BadInput("one JSON document, not a JSON object a line (jq -c '.[]' makes these of an array)")


def _is_record(line: str) -> bool:
    """True if a line is a memory in JSON Lines; other JSON may be the text of a note."""
    line = line.strip().rstrip(",")
    if not line.startswith("{"):
        return False
    try:
        record = read_json(line)
    except BadInput:
        return False
    return isinstance(record, dict) and "text" in record


def _settled(record: dict[str, Any]) -> dict[str, Any]:
    """Return what a line says about memories in force, as draft fields; names are those of the options."""
    found: dict[str, Any] = {}
    for name, each in _SETTLING.items():
        value = record.get(name)
        if value is None:
            continue
        several = each == "both_hold"
        ids = value if several and isinstance(value, list) else [value]
        if not all(isinstance(one, str) for one in ids):
            raise BadInput(f"{name}: {value!r:.60} is of the wrong type")
        found[each] = tuple(ids) if several else value
    return found


def _origin(scope: Scope) -> str:
    """Return the origin of a batch; an agent's batch keeps the agent's origin."""
    return "batch" if is_through(scope.origin, "cli") else scope.origin
