"""See the package."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import mutations
from benchmarks.command_line import parser_for
from benchmarks.mutations import recorded
from benchmarks.mutations.judging import CAUGHT, EQUIVALENT, SURVIVED, UNTESTED, Judge, Known, Outcome
from benchmarks.mutations.listed import equivalents, guards
from benchmarks.mutations.mutants import Mutant, mutants
from benchmarks.mutations.named import Named, Noted
from benchmarks.mutations.recorded import Record
from benchmarks.mutations.scratch import TREE

# Where a memory's life is decided: storage, forgetting, the night, the gate, trust; imports, the ways back.
GUARDED = (
    "memcli/storage", "memcli/changes", "memcli/consolidation", "memcli/write_policy", "memcli/doors.py",
    "memcli/scope.py", "memcli/upkeep/exchange", "memcli/upkeep/copies", "memcli/upkeep/spaces.py",
)  # fmt: skip
# Its tests want a server, and run as they are against one (`--store postgres`): `--only` judges it.
APART = "memcli/storage/postgres"
TESTS = (
    "tests/storage", "tests/changes", "tests/write_policy", "tests/consolidation", "tests/test_doors.py",
    "tests/test_attacks.py", "tests/test_spaces_apart.py", "tests/upkeep", "tests/test_memories.py",
    "tests/test_marks.py", "tests/test_library.py", "tests/test_outputs.py", "tests/test_no_plaintext.py",
    "tests/sync", "tests/recall", "tests/tiers", "tests/test_hostile_input.py", "tests/commands",
    "tests/guards", "tests/graph", "tests/llm", "tests/agents", "tests/importers", "tests/judgement",
    "tests/text", "tests/config", "tests/system", "tests/embedding", "tests/views", "tests/warm",
)  # fmt: skip


def main() -> None:
    """Record, or mutate; print the table and every survivor."""
    parser = parser_for(mutations.__doc__)
    parser.add_argument(
        "--record",
        action="store_true",
        help="note which tests run which lines, of files of tests that are new",
    )
    parser.add_argument(
        "--in-process",
        action="store_true",
        help="record, or ask, the tests alone that start no program: quick",
    )
    parser.add_argument(
        "--tests", action="append", help="record, or ask, these files or folders of tests alone"
    )
    parser.add_argument(
        "--unrecorded", action="store_true", help="run every one of --tests, whatever a record says"
    )
    parser.add_argument("--notes", type=Path, default=Path(tempfile.gettempdir()) / "memcli-mutations")
    parser.add_argument("--guards", action="store_true", help="the list of guards, instead of random places")
    parser.add_argument(
        "--survivors", type=Path, help="what these verdicts say was not caught, instead of random places"
    )
    parser.add_argument(
        "--confirm",
        type=Path,
        help="of these verdicts what was caught: the test noted is run with the change in a file of a copy",
    )
    parser.add_argument("--number", type=int, default=300, help="mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", action="append", help="a file or folder, instead of the guarded ones")
    parser.add_argument("--budget", type=float, default=60, help="seconds of tests a mutant at the most")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--again", action="store_true", help="judge again what was not caught")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        help="keep every verdict here, as JSON Lines; what is there is not judged again",
    )
    options = parser.parse_args()
    if options.record:
        recorded.record(options.notes, options.tests or TESTS, options.workers, options.in_process)
        return
    places = options.only or GUARDED
    if options.confirm:
        report(_confirmed(guards(options.only), options))
        return
    if options.survivors:
        drawn = survivors(options.survivors)
    else:
        drawn = guards(options.only) if options.guards else draw(places, options.number, options.seed)
    report(_judged(drawn, options))


def draw(places: Sequence[str], number: int, seed: int) -> list[tuple[str, Mutant]]:
    """So many mutants out of all files there, at random; all of them if there are fewer."""
    files = [
        file
        for place in places
        for file in ([TREE / place] if place.endswith(".py") else (TREE / place).rglob("*.py"))
    ]
    everything = [
        (str(file.relative_to(TREE)), mutant)
        for file in sorted(files)
        if APART in places or not str(file.relative_to(TREE)).startswith(APART)
        for mutant in mutants(file.read_text(encoding="utf-8"))
    ]
    print(f"{len(everything)} mutants in {len(files)} files; seed {seed}", flush=True)
    random.Random(seed).shuffle(everything)
    return everything[:number]


def survivors(verdicts: Path) -> list[tuple[str, Mutant]]:
    """The mutants that a run did not catch, in the code as it is now; without those whose code is gone."""
    found = []
    for each in _kept(verdicts, again=False).values():
        if each["verdict"] in (SURVIVED, UNTESTED):
            alike = [
                mutant
                for mutant in mutants((TREE / each["file"]).read_text(encoding="utf-8"))
                if (mutant.within, mutant.before, mutant.after)
                == (each["within"], each["before"], each["after"])
            ]
            nearest = sorted(alike, key=lambda mutant: abs(mutant.line - each["line"]))[:1]
            found += [(each["file"], mutant) for mutant in nearest]
    return found


def _judged(drawn: Sequence[tuple[str, Mutant]], options: argparse.Namespace) -> list[Outcome]:
    """Every verdict: as it is kept, by the list of equivalents, or by running tests."""
    kept = _kept(options.output, options.again)
    equal = equivalents()
    outcomes, open_ones = [], []
    for file, mutant in drawn:
        if (file, mutant.within, mutant.before, mutant.after) in equal:
            outcomes.append(Outcome(file, mutant, EQUIVALENT, 0))
        elif known := kept.get(_key(file, mutant)):
            outcomes.append(_from_json(file, mutant, known))
        else:
            open_ones.append((file, mutant))
    judge = Judge(_tests_known(options), options.budget, in_process=options.in_process)
    return [*outcomes, *_run(judge, open_ones, options)]


def _confirmed(drawn: Sequence[tuple[str, Mutant]], options: argparse.Namespace) -> list[Outcome]:
    """Those that verdicts say are caught, judged anew by nothing but the test that failed then."""
    kept, done = _kept(options.confirm, again=False), _kept(options.output, options.again)
    noted, outcomes = {}, []
    for file, mutant in drawn:
        key = _key(file, mutant)
        if key in done:
            outcomes.append(_from_json(file, mutant, done[key]))
        elif key in kept and kept[key]["verdict"] == CAUGHT:
            noted[file, mutant] = kept[key]["by"]
    return [*outcomes, *_run(Judge(Noted(noted), options.budget), [*noted], options)]


def _run(judge: Judge, drawn: Sequence[tuple[str, Mutant]], options: argparse.Namespace) -> Iterator[Outcome]:
    """The verdicts as they come; told, and kept, at once."""
    print(f"{len(drawn)} to judge", flush=True)
    for number, outcome in enumerate(judge.judge(drawn, options.workers), 1):
        if outcome.verdict != CAUGHT:
            _print(outcome)
        if options.output:
            with options.output.open("a") as file:
                file.write(json.dumps(_as_json(outcome)) + "\n")
        if not number % 20:
            print(f"{number} of {len(drawn)}", flush=True)
        yield outcome


def _tests_known(options: argparse.Namespace) -> Known:
    """What tells the tests of a line: the record, or, with `--unrecorded`, who started this."""
    if options.unrecorded:
        return Named(options.tests or TESTS)
    return Record(options.notes, options.tests or ("",))


def _kept(output: Path | None, again: bool) -> dict[str, dict[str, Any]]:
    """The verdicts that a run before this one wrote, the last of each mutant."""
    if not output or not output.exists():
        return {}
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    return {each["key"]: each for each in lines if not again or each["verdict"] not in (SURVIVED, UNTESTED)}


def _key(file: str, mutant: Mutant) -> str:
    """A mutant by the text around it, whatever happens to the rest of its file, as a digest."""
    lines = mutant.source.splitlines()[max(0, mutant.line - 4) : mutant.line + 3]
    told = "\n".join([file, mutant.within, mutant.before, mutant.after, *lines])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def report(outcomes: Iterable[Outcome]) -> None:
    """A row a room, and the whole. What is equivalent counts neither way."""
    outcomes = list(outcomes)
    rooms = sorted({_room(each.file) for each in outcomes})
    heads = (CAUGHT, SURVIVED, UNTESTED, EQUIVALENT)
    print(f"\n{'where':34}{'mutants':>8}{''.join(f'{each:>12}' for each in heads)}{'caught %':>10}")
    for room in [*rooms, ""]:
        verdicts = Counter(each.verdict for each in outcomes if _room(each.file) == room or not room)
        counted = verdicts.total() - verdicts[EQUIVALENT]
        print(
            f"{room or 'all':34}{verdicts.total():8}{''.join(f'{verdicts[each]:12}' for each in heads)}"
            f"{100 * verdicts[CAUGHT] / max(counted, 1):10.1f}"
        )


def _room(file: str) -> str:
    return "/".join(Path(file).parts[1:-1][:2]) or file


def _print(outcome: Outcome) -> None:
    mutant = outcome.mutant
    print(f"{outcome.verdict}  {outcome.file}:{mutant.line}  {mutant.before}  ->  {mutant.after}", flush=True)


def _as_json(outcome: Outcome) -> dict[str, object]:
    mutant = outcome.mutant
    return {
        "file": outcome.file, "line": mutant.line, "within": mutant.within, "before": mutant.before,
        "after": mutant.after, "verdict": outcome.verdict, "tests": outcome.tests, "by": outcome.by,
        "key": _key(outcome.file, mutant),
    }  # fmt: skip


def _from_json(file: str, mutant: Mutant, kept: Mapping[str, Any]) -> Outcome:
    return Outcome(file, mutant, kept["verdict"], kept["tests"], kept["by"])


if __name__ == "__main__":
    began = time.monotonic()
    main()
    print(f"{time.monotonic() - began:.0f} s")
