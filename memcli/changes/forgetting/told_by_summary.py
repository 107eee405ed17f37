"""Summaries that tell forgotten turns: remove the lines that tell turns which are forgotten softly.

The summary keeps its other lines. A turn that it no longer tells is unfolded: if it is restored, it does
not expire before a summary tells it again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memcli.changes.forgetting.quotations import Excerpts
from memcli.memory_data import FOLDS, folded_ids, is_folded, is_summary, without_fold
from memcli.model import SUMMARY, Filter, Memory, as_ended, speaker_of
from memcli.prompt.context import EXTRACT_HEAD, extract_head
from memcli.scope import Scope

# The mark where a long sentence was shortened.
_GAP = re.compile(r"…(?: \[[^\]\n]*\])?(?: …)?")


def forget_folded_turns(scope: Scope, forgotten: Sequence[Memory], reason: str) -> list[str]:
    """End the folded turns among the forgotten memories, and take them out of the summaries that tell them.

    Returns the ids of the summaries that tell nothing else, which the caller has to end. Runs in the
    caller's transaction, as a part of one change; a summary that lost a line is embedded again later.
    """
    turns = [each for each in forgotten if each.session and each.ended_at is None and is_folded(each)]
    now = scope.now()
    ended = [as_ended(_unfolded(each), now, "forgotten", reason) for each in turns]
    scope.store.put(ended, scope.change("end", reason), now)
    emptied: list[str] = []
    chosen, change = {each.id for each in forgotten}, scope.change("fold", reason)
    for space, session in dict.fromkeys((each.space, str(each.session)) for each in turns):
        where = Filter(spaces=(space,), kinds=("episode",), sessions=(session,), live=False)
        episodes = list(scope.store.select(where))
        staying = [
            each
            for each in episodes
            if each.id not in chosen and each.ended_as != "forgotten" and speaker_of(each) != SUMMARY
        ]
        gone = [each for each in turns if (each.space, each.session) == (space, session)]
        for summary in _in_force(episodes, chosen):
            told = [each for each in gone if each.trusted == summary.trusted]
            after = without_turns(summary, told, staying) if told else summary
            if after is None:
                emptied.append(summary.id)
            elif after != summary:
                scope.store.put([replace(after, updated_at=now)], change, now)
    return emptied


def without_turns(summary: Memory, gone: Sequence[Memory], others: Sequence[Memory]) -> Memory | None:
    """Return a summary without the lines that tell turns that are `gone`; None if no line is left.

    A line that one of the `others`, the turns that stay, says on the same day as well is kept.
    """
    lines = [line for line in _told_lines(summary.text) if not _tells(line, gone, others)]
    if not any(line.strip() for line in lines):
        return None
    lost = {each.id for each in gone}
    turns = summary.data.get("turns")
    data = dict(summary.data)
    if is_summary(summary):
        data[FOLDS] = [each for each in folded_ids(summary) if each not in lost]
    if isinstance(turns, int):
        data["turns"] = max(turns - len(gone), 1)
    return replace(summary, text="\n".join(lines), data=data)


def _told_lines(text: str) -> list[str]:
    """Return the lines of a summary; a line that continues after a gap is joined to the one before."""
    lines: list[str] = []
    goes_on = False
    for line in text.split("\n"):
        if lines and (goes_on or _GAP.fullmatch(line)):
            lines[-1] += f"\n{line}"
        else:
            lines.append(line)
        goes_on = bool(_GAP.fullmatch(line))
    return lines


def _in_force(episodes: Sequence[Memory], chosen: set[str]) -> Iterator[Memory]:
    for each in episodes:
        if speaker_of(each) == SUMMARY and each.ended_at is None and each.id not in chosen:
            yield each


def _tells(line: str, gone: Sequence[Memory], others: Sequence[Memory]) -> bool:
    """True if a line of a summary tells one of the turns that are gone, and none that stays."""
    if not (head := EXTRACT_HEAD.match(line)):
        # A line in the summary's own words: it tells a turn if it has a word that only the turn brought.
        return Excerpts(each.text for each in gone).lent_to(line, (each.text for each in others))
    said = line[head.end() :]
    theirs = [each.text for each in gone if line.startswith(extract_head(each))]
    staying = [each.text for each in others if line.startswith(extract_head(each))]
    if not theirs or any(_is_part(said, text) for text in staying):
        return False
    return any(_is_part(said, text) for text in theirs) or Excerpts(theirs).lent_to(said, staying)


def _is_part(said: str, text: str) -> bool:
    """True if a line is an extract of a text, with gaps where it was shortened."""
    whole = _flat(text)
    return all(_flat(piece) in whole for piece in _GAP.split(said))


def _flat(text: str) -> str:
    return " ".join(text.split())


def _unfolded(turn: Memory) -> Memory:
    return replace(turn, data=without_fold(turn), expires_at=None)
