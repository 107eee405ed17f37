"""Which texts the judges were taught to read: all that people labelled is written in Latin letters.

Of a sentence in another script a judge sees no words that it knows, only how long the pieces are, and is
sure all the same: it took "周五禁止部署" ("never deploy on Fridays") for an "ok".
"""

from __future__ import annotations

from memcli.text.expressions import expression
from memcli.text.naming.names import RUN_ON

# As much of a text is looked at as the judges read.
_READ = 600
_LETTER = expression(r"[^\W\d_]")
_LATIN = expression("[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]")
_WORD = expression(rf"[{RUN_ON}]|[^\W_{RUN_ON}]+")
# "ok", "thanks" and "hello" are as short in every script; a statement is longer.
_BRIEF = 4


def is_taught(text: str) -> bool:
    """Whether a judge can be asked about a text: at least half of its letters are Latin, or it has none."""
    text = text[:_READ]
    return text.isascii() or 2 * len(_LATIN.findall(text)) >= len(_LETTER.findall(text))


def is_brief(text: str) -> bool:
    """Whether a text has no more words than an "ok" in any script; of one without spaces each sign counts."""
    return len(_WORD.findall(text[:_READ])) <= _BRIEF
