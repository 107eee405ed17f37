"""Scripts: which texts the judges can read: all their training data is in Latin letters.

In a sentence of another script a judge recognises no words, only lengths, and is sure all the same: it took
"周五禁止部署" ("never deploy on Fridays") for an "ok".
"""

from __future__ import annotations

from memcli.text.expressions import expression
from memcli.text.naming.names import RUN_ON

# At most so many characters of a text are examined, as by the judges.
_READ = 600
_LETTER = expression(r"[^\W\d_]")
_LATIN = expression("[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]")
_WORD = expression(rf"[{RUN_ON}]|[^\W_{RUN_ON}]+")
# "ok", "thanks" and "hello" have at most so many words in every script; a statement is longer.
_BRIEF = 4


def is_taught(text: str) -> bool:
    """True if the judges can read a text: at least half of its letters are Latin, or it has no letters."""
    text = text[:_READ]
    return text.isascii() or 2 * len(_LATIN.findall(text)) >= len(_LETTER.findall(text))


def is_brief(text: str) -> bool:
    """True if a text has no more words than an "ok"; in a script without spaces each character counts."""
    return len(_WORD.findall(text[:_READ])) <= _BRIEF
