"""All that an author's examination asks of the program, with the weights in the package.

    python -m benchmarks.examination FOLDER... [--cache DIR] [--shown]

A folder is laid out as `benchmarks.judges` says, with updates.jsonl, both.jsonl (`old`, `new`, `question`)
and distractors.jsonl (`text`). Printed are how its statements and pairs are judged; what is told of updates
and stands first after a night (`benchmarks.updates`), in a store of them all and in one of each with the
distractors; how the questions of two people, whose notes share a store, come out (`benchmarks.answers`);
which sentences of its chats a night without an LLM keeps as facts. A sentence is right where half of it
states a fact of the author's; a fact is found where a kept sentence has half of its span. `--shown` lists
what was kept, and what went wrong: whoever reads it has no examination any more.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks import answers, updates
from benchmarks.command_line import add_cache, parser_for
from benchmarks.conversations import Conversation, Question, Record
from benchmarks.data import Stores
from benchmarks.json_lines import read_json_lines
from benchmarks.judges.__main__ import examine
from benchmarks.judges.labels import overlap
from benchmarks.judges.model import Model
from memcli.consolidation.run import consolidate
from memcli.model import Filter

Line = dict[str, Any]


def main() -> None:
    """Ask everything of each folder."""
    parser = parser_for(__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    add_cache(parser)
    parser.add_argument("--shown", action="store_true", help="list what was kept and what went wrong")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memcli-benchmark-") as name:
        folder = Path(name)
        cache = given.cache or folder / "cache"
        for path in given.folders:
            print(f"## {path.name}")
            # The readers of labels take a folder of authors.
            shutil.copytree(path, folder / "labels" / path.name)
            examine(folder / "labels", Model(cache))
            shutil.rmtree(folder / "labels")
            _updates(path, cache, shown=given.shown)
            stores = Stores(folder / path.name, cache)
            stores.folder.mkdir()
            _questions(path, stores, shown=given.shown)
            _chats(path, stores, shown=given.shown)


def _updates(path: Path, cache: Path, *, shown: bool) -> None:
    lines = [
        {"a": each["old"], "b": each["new"], "question": each["question"], "relation": relation}
        for name, relation in (("updates", "update"), ("both", "both"))
        for each in _read(path / f"{name}.jsonl")
    ]
    if not lines:
        return
    beside = [{"a": each["text"]} for each in _read(path / "distractors.jsonl")]
    counts: dict[str, Counter[str]] = {}
    for page in updates.asked([*lines, *beside], cache):
        updates.count(page, counts.setdefault(page.line["relation"], Counter()), shown=shown)
    alone = counts["update, each in a store of its own"] = Counter()
    for line in (each for each in lines if each["relation"] == "update"):
        for page in updates.asked([line, *beside], cache):
            updates.count(page, alone, shown=shown)
    print(updates.HEAD)
    for relation, each in counts.items():
        print(updates.row(relation, each))


def _questions(path: Path, stores: Stores, *, shown: bool) -> None:
    file = path / "questions.json"
    if not file.exists():
        return
    talk = Conversation(path.name, "notes")
    for number, person in enumerate(json.loads(file.read_text("utf-8"))["people"]):
        first = len(talk.records)
        talk.records += [{"text": note} for note in person["notes"]]
        for each in person["answerable"]:
            evidence = frozenset(first + place for place in each["evidence"])
            talk.questions.append(Question(each["q"], evidence, str(number)))
        talk.unanswerable += [Question(each, frozenset(), str(number)) for each in person["unanswerable"]]
    built = stores.build(talk)
    for name, asked in (("answered", talk.questions), ("near misses", talk.unanswerable)):
        counts: Counter[str] = Counter()
        for question in asked:
            outcome, held = answers.ask(built, question)
            counts[outcome] += 1
            counts["held"] += held
            if shown and outcome == ("refused" if question.evidence else "sure"):
                print(f"  {outcome}: {question.text}")
        print(f"{name}: {', '.join(f'{counts[each]} {each}' for each in (*answers.OUTCOMES, 'held'))}")
    built.memories.close()


def _chats(path: Path, stores: Stores, *, shown: bool) -> None:
    turns = _read(path / "chats.jsonl")
    if not turns:
        return
    talk = Conversation(f"{path.name}-chats", "notes", [_record(each) for each in turns])
    built = stores.build(talk)
    consolidate(built.memories)
    kept = [
        each.text
        for each in built.memories.store.select(Filter(spaces=None))
        if each.kind != "episode" and each.text
    ]
    facts = [(turn["text"], fact["span"]) for turn in turns for fact in turn.get("facts") or []]
    right = {text for text in kept if any(overlap(text, span, said) for said, span in facts)}
    found = sum(any(overlap(text, span, said) for text in kept) for said, span in facts)
    print(f"distilled: {len(kept)} sentences, {len(right)} right; {found} of {len(facts)} facts found")
    for text in kept if shown else ():
        print(f"  {'right' if text in right else 'WRONG'}: {text}")
    for said, span in facts if shown else ():
        if not any(overlap(text, span, said) for text in kept):
            print(f"  missed: {span}")
    built.memories.close()


def _record(turn: Line) -> Record:
    session, role = f"chat {turn['chat']}", turn["role"]
    return {"text": turn["text"], "kind": "episode", "session": session, "role": role}


def _read(path: Path) -> list[Line]:
    return read_json_lines(path) if path.exists() else []


if __name__ == "__main__":
    main()
