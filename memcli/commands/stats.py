"""`mem stats`: count what is in the store, and how it is used."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memcli import times
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories
from memcli.text import printable

if TYPE_CHECKING:
    from memcli.upkeep.statistics import Growth

EXAMPLES = """
mem stats
mem stats --all-spaces --json | jq .
"""
# The width of labels, the longest bar, and the most periods of a plot.
_LABEL = 17
_BAR, _PERIODS = 32, 52


def command(
    space: options.Space = None,
    all_spaces: options.AllSpaces = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Count what is in the space, or in the whole store, and how it is used.

    On a terminal, small plots show growth, recalls over time, and kinds.
    """
    from memcli.upkeep.statistics import growth, store_statistics

    plots = output.stdout_is_terminal() and not json
    with opened_memories(db, space) as memories:
        figures = store_statistics(memories, all_spaces=all_spaces)
        grown = growth(memories, all_spaces=all_spaces, most=_PERIODS) if plots else None
    if json:
        output.to_stdout(printable.json_line(figures))
        return
    for name, value in figures.items():
        label = name.replace("_", " ")
        if isinstance(value, dict):
            shown = ", ".join(f"{key} {_number(number)}" for key, number in value.items())
            output.to_stdout(f"{label:<{_LABEL}} {printable.one_line(shown) or '-'}")
        else:
            output.to_stdout(f"{label:<{_LABEL}} {printable.one_line(_number(value))}")
    if grown:
        _plot(grown, figures["by_kind"])


def _plot(grown: "Growth", kinds: dict[str, int]) -> None:
    """Print plots for people; each line fits the terminal."""
    from memcli.commands.terminal.tables import console

    shown = console()
    shown.print()
    for label, plot, told in _plots(grown, kinds, shown.width):
        from rich.text import Text

        parts = (f"{label:<{_LABEL}} ", (plot, "cyan"), f"{told}")
        shown.print(Text.assemble(*parts), no_wrap=True, overflow="crop")


def _plots(grown: "Growth", kinds: dict[str, int], width: int) -> Iterator[tuple[str, str, str]]:
    """Yield for each line its label, its plot, and the text after it."""
    from memcli.views.plots import bar, is_plain, sparkline

    plain = is_plain()
    room = max(1, width - _LABEL - len("  0,000,000 in all") - 1)
    for label, values in ((f"added, by {grown.unit}", grown.added), ("last recalled", grown.used)):
        few = values[-room:]
        yield label, sparkline(few, plain=plain), f"  {sum(few):,}"
    begins = f"from {times.local_day(grown.begins)}" if len(grown.added) <= room else f"the last {room}"
    yield "", "", f"{begins}, up to {max(grown.added):,} a {grown.unit}"
    most = max(kinds.values(), default=0)
    for kind, number in sorted(kinds.items(), key=lambda each: -each[1]):
        yield printable.one_line(kind), bar(number, most, min(_BAR, room), plain=plain), f"  {number:,}"


def _number(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "-" if value is None else str(value)
