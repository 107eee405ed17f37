"""Plain words are read before all else for their speed: no text has other tokens for it."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

from memcli.text.english import tokens
from memcli.text.kept import STATEMENT

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


def test_a_statement_has_the_tokens_by_its_stretches_that_it_has_as_a_whole() -> None:
    odd = [
        "2 * 3 is 6", "at 5 pm", "at 5 p.m. sharp", "5  pm", "SHELL A IS OPEN", "Is it 5 vs 3? Yes", "5 - kg",
        "12 lb of flour", "12 , lb", "... Who", "\u3000東京 タワー\u2003Ende", "a\x1cb", "'' A", "€ 5",
    ]  # fmt: skip
    for text in [*odd, *_texts()]:
        if len(text) <= STATEMENT:
            plain = tokens._normalised(text)
            whole = tokens._read_stretch(plain, tokens._Before(shouted=plain.isupper())).tokens
            assert tokens.tokenize(text) == whole, text
