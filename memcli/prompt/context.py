"""Context for an LLM in a pipe: a marked block, with every memory as a line that names its source.

The texts in it are data: none of them can close the block or pretend to be part of its frame, and by the mark
memcli recognises its own words when they come back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from memcli import ids, times
from memcli.model import Memory, outcome_counts, speaker_of
from memcli.prompt import formats
from memcli.text.expressions import expression
from memcli.text.printable import one_line, printable
from memcli.text.task_items import DONE

_ATTRIBUTE_SHOWN = 200
EXTRACT_HEAD = expression(rf"^(?:\d{{4}}-\d\d-\d\d|{re.escape(formats.UNDATED)}) [^:\n]+: ", re.MULTILINE)
"""Matches what `extract_head` writes; a summary by an LLM has no such heads."""


def block_frame(query: str, space: str) -> tuple[str, str, str]:
    """Return the lines around the memories: two above, one below. An empty query is not named."""
    return marked("memories", space=space, **({"query": query} if query else {}))


def marked(mark: str, **attributes: str) -> tuple[str, str, str]:
    """Return the lines around a block of this mark: its opening, its notice, its end."""
    named = " ".join(f'{name}="{mark_attribute(value)}"' for name, value in attributes.items())
    opened = formats.OPEN.format(mark=mark, attributes=named)
    return opened, formats.NOTICES[mark], formats.CLOSE.format(mark=mark)


def nothing_block(query: str, space: str) -> str:
    """Return the block for a question without an answer."""
    opened, _, closed = block_frame(query, space)
    return "\n".join([opened, formats.NOTHING, closed])


def memory_entry(
    memory: Memory,
    around: Sequence[Memory] = (),
    *,
    past: bool = False,
    due: datetime | None = None,
    weak: bool = False,
    updated_by: str | None = None,
    of_space: bool = False,
    over: datetime | None = None,
) -> str:
    """Return a memory as a line, with the turns `around` it indented below.

    `past`: it is no longer true; `due`: the day on which it falls due; `weak`: it is near, but no sure
    answer; `updated_by`: the id of a memory that probably changes its value; `of_space` adds the name of its
    space; `over`: since when it is no longer true by its own words.
    """
    turns = (
        formats.TURN.format(text=marked_text(fenced_text(one_line(turn.text)), trusted=turn.trusted))
        for turn in around
        if turn.id != memory.id
    )
    return "\n".join([_line(memory, past, due, weak, updated_by, of_space, over), *turns])


def text_entry(text: str, *, trusted: bool = True) -> str:
    """Return a text that is no memory as a line, marked if it is untrusted."""
    return formats.NOTE.format(text=marked_text(fenced_text(text), trusted=trusted))


def told_day(memory: Memory) -> str:
    """Return the day of a memory, or "undated" if it was imported without a time."""
    return formats.UNDATED if "undated" in memory.data else times.local_day(memory.happened_at)


def extract_head(turn: Memory) -> str:
    """Return what precedes each sentence of a turn in an extract: its day and speaker."""
    return formats.EXTRACT.format(day=told_day(turn), speaker=speaker_of(turn) or "note")


def without_extract_heads(summary: str) -> str:
    """Return the sentences of an extract without their heads; any other text as it is."""
    return EXTRACT_HEAD.sub("", summary)


def told_minute(memory: Memory) -> str:
    """Return when a memory happened, to the minute; `UNDATED` if it was imported without a time."""
    return formats.UNDATED if "undated" in memory.data else times.local_time(memory.happened_at)


def marked_text(text: str, *, trusted: bool) -> str:
    """Return a text as printed without brackets: with a mark if it is untrusted."""
    return text if trusted else formats.UNTRUSTED_TEXT.format(text=text)


def states_told(memory: Memory) -> list[str]:
    """Return the tags of a memory that say that something is over: done, closed, cancelled."""
    return [tag for tag in DONE if tag in memory.tags]


def _line(
    memory: Memory,
    past: bool,
    due: datetime | None,
    weak: bool,
    updated_by: str | None,
    of_space: bool,
    over: datetime | None,
) -> str:
    where = [formats.OF_SPACE.format(space=one_line(memory.space))] if of_space else []
    about = [ids.short_id(memory.id), told_day(memory), *where]
    if not memory.trusted:
        # Before its session, whose name is untrusted as well.
        about.append(formats.UNTRUSTED)
    if memory.session:
        about.append(formats.OF_SESSION.format(session=one_line(memory.session)))
    if memory.confidence < 1:
        about.append(formats.CONFIDENCE.format(confidence=memory.confidence))
    if memory.valid_from:
        about.append(formats.FROM.format(day=times.local_day(memory.valid_from)))
    if ends := memory.valid_until or (memory.ended_at if past else None):
        about.append(formats.UNTIL.format(day=times.local_day(ends)))
    if past:
        about.append(formats.PAST)
    about += states_told(memory)
    if updated_by:
        about.append(formats.UPDATED.format(stranger=ids.short_id(updated_by)))
    dated = ((formats.OVER_SINCE, over), (formats.DUE, due))
    about += [formats.WEAKLY] if weak else []
    about += [form.format(day=times.local_day(day)) for form, day in dated if day]
    told = fenced_text(memory.text + further(memory) + outcomes(memory))
    return formats.MEMORY.format(about=formats.BETWEEN.join(about), text=told)


def further(memory: Memory) -> str:
    """Return what a policy or a procedure has in a context beside its text."""
    said = memory.data
    if memory.kind == "policy":
        parts = [
            str(said.get("enforcement") or ""),
            *(
                f"{word} {' or '.join(map(str, conditions))}"
                for word in ("when", "unless")
                if isinstance(conditions := said.get(word), list) and conditions
            ),
            f"because {said['why']}" if said.get("why") else "",
        ]
        told = "; ".join(part for part in parts if part)
        return f" ({told})" if told else ""
    if memory.kind != "procedure":
        return ""
    steps, checks, tools = (
        each if isinstance(each := said.get(name), list) else [] for name in ("steps", "checks", "tools")
    )
    lines = [f"{number}. {step}" for number, step in enumerate(steps, start=1)]
    lines += [formats.CHECKS.format(text="; ".join(map(str, checks)))] if checks else []
    lines += [formats.TOOLS.format(text=", ".join(map(str, tools)))] if tools else []
    return "".join(f"\n{line}" for line in lines)


def outcomes(memory: Memory) -> str:
    """Return how often a procedure worked, on a line of its own; empty if nobody has reported."""
    worked, failed = outcome_counts(memory.data) if memory.kind == "procedure" else (0, 0)
    return f"\n{formats.WORKED.format(count=worked, total=worked + failed)}" if worked + failed else ""


def fenced_text(text: str, mark: str = "memories") -> str:
    """Return a text as a line of data that closes no block, its further lines indented."""
    return unclosing_text(text, mark).replace("\n", formats.CONTINUED)


def unclosing_text(text: str, mark: str = "memories") -> str:
    """Return a text that closes neither the block of this mark nor a block of memories around it."""
    shown = printable(text).strip()
    if "<" not in shown:
        return shown
    return re.sub(rf"<(?=/?\s*(?:memories|{mark}))", "‹", shown, flags=re.IGNORECASE)


def mark_attribute(text: str) -> str:
    """Return a text as the value of an attribute of a mark: on one line, and escaped."""
    shown = one_line(text, _ATTRIBUTE_SHOWN)
    for character, entity in (("&", "&amp;"), ('"', "&quot;"), ("<", "&lt;"), (">", "&gt;")):
        shown = shown.replace(character, entity)
    return shown
