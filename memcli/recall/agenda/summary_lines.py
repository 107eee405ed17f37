"""Summary lines: those in a session's summary that promise something, or name a day to do it by.

A summary holds all that was said, and is no promise itself. If the turn behind a line is among the memories,
that is listed instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from memcli.model import SUMMARY, Memory, speaker_of
from memcli.text.dates.ahead import days_ahead, names_day
from memcli.text.expressions import expression
from memcli.text.kinds import is_promise
from memcli.text.words import fold_case

# The prefix of each sentence in an extract: the day, and who said it.
_SAID = expression(r"(?:\d{4}-\d\d-\d\d|undated) (?P<speaker>[^:\n]{1,40}): ")
_OTHERS = ("assistant", "system", "tool")
_FIRST_WORD = expression(r"\W*(\w+)")


def with_lines_of_summaries(memories: Sequence[Memory]) -> list[Memory]:
    """Return memories, each summary reduced to such lines of its owner's; empty ones are left out."""
    if not any(speaker_of(each) == SUMMARY for each in memories):
        return [*memories]
    told = {each.text.strip() for each in memories if speaker_of(each) != SUMMARY}
    found = []
    for each in memories:
        if speaker_of(each) != SUMMARY:
            found.append(each)
        elif lines := [*_open_lines(each, told)]:
            found.append(replace(each, text="\n".join(lines)))
    return found


def _open_lines(summary: Memory, told: Collection[str]) -> Iterator[str]:
    for line in summary.text.splitlines():
        said = _SAID.match(line)
        text = line[said.end() :].strip() if said else line.strip()
        if text in told or (said and said["speaker"].partition(",")[0] in _OTHERS):
            continue
        if is_promise(text) or _reminds(text) or _is_due(text, line, summary):
            yield line.strip()


def _reminds(text: str) -> bool:
    """True if it begins by asking for a reminder: "erinnere mich", "rappelle-moi", "recuérdame"."""
    from memcli.text.semantics.senses import has_sense  # few sessions have a summary

    first = _FIRST_WORD.match(fold_case(text))
    return first is not None and has_sense(first[1], "remind")


def _is_due(text: str, line: str, summary: Memory) -> bool:
    return names_day(text) and any(
        day.by and not day.lasting for day in days_ahead(line, summary.happened_at)
    )
