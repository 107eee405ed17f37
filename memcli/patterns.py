"""Regular expressions of the owner's, matched in time linear in the text.

By RE2 (https://github.com/google/re2), not by Python's `re`: that backtracks,
so `(a+)+$` may take for ever on thirty letters, and it knows no timeout.
Telling which expressions can hang by looking at them is guesswork; with RE2
none can. The price is that it has no lookaround and no backreferences.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from memcli.errors import BadInput

if TYPE_CHECKING:
    from re2 import Options

# Longer ones are programs; RE2 bounds what a short one can grow to (`(a{1000}){1000}`) by memory.
MAX_PATTERN = 1000


def check_pattern(pattern: str, what: str = "pattern") -> str:
    """`pattern` if it can be matched, else BadInput with the reason."""
    if not pattern.strip():
        raise BadInput(f"{what}: an empty one matches everything; write what to look for")
    if len(pattern) > MAX_PATTERN:
        raise BadInput(f"{what}: {len(pattern):,} characters, the limit is {MAX_PATTERN:,}; give several")
    import re2

    try:
        re2.compile(pattern, _options())
        _compiled(pattern)
    except (re2.error, UnicodeEncodeError) as error:
        said = error.args[0] if error.args else "not readable"
        reason = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
        raise BadInput(
            f"{what} '{pattern:.80}': {reason} (RE2 syntax: no lookaround, no backreferences)"
        ) from error
    return pattern


def first_match(patterns: Iterable[str], text: str) -> str | None:
    """The first of these that is found in `text`, or None; case is ignored, `^` and `$` are of lines.

    The text is looked at as it is, and once more on one line with look-alike
    signs folded (NFKC), so that a line break or a wide letter hides nothing.
    """
    text = text.encode("utf-8", "replace").decode()
    texts = dict.fromkeys((text, " ".join(unicodedata.normalize("NFKC", text).split())))
    for pattern in patterns:
        compiled = _compiled(pattern)
        if any(compiled.search(each) for each in texts):
            return pattern
    return None


def _compiled(pattern: str) -> Any:
    import re2

    # RE2 keeps the last 128 that it compiled.
    return re2.compile(f"(?m){pattern}", _options())


def _options() -> Options:
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return options
