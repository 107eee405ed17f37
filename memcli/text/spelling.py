"""Names and words that were mistyped: which of those that there are may have been meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memcli.text.expressions import expression

# Of difflib's likeness (Ratcliff and Obershelp), as the field uses it for commands.
_LIKE = 0.6
# The words of an index are many, so they have to be more alike.
_LIKE_WORD = 0.7
# A word that begins with what was asked may be meant by it ("infra"), or be another ("bank", "bankruptcy").
_BEGUN = 0.9
# The index holds stems: `stage` is nearer to `stagg` than to `stagging`.
_ENDING = expression(r"(?:ing|ed|es|s)$")


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that is written most like one; None where none is near."""
    from difflib import get_close_matches

    written: dict[str, str] = {}
    for each in known:
        # Nobody means the name that was not found.
        if each != name:
            written.setdefault(each.casefold(), each)
    wanted = name.casefold()
    near = get_close_matches(wanted, written, n=1, cutoff=_LIKE)
    near = near or [each for each in written if len(wanted) > 2 and (wanted in each or each in wanted)][:1]
    return written[near[0]] if near else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """To follow what says that there is no such name: "did you mean 'deploy'? ", or nothing."""
    near = nearest_name(name, known)
    return f"did you mean {near!r:.60}? " if near else ""


def words_like(word: str, terms: Sequence[str], limit: int) -> list[str]:
    """The terms of an index that begin with a word or are spelled nearly as it is, the likeliest first."""
    from difflib import get_close_matches

    longer = [term for term in terms if term.startswith(word)]
    close = get_close_matches(word, terms, n=limit, cutoff=_LIKE_WORD)
    stem = _ENDING.sub("", word)
    close += get_close_matches(stem, terms, n=limit, cutoff=_LIKE_WORD) if len(stem) > 3 else []
    return list(dict.fromkeys([*sorted(longer, key=len), *close]))[:limit]


def likeness(word: str, term: str) -> float:
    """How alike a folded word, or its stem, and an indexed one are, 0 to 1."""
    from difflib import SequenceMatcher

    if word != term and term.startswith(word):
        return _BEGUN
    return max(SequenceMatcher(None, each, term).ratio() for each in (word, _ENDING.sub("", word)))
