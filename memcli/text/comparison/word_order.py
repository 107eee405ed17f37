"""Word order: whether the same words in another order exchange roles, or only moved."""

from __future__ import annotations

from memcli.text.comparison.alignment import Alignment, Difference, as_written, says_more, shared_tokens
from memcli.text.english.paraphrases import are_coordinated, is_inverted, possessing, possessors
from memcli.text.english.tokens import Token
from memcli.text.english.vocabulary import ARTICLES, CALENDAR


def order_difference(pair: Alignment) -> Difference | None:
    """Find the same words with other roles: "Ann likes Bob", "Bob likes Ann"; "Ann's boss", "my boss"."""
    if says_more(pair):
        return None
    ours, theirs = pair.new.once(possessing), pair.old.once(possessing)
    mine, yours = ours.keys() - theirs.keys(), theirs.keys() - ours.keys()
    if mine and yours:
        return Difference("value", "order", f"{theirs[min(yours)].shown} -> {ours[min(mine)].shown}")
    named = len(possessors(pair.new)) != len(possessors(pair.old))
    voice = pair.voice
    if voice == "swapped":
        return Difference("value", "order", f"{as_written(pair.old)} -> {as_written(pair.new)}")
    if voice == "alike" or is_inverted(pair.new, pair.old):
        return None
    moved, before = _moved(pair)
    if not moved or _moves_freely(moved, before, of=named and _belonging(pair)):
        return None
    return Difference("value", "order", f"{as_written(before)} -> {as_written(moved)}")


def _moved(pair: Alignment) -> tuple[list[Token], list[Token]]:
    """Return the shared words, new and old, without their common beginning and end."""
    new, old = shared_tokens(pair.new, pair.old), shared_tokens(pair.old, pair.new)
    while new and old and new[0].stem == old[0].stem:
        new, old = new[1:], old[1:]
    while new and old and new[-1].stem == old[-1].stem:
        new, old = new[:-1], old[:-1]
    return new, old


def _moves_freely(moved: list[Token], before: list[Token], of: bool) -> bool:
    """True if a block only stands elsewhere ("if it rains, we stay", "we stay if it rains").

    That changes nothing, unless two words of one kind exchanged places; these may do so if "and" joins them,
    or, with `of`, if one belongs to the other.
    """
    now, then = [t.stem for t in moved], [t.stem for t in before]
    if are_coordinated(*([t.stem for t in some if t.text not in ARTICLES] for some in (moved, before))):
        return True
    cut = next((n for n in range(1, len(then)) if then[n:] + then[:n] == now), None)
    if cut is None or (len(then) == 2 and not of and before[0].sort == before[1].sort):
        return False
    # "Alpha, beta, gamma" is another order.
    return (
        of or len(then) == 2 or any(_opens_block(t) for t in (before[0], before[cut], moved[len(then) - cut]))
    )


def _opens_block(token: Token) -> bool:
    return not token.content or token.sort == "number" or token.folded in CALENDAR


def _belonging(pair: Alignment) -> bool:
    """True if one says "the deadline of the project" where the other may say "the project's"."""
    return any(token.text in ("of", "for") for token in (*pair.new, *pair.old))
