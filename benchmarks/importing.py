"""Importing a ChatGPT export against remembering the same texts, and how much memory a long one takes.

    python -m benchmarks.importing [--messages 10000] [--runs 3] [--data PATH] [--cache PATH]
    python -m benchmarks.importing --turns 100000

The first imports conversations of twenty messages each, and hands the same texts to `mem remember --batch`,
one a line: whole processes, interleaved, each into a store of its own, medians. The second imports that many
turns once, without vectors unless `--embed` is given (they take hours of a loaded machine), and gives the
peak memory beside that of a tenth of them. It asserts nothing. Texts are those of `benchmarks.speed`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import median

from benchmarks.command_line import add_cache
from benchmarks.speed.processes import MEM, Cost, run
from benchmarks.speed.texts import made_up, sentences

_TALK = 20
_BEGUN = 1.7e9


def main() -> None:
    """Measure what is asked for, and print it."""
    parser = argparse.ArgumentParser("python -m benchmarks.importing", description="What imports cost.")
    parser.add_argument("--messages", type=int, default=10_000, help="messages of the comparison; 10000")
    parser.add_argument("--runs", type=int, default=3, help="runs of each; 3")
    parser.add_argument("--turns", type=int, help="measure the memory that so many turns take instead")
    parser.add_argument("--embed", action="store_true", help="with vectors, where turns are measured")
    parser.add_argument("--data", type=Path, help="folder of public data; made-up sentences without it")
    add_cache(parser)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memcli-importing-") as name:
        folder = Path(name)
        settings = {
            "MEMCLI_CONFIG": str(folder / "none.toml"), "MEMCLI_WARM": "off",
            "MEMCLI_CACHE_DIR": str(given.cache or folder / "cache"),
        }  # fmt: skip
        run([str(MEM), "model", "compile"], settings)
        if given.turns:
            for number in (given.turns // 10, given.turns):
                cost = _import(folder, _export(folder, made_up(number)), settings, embed=given.embed)
                print(f"{number:,} turns: {cost.megabytes:,.0f} MB, {cost.seconds:,.0f} s", flush=True)
            return
        texts = list(islice(sentences(given.data) if given.data else made_up(given.messages), given.messages))
        print(_compared(folder, texts, settings, given.runs))


def _compared(folder: Path, texts: Sequence[str], settings: dict[str, str], runs: int) -> str:
    """A line of the table of `benchmarks.speed`."""
    lines = folder / "texts.txt"
    lines.write_text("\n".join(text.replace("\n", " ") for text in texts), encoding="utf-8")
    export = _export(folder, texts)
    pairs = [(_remember(folder, lines, settings), _import(folder, export, settings)) for _ in range(runs)]
    theirs, ours = (Cost(*map(median, zip(*costs, strict=True))) for costs in zip(*pairs, strict=True))
    return (
        f"| `mem import`, {len(texts):,} ChatGPT messages "
        f"| {ours.seconds * 1000:,.0f} | {ours.megabytes:,.0f} "
        f"| `mem remember --batch` of the same texts "
        f"| {theirs.seconds * 1000:,.0f} | {theirs.megabytes:,.0f} "
        f"| {ours.seconds / theirs.seconds:.3g} | {ours.processor / theirs.processor:.3g} | 1.1 |"
    )


def _remember(folder: Path, lines: Path, settings: dict[str, str]) -> Cost:
    with tempfile.TemporaryDirectory(dir=folder) as own:
        return run([str(MEM), "remember", "--batch"], {**settings, "MEMCLI_DB": f"{own}/m.db"}, lines)[0]


def _import(folder: Path, export: Path, settings: dict[str, str], *, embed: bool = True) -> Cost:
    with tempfile.TemporaryDirectory(dir=folder) as own:
        model = {} if embed else {"MEMCLI_MODEL": "none"}
        given = {**settings, **model, "MEMCLI_DB": f"{own}/m.db"}
        return run([str(MEM), "import", "--from", "chatgpt", str(export)], given)[0]


def _export(folder: Path, texts: Sequence[str] | Iterator[str]) -> Path:
    """The texts as ChatGPT exports them, in conversations of twenty messages."""
    path = folder / "conversations.json"
    remaining = iter(texts)
    with path.open("w", encoding="utf-8") as stream:
        number, sign = 0, "["
        while talk := list(islice(remaining, _TALK)):
            stream.write(sign + json.dumps(_conversation(number, talk)))
            number, sign = number + 1, ",\n"
        stream.write("]")
    return path


def _conversation(number: int, texts: Sequence[str]) -> dict[str, object]:
    begun = _BEGUN + 3600 * number
    nodes: dict[str, object] = {"root": {"id": "root", "message": None, "parent": None, "children": ["0"]}}
    for place, text in enumerate(texts):
        message = {
            "id": f"{number}-{place}", "author": {"role": ("user", "assistant")[place % 2], "metadata": {}},
            "create_time": begun + 60 * place, "content": {"content_type": "text", "parts": [text]},
            "status": "finished_successfully", "recipient": "all", "weight": 1.0, "metadata": {},
        }  # fmt: skip
        nodes[str(place)] = {
            "id": str(place), "message": message, "parent": str(place - 1) if place else "root",
            "children": [str(place + 1)] if place + 1 < len(texts) else [],
        }  # fmt: skip
    return {
        "title": f"Talk {number}",
        "create_time": begun,
        "update_time": begun + 3600,
        "mapping": nodes,
        "current_node": str(len(texts) - 1),
        "conversation_id": f"conversation-{number}",
    }


if __name__ == "__main__":
    main()
