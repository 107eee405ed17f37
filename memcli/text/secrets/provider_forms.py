"""Provider formats: credentials recognised by their own form, as their providers publish it.

The forms are data: `provider_forms.txt`, one form per line, which itself says how it is read. A keyword is
looked for before its pattern is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from memcli.named_tuple import NamedTuple
from memcli.text.secrets.randomness import is_stand_in

Span = tuple[int, int, str, str]

# Between the lines of an armoured key: line ends, or their escapes in a JSON text.
_BETWEEN = r"(?:[\s\"'`,+|>#*]|\\[nr])"
_SHORTHANDS = {
    "word": r"[A-Za-z0-9_-]",
    "alnum": r"[A-Za-z0-9]",
    "hex": r"[0-9a-f]",
    "uuid": r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "end": r"(?![A-Za-z0-9])",
    "close": rf"(?:{_BETWEEN}{{0,8}}-----END [A-Za-z0-9 ]{{1,40}}-----)?",
    "armour": rf"(?:{_BETWEEN}{{0,8}}(?:[A-Z][A-Za-z-]{{2,20}}: [^\n\\]{{1,80}}|[A-Za-z0-9+/=]{{8,4000}}|=[\w+/]{{4}})){{1,400}}",
}
# A token begins where no letter or digit precedes, except the n of an escaped line end.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"


class Form(NamedTuple):
    """The form of one kind of credential: a line of the file."""

    rule: str
    name: str
    keywords: tuple[str, ...]
    example: str
    source: str
    pattern: str


def provider_secrets(text: str) -> Iterator[Span]:
    """Yield every credential of a known form as (start, end, rule, name), the most specific forms first."""
    found = {place for keyword, places in _by_keyword().items() if keyword in text for place in places}
    for form in map(table().__getitem__, sorted(found)):
        pattern = compiled(form.pattern)
        for match in pattern.finditer(text):
            group = "secret" if "secret" in pattern.groupindex and match["secret"] else 0
            if not is_stand_in(match[group]):
                yield *match.span(group), form.rule, form.name


@cache
def table() -> tuple[Form, ...]:
    """Return the forms, read from the packaged file."""
    lines = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    return tuple(_form(line) for line in lines if line and not line.startswith("#"))


def _form(line: str) -> Form:
    rule, name, keywords, example, source, pattern = line.split("  ", 5)
    return Form(rule, name, tuple(keywords.split(" ")), example, source, pattern)


@cache
def _by_keyword() -> dict[str, list[int]]:
    """Return the positions of the forms in the table, by keyword."""
    places: dict[str, list[int]] = {}
    for place, form in enumerate(table()):
        for keyword in form.keywords:
            places.setdefault(keyword, []).append(place)
    return places


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern of the table, with its shorthands expanded, at the beginning of a token."""
    written = re.sub(f"<({'|'.join(_SHORTHANDS)})>", lambda short: _SHORTHANDS[short[1]], pattern)
    start = "" if pattern.startswith("-") else _START
    return re.compile(f"{start}(?:{written})")
