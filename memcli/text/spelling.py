"""Spelling: which of the known names and words a mistyped one may have meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memcli.text.expressions import expression

# The least similarity by difflib (Ratcliff and Obershelp), as is common for mistyped commands.
_LIKE = 0.6
# The same for the words of an index, which are many.
_LIKE_WORD = 0.7
# The likeness of a word that begins with another: it may be meant ("infra"), or not ("bank", "bankruptcy").
_BEGUN = 0.9
# The index holds stems: `stage` is nearer to `stagg` than to `stagging`.
_ENDING = expression(r"(?:ing|ed|es|s)$")


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name with the most similar spelling; None if none is near."""
    from difflib import get_close_matches

    written: dict[str, str] = {}
    for each in known:
        # The name itself was not found, so it is not meant.
        if each != name:
            written.setdefault(each.casefold(), each)
    wanted = name.casefold()
    near = get_close_matches(wanted, written, n=1, cutoff=_LIKE)
    near = near or [each for each in written if len(wanted) > 2 and (wanted in each or each in wanted)][:1]
    return written[near[0]] if near else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return "did you mean 'deploy'? " for the nearest name, to follow an error; else an empty string."""
    near = nearest_name(name, known)
    return f"did you mean {near!r:.60}? " if near else ""


def words_like(word: str, terms: Sequence[str], limit: int) -> list[str]:
    """Return the terms of an index that begin with a word or are spelled similarly, the likeliest first."""
    from difflib import get_close_matches

    longer = [term for term in terms if term.startswith(word)]
    close = get_close_matches(word, terms, n=limit, cutoff=_LIKE_WORD)
    stem = _ENDING.sub("", word)
    close += get_close_matches(stem, terms, n=limit, cutoff=_LIKE_WORD) if len(stem) > 3 else []
    return list(dict.fromkeys([*sorted(longer, key=len), *close]))[:limit]


def likeness(word: str, term: str) -> float:
    """Return the similarity of a folded word, or its stem, to an indexed one, 0 to 1."""
    from difflib import SequenceMatcher

    if word != term and term.startswith(word):
        return _BEGUN
    return max(SequenceMatcher(None, each, term).ratio() for each in (word, _ENDING.sub("", word)))
