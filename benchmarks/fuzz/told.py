"""Whether a run of many inputs told them apart: each was taken in, or named; none kept the others out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.fuzz.inputs import Input

_NAMED = re.compile(r"(?:^|: )line (\d+): ", re.MULTILINE)


def untold(given: Input, out: str, err: str) -> str | None:
    """What is not told of the lines of a run; None where all is, or nothing can be."""
    check = _CHECKS.get(given.door)
    return check(given, out, err) if check else None


def _numbered(given: Input) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, as whoever reads them counts, from 1."""
    for number, line in enumerate(given.piped.split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _object(line: bytes, *, strict: bool = False) -> dict[str, Any] | None:
    try:
        value = json.loads(line.decode("utf-8-sig"), strict=strict)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _end(err: str) -> str:
    """What a command ended with, in short: the quoted parts differ by input."""
    [*_, last] = err.splitlines() or ["without a word"]
    said = _records(last)[0].get("message", "") if _records(last) else last
    return re.sub(r"'[^']*'|\"[^\"]*\"|\d+|[0-9A-Z]{26}", "…", said)[:80]


def _records(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def _each_decided_or_named(given: Input, out: str, err: str) -> str | None:
    told = {each["line"] for each in _records(out)} | {int(each) for each in _NAMED.findall(err)}
    left = [number for number, _ in _numbered(given) if number not in told]
    return f"lines neither decided nor named, {_end(err)}" if left else None


def _unreadable_named(given: Input, out: str, err: str) -> str | None:
    """What is no JSON object is named by its line, and there is a report of the others."""
    if not _records(out):
        return f"one line kept all others out, {_end(err)}"
    told = {int(each) for each in _NAMED.findall(err)}
    left = [number for number, line in _numbered(given) if _object(line) is None and number not in told]
    return "unreadable lines not named" if left else None


def _requests_answered(given: Input, out: str, err: str) -> str | None:
    if "internal error" in out:
        [*_, place] = [line for line in err.splitlines() if " at " in line] or ["?"]
        return f"internal error: {place.rpartition('/')[2]}"
    answered = {str(each.get("id")) for each in _records(out)}
    asked = [request for _, line in _numbered(given) if (request := _object(line, strict=True))]
    left = [each for each in asked if _wants_answer(each) and str(each["id"]) not in answered]
    return "requests without an answer" if left else None


def _wants_answer(message: dict[str, Any]) -> bool:
    """Whether it is a request of JSON-RPC, by an id that one may have."""
    known = message.get("id")
    is_request = isinstance(message.get("method"), str) and message.get("jsonrpc") == "2.0"
    return is_request and isinstance(known, str | int) and not isinstance(known, bool)


_CHECKS: dict[str, Callable[[Input, str, str], str | None]] = {
    "batch lines": _each_decided_or_named,
    "import lines": _unreadable_named,
    "transcript lines": _unreadable_named,
    "importer lines": _unreadable_named,
    "mcp messages": _requests_answered,
}
