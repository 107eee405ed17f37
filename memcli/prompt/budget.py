"""Token budget: fit whole memories on a page, best first, never more tokens than asked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from memcli.named_tuple import NamedTuple
from memcli.text.printable import CUT

# The estimate without a tokenizer. English prose has about four characters a token in the vocabularies of
# current models, code and other scripts fewer: three is the safe side.
CHARACTERS_A_TOKEN = 3
SHORTENED = f"{CUT} [shortened]"
LONG_WORD = 24
# To shorten a text to some tokens, so many characters a token are tried first.
_CHARACTERS = 4.5


class Item(NamedTuple):
    """A memory as it will be printed, with the heading that it stands under (or none).

    `body` is the part that may be shortened, and `shown` prints the item with another body; by default the
    whole text is the body. An empty body cannot be shortened. `most` is the number of tokens that it may take
    before the other items have had their turn; `shorten` shortens a body to about so many characters.
    """

    text: str
    heading: str = ""
    body: str | None = None
    shown: Callable[[str], str] = str
    most: int | None = None
    shorten: Callable[[str, int], str] | None = None


class Page(NamedTuple):
    """The items that fit, best first, the positions of those that did not, and the cost in tokens."""

    items: list[Item]
    dropped: list[int]
    tokens: int


def estimate_tokens(text: str) -> int:
    """Return the tokens of a text without a tokenizer: a third of its UTF-8 bytes, rounded up."""
    return -(-len(text.encode("utf-8")) // CHARACTERS_A_TOKEN)


def fit_page(
    items: Sequence[Item], budget: int | None, count: Callable[[str], int], frame: Sequence[str] = ()
) -> Page:
    """Return as many of `items`, best first, as fit into `budget` tokens with the `frame`; all if None.

    An item that does not fit is dropped, and a shorter one after it may be kept; a first one that is too long
    by itself, and any that takes more than its `most`, is shortened and marked so. What is left at the end
    goes to those, in order. All that will be printed is counted: frame, headings, a token for each line end.
    """
    if budget is None:
        return Page(list(items), [], 0)

    def cost(text: str) -> int:
        return count(text) + 1 + text.count("\n")

    spent = sum(cost(line) for line in frame)
    kept: dict[int, Item] = {}
    dropped: list[int] = []
    for place, item in enumerate(items):
        new_heading = item.heading and item.heading not in {each.heading for each in kept.values()}
        heading = cost(item.heading) if new_heading else 0
        room = budget - spent - heading
        whole = cost(item.text)
        shown = item
        if item.most and whole > item.most:
            shown = _shortened(item, min(room, item.most), cost)
        elif whole > room and not kept:
            shown = _shortened(item, room, cost)
        if shown.text and cost(shown.text) <= room:
            kept[place] = shown
            spent += heading + cost(shown.text)
        else:
            dropped.append(place)
    for place, shown in kept.items():
        taken, room = cost(shown.text), budget - spent + cost(shown.text)
        if shown.text != items[place].text and room > taken:
            fits = cost(items[place].text) <= room
            longer = items[place] if fits else _shortened(items[place], room, cost)
            if taken < cost(longer.text) <= room:
                kept[place] = longer
                spent += cost(longer.text) - taken
    return Page(list(kept.values()), dropped, spent if kept else 0)


def least_tokens(item: Item, count: Callable[[str], int], frame: Sequence[str] = ()) -> int:
    """Return about how many tokens a page with one item takes at least, with a few words of it."""
    body = item.text if item.body is None else item.body
    text = item.shown(body[:LONG_WORD] + SHORTENED) if len(body) > LONG_WORD else item.text
    lines = [*frame, item.heading, *text.split("\n")]
    return sum(count(line) + 1 for line in lines if line)


def _shortened(item: Item, room: int, cost: Callable[[str], int]) -> Item:
    """Return the item with as much of its body as fits, marked; without text if not even a word fits."""
    body = item.text if item.body is None else item.body
    if item.shorten:
        return _shortened_by(item.shorten, item, body, room, cost)
    low, high = 0, len(body)
    while low < high:
        middle = (low + high + 1) // 2
        if cost(item.shown(beginning(body, middle) + SHORTENED)) <= room:
            low = middle
        else:
            high = middle - 1
    head = beginning(body, low)
    shown = item.shown(head + SHORTENED) if head else ""
    # A shorter head may cost more tokens if it ends inside a word.
    return item._replace(text=shown if cost(shown) <= room else "", body=head + SHORTENED)


def _shortened_by(
    shorten: Callable[[str, int], str], item: Item, body: str, room: int, cost: Callable[[str], int]
) -> Item:
    """Return the item, shortened by `shorten` (text, characters) until it costs at most `room` tokens.

    Each try is slow, so it starts from about what fits and tries ever smaller sizes. Without text if none
    fits.
    """
    size = min(len(body), int(room * _CHARACTERS))
    while size > LONG_WORD:
        short = shorten(body, size).rstrip() + SHORTENED
        shown = item.shown(short)
        if cost(shown) <= room:
            return item._replace(text=shown, body=short)
        size = int(size * min(0.9, room / cost(shown)))
    return item._replace(text="")


def beginning(text: str, size: int) -> str:
    """Return at most `size` characters of a text; no word is cut, nor a character from its marks."""
    if size >= len(text):
        return text.rstrip()
    while size and _belongs_to_the_one_before(text[size]):
        size -= 1
    head = text[:size]
    word = re.search(r"\s\S+$", head)
    # In a script without spaces, the last word may reach back to the beginning.
    if word and not text[size].isspace() and len(word[0]) <= LONG_WORD:
        head = head[: word.start()]
    return head.rstrip()


def _belongs_to_the_one_before(character: str) -> bool:
    """True for accents, vowel signs, joiners and skin tones, before which a text must not be cut."""
    joins = character in "\u200d\ufe0e\ufe0f" or "\U0001f3fb" <= character <= "\U0001f3ff"
    return joins or unicodedata.category(character).startswith("M")
