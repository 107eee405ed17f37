"""`mem stats`: what is in the store."""

from __future__ import annotations

from typing import Any

from memcli.commands.terminal import options, output
from memcli.text import printable

EXAMPLES = """
mem stats
mem stats --all-spaces --json | jq .
"""


def command(
    space: options.Space = None,
    all_spaces: options.AllSpaces = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Count what is in the space, or in the whole store, and how it is used."""
    from memcli.upkeep.statistics import store_statistics

    with options.opened_memories(db, space) as memories:
        figures = store_statistics(memories, all_spaces=all_spaces)
    if json:
        output.to_stdout(printable.json_line(figures))
        return
    for name, value in figures.items():
        label = name.replace("_", " ")
        if isinstance(value, dict):
            shown = ", ".join(f"{key} {_number(number)}" for key, number in value.items())
            output.to_stdout(f"{label:<17} {printable.one_line(shown) or '-'}")
        else:
            output.to_stdout(f"{label:<17} {printable.one_line(_number(value))}")


def _number(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "-" if value is None else str(value)
