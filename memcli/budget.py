"""A page that fits: whole memories, best first, never more tokens than asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

# Where no tokenizer is at hand. English prose has about four characters a token in the
# vocabularies of current models, code and other scripts fewer: three is the safe side.
CHARACTERS_A_TOKEN = 3
SHORTENED = "… [shortened]"


class Item(NamedTuple):
    """One memory as it will be printed, and the heading that it stands under (or none)."""

    text: str
    heading: str = ""


class Page(NamedTuple):
    """The items that fit, best first, how many did not, and what all of it costs in tokens."""

    items: list[Item]
    cut: int
    tokens: int


def estimate(text: str) -> int:
    """Tokens of a text without a tokenizer: a third of its UTF-8 bytes, rounded up."""
    return -(-len(text.encode("utf-8")) // CHARACTERS_A_TOKEN)


def fit(
    items: Sequence[Item], budget: int | None, count: Callable[[str], int], frame: Sequence[str] = ()
) -> Page:
    """As many of `items`, best first, as `budget` tokens hold beside the `frame`; all without one.

    One that does not fit is left out, and a shorter one after it may come in;
    a first one that is too long alone is shortened and marked so. All that
    will be printed counts: frame, headings, a token for each line end.
    """
    if budget is None:
        return Page(list(items), 0, 0)

    def cost(text: str) -> int:
        return count(text) + 1 + text.count("\n")

    spent = sum(cost(line) for line in frame)
    kept: list[Item] = []
    for item in items:
        new_heading = item.heading and item.heading not in {each.heading for each in kept}
        heading = cost(item.heading) if new_heading else 0
        room = budget - spent - heading
        text = item.text
        if cost(text) > room and not kept:
            text = _shortened(text, room, cost)
        if text and cost(text) <= room:
            kept.append(item._replace(text=text))
            spent += heading + cost(text)
    return Page(kept, len(items) - len(kept), spent if kept else 0)


def _shortened(line: str, room: int, cost: Callable[[str], int]) -> str:
    """The longest head of the line that fits with its mark; empty where not even a word does."""
    low, high = 0, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        if cost(line[:middle].rstrip() + SHORTENED) <= room:
            low = middle
        else:
            high = middle - 1
    head = line[:low].rsplit(" ", 1)[0] if low < len(line) else line
    return head.rstrip() + SHORTENED if head.strip() and low else ""
