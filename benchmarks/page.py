"""How long a page of many memories takes to open in a browser, and to search.

    python -m benchmarks.page [--memories 10000] [--runs 7]

`mem page`'s file against a plain HTML list of the same texts, in turns, each in a new window of a headless
Chromium without a network: from the start of the navigation until what it shows first was painted (for the
page: its scripts have run and the list is there). And within the page: from a word's last key to the list
that it gives, without the tenth of a second for which the page waits for more keys. The medians, and the
ratio of those. It asserts nothing. Needs playwright and a browser of Chromium's kind.
"""

from __future__ import annotations

import argparse
import html
import random
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

from memcli.ids import derived_id
from memcli.model import KINDS, Memory
from memcli.views.page.content import memory_content
from memcli.views.page.html import memories_page
from tests.views.browser import launched

NOW = datetime(2026, 11, 20, tzinfo=UTC)
# What was painted is told by the second frame after it was made.
_PAINTED = (
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
)
_SEARCHED = """
new Promise((done) => {
  const query = document.getElementById("query");
  const list = document.getElementById("list");
  query.value = "bicycle berlin";
  const began = performance.now();
  new MutationObserver(() => requestAnimationFrame(() => done(performance.now() - began - 90)))
    .observe(list, { childList: true });
  query.dispatchEvent(new Event("input"));
})
"""


def main() -> None:
    """Make both files, open them in turns, print the table."""
    parser = argparse.ArgumentParser("python -m benchmarks.page", description="Opening a page of memories.")
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=7)
    given = parser.parse_args()
    some = memories(given.memories)
    with tempfile.TemporaryDirectory(prefix="memcli-page-") as name, launched() as browser:
        page, plain = Path(name) / "page.html", Path(name) / "plain.html"
        began = time.process_time()
        text = memories_page(content(some))
        made = time.process_time() - began
        page.write_text(text, "utf-8")
        plain.write_text(plain_list(some), "utf-8")
        opened: list[float] = []
        baseline: list[float] = []
        searched: list[float] = []
        for _ in range(given.runs):
            baseline.append(seconds(browser, plain, _PAINTED))
            opened.append(seconds(browser, page, _PAINTED))
            searched.append(seconds(browser, page, _SEARCHED))
        print(f"{given.memories:,} memories, {len(text) / 1e6:.1f} MB, made in {made:.2f} s of CPU")
        print(f"median of {given.runs}, Chromium {browser.version}\n")
    ours, least = median(opened), median(baseline)
    print("| what | s | plain list, s | ratio |\n|---|--:|--:|--:|")
    print(f"| open | {ours:.2f} | {least:.2f} | {ours / least:.2f} |")
    print(f"| search | {median(searched):.2f} | | |")


def seconds(browser: Any, path: Path, script: str) -> float:
    """What a script gives on a page that was just opened, in seconds."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    page = context.new_page()
    page.goto(path.as_uri(), wait_until="commit")
    page.wait_for_selector(".ready .memory, li.plain", state="attached")
    found = page.evaluate(script)
    context.close()
    return float(found) / 1000


def memories(number: int) -> list[Memory]:
    """Memories of 40 to 400 signs over three years."""
    chance = random.Random(4)
    things = ["bicycle", "kettle", "invoice", "server", "dentist", "garden", "train", "novel", "piano", "tax"]
    places = ["Berlin", "Oslo", "the cellar", "Ann's flat", "room 12", "the café", "Lisbon", "the office"]
    made = []
    for place in range(number):
        at = NOW - timedelta(days=chance.random() * 1000)
        said = f"The {chance.choice(things)} in {chance.choice(places)} was seen to by number {place}"
        text = said + ", as was said before, and will be again" * chance.choice([0, 0, 1, 2, 8])
        made.append(
            Memory(
                id=derived_id(f"memory {place}", at),
                kind=chance.choice(KINDS),
                text=text,
                tags=(f"tag{chance.randrange(40)}",),
                happened_at=at,
                created_at=at,
                updated_at=at,
            )
        )
    return sorted(made, key=lambda each: each.happened_at, reverse=True)


def content(some: list[Memory]) -> dict[str, Any]:
    """What `mem page` puts into the page of these, with a graph of a tenth as many links."""
    names = [f"Entity {number}" for number in range(max(2, len(some) // 20))]
    links = [
        {"from": number % len(names), "to": number * 7 % len(names), "relation": "knows"}
        for number in range(len(some) // 10)
    ]
    return {
        "made": "2026-11-20T00:00:00.000Z", "kinds": list(KINDS),
        "memories": [memory_content(memory, NOW, ()) for memory in some],
        "graph": {"entities": [{"name": name} for name in names], "links": links},
    }  # fmt: skip


def plain_list(some: list[Memory]) -> str:
    """The least that shows these texts: a list, and no more."""
    items = "\n".join(
        f'<li class="plain">{memory.happened_at:%Y-%m-%d} {memory.kind}: {html.escape(memory.text)}</li>'
        for memory in some
    )
    return f'<!doctype html><meta charset="utf-8"><title>Memories</title><ol>\n{items}\n</ol>\n'


if __name__ == "__main__":
    main()
