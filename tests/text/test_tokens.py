"""Plain words are read before all else for their speed: no text has other tokens for it."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

from memcli.text.english import tokens

_ROOT = Path(__file__).parents[2]
_ODD = r"""
C++ and C# beat x != 1, a || b
5 pm. or 5p.m., U.S. A. B.
foo,[a-z]+ foo, [a-z]
a=b a =b key:\path
obj.close() obj. close ()
see /etc/passwd, src/a.py or src /a.py
don't, won't; it's
!ready v2 v 2
mail a.b@c.org, a .b@c.org
http:// http://x
snake_case snake _case
naïve Ünder straße. ſo
e.g. this
--force -R x -y
`quoted words` here
"""


def _texts() -> list[str]:
    files = chain((_ROOT / "docs").rglob("*.md"), (_ROOT / "memcli" / "text").rglob("*.py"))
    lines = (line for path in sorted(files) for line in path.read_text(encoding="utf-8").splitlines())
    return [_ODD, *_ODD.splitlines(), *[*dict.fromkeys(lines)][::5]]


def test_plain_words_are_found_where_words_were() -> None:
    quick = tokens._pattern()
    slow = re.compile(quick.pattern.removeprefix(tokens._PLAIN), quick.flags)
    assert slow.pattern != quick.pattern
    texts = _texts()
    assert len(texts) > 500
    for text in texts:
        found = [(match.lastgroup, match[match.lastgroup or 0]) for match in quick.finditer(text)]
        named = [("word" if sort == "plain" else sort, shown) for sort, shown in found]
        assert named == [(match.lastgroup, match[0]) for match in slow.finditer(text)]
