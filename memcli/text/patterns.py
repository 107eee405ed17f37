"""Patterns: regular expressions of the owner's, matched in time linear in the text.

By RE2 (https://github.com/google/re2), not by Python's `re`, which backtracks: `(a+)+$` may take forever on
thirty letters, and there is no timeout. Telling which expressions can hang by inspection is guesswork; with
RE2 none can. The price is that it has no lookaround and no backreferences.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

from memcli.errors import BadInput
from memcli.text.expressions import expression

# The longest pattern, in characters; RE2 bounds the memory that a short one (`(a{1000}){1000}`) can take.
MAX_PATTERN = 1000


# A line continuation, as in a shell.
_CONTINUED = expression(r"\\\r?\n")
# Characters that Unicode (DerivedCoreProperties.txt) has as default ignorable, beside those of category Cf.
_INVISIBLE = frozenset(
    map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10)))
) | frozenset(map(chr, range(0xE0100, 0xE01F0)))
_LINES = "(?m)"  # `^` and `$` match at lines


class Patterns:
    """Compiled patterns: case is ignored, `^` and `$` match at lines.

    Raises BadInput, naming `what`, for a pattern that cannot be compiled.
    """

    def __init__(self, patterns: Iterable[str], what: str = "pattern") -> None:
        self._compiled = [(pattern, _compiled(pattern, what)) for pattern in patterns]

    def first(self, text: str) -> str | None:
        """Return the first pattern that is found in `text`, or None.

        The text is searched as it is, and once more joined to one line as a shell does, with look-alike
        characters folded (NFKC) and invisible ones removed: a line break, a wide letter or a zero-width space
        hides nothing.
        """
        if not self._compiled:
            return None
        text = text.encode("utf-8", "replace").decode()
        texts = dict.fromkeys((text, " ".join(_as_seen(text).split())))
        for pattern, compiled in self._compiled:
            if any(compiled.search(each) for each in texts):
                return pattern
        return None


def _as_seen(text: str) -> str:
    folded = unicodedata.normalize("NFKC", _CONTINUED.sub("", text))
    return "".join(
        character
        for character in folded
        if unicodedata.category(character) != "Cf" and character not in _INVISIBLE
    )


def check_pattern(pattern: str, what: str = "pattern") -> str:
    """Return `pattern` if it can be compiled; else raise BadInput with the reason."""
    Patterns([pattern], what)
    return pattern


def _compiled(pattern: str, what: str) -> Any:
    if not pattern.strip():
        raise BadInput(f"{what}: an empty one matches everything; write what to look for")
    if len(pattern) > MAX_PATTERN:
        raise BadInput(f"{what}: {len(pattern):,} characters, the limit is {MAX_PATTERN:,}; give several")
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    try:
        return re2.compile(_LINES + pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        said = error.args[0] if error.args else "not readable"
        reason = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
        reason = reason.replace(_LINES, "")
        raise BadInput(
            f"{what} '{pattern:.80}': {reason} (RE2 syntax: no lookaround, no backreferences)"
        ) from error
