"""Left-out records: report what is not restored from a copy because it was forgotten for good."""

from collections.abc import Sequence

from memcli.commands.terminal import output
from memcli.text import printable

# At most so many are named; `--json` has all.
_NAMED = 8


def tell_left_out(addresses: Sequence[str]) -> None:
    """Say on stderr which memories, links and keyed values are left out, if any; not what they said."""
    if addresses:
        named = ", ".join(map(printable.one_line, addresses[:_NAMED]))
        more = f" and {len(addresses) - _NAMED:,} more" if len(addresses) > _NAMED else ""
        output.to_stderr(f"left out, as it was forgotten for good, or quotes or leads to that: {named}{more}")
