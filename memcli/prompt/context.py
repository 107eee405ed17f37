"""The context that an LLM CLI gets from a pipe: its mark, and every memory as a line with its source.

The texts stand inside as data: none of them can close the context or pretend to
be its frame, and the mark tells memcli its own words when they come back.
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
"""As `extract_head` writes it. What an LLM wrote has none."""


def block_frame(query: str, space: str) -> tuple[str, str, str]:
    """The lines around the memories: two above, one below. Without a query, none is named."""
    return marked("memories", space=space, **({"query": query} if query else {}))


def marked(mark: str, **attributes: str) -> tuple[str, str, str]:
    """The lines around a context of this mark: its opening, what it says of itself, its end."""
    named = " ".join(f'{name}="{mark_attribute(value)}"' for name, value in attributes.items())
    opened = formats.OPEN.format(mark=mark, attributes=named)
    return opened, formats.NOTICES[mark], formats.CLOSE.format(mark=mark)


def nothing_block(query: str, space: str) -> str:
    """The context of a question that nothing answers."""
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
    """A memory as a line, with the turns `around` it indented below.

    `past` says that it holds no longer, `due` on which day it falls due, `weak` that it is near and no more,
    `updated_by` which memory probably gives what it says another value (an id),
    `of_space` names its space, `over` says since when it is over by its own words.
    """
    turns = (
        formats.TURN.format(text=marked_text(fenced_text(one_line(turn.text)), trusted=turn.trusted))
        for turn in around
        if turn.id != memory.id
    )
    return "\n".join([_line(memory, past, due, weak, updated_by, of_space, over), *turns])


def text_entry(text: str, *, trusted: bool = True) -> str:
    """A text that is no memory as a line; marked where it is untrusted."""
    return formats.NOTE.format(text=marked_text(fenced_text(text), trusted=trusted))


def told_day(memory: Memory) -> str:
    """The day of a memory, as far as it is known: what was imported with a time that is none has none."""
    return formats.UNDATED if "undated" in memory.data else times.local_day(memory.happened_at)


def extract_head(turn: Memory) -> str:
    """What stands before each sentence of a turn in an extract: its day, and who spoke."""
    return formats.EXTRACT.format(day=told_day(turn), speaker=speaker_of(turn) or "note")


def without_extract_heads(summary: str) -> str:
    """An extract's sentences alone; any other text as it is."""
    return EXTRACT_HEAD.sub("", summary)


def told_minute(memory: Memory) -> str:
    """When a memory happened, to the minute; `UNDATED` of what was imported without a time."""
    return formats.UNDATED if "undated" in memory.data else times.local_time(memory.happened_at)


def marked_text(text: str, *, trusted: bool) -> str:
    """A text as it stands where there are no brackets: marked where it is untrusted."""
    return text if trusted else formats.UNTRUSTED_TEXT.format(text=text)


def states_told(memory: Memory) -> list[str]:
    """What its tags say of something that is over: done, closed, cancelled."""
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
        # Before its session: that name is as little to be believed.
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
    """What a rule or a procedure says in a context beside its text."""
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
    """How often a procedure worked, on a line of its own; empty where nobody has said."""
    worked, failed = outcome_counts(memory.data) if memory.kind == "procedure" else (0, 0)
    return f"\n{formats.WORKED.format(count=worked, total=worked + failed)}" if worked + failed else ""


def fenced_text(text: str, mark: str = "memories") -> str:
    """A text as a line of data: `unclosing_text`, and what follows its first line stands indented."""
    return unclosing_text(text, mark).replace("\n", formats.CONTINUED)


def unclosing_text(text: str, mark: str = "memories") -> str:
    """A text that closes neither the context of this mark nor the memories that it may stand among."""
    shown = printable(text).strip()
    if "<" not in shown:
        return shown
    return re.sub(rf"<(?=/?\s*(?:memories|{mark}))", "‹", shown, flags=re.IGNORECASE)


def mark_attribute(text: str) -> str:
    """A text as the value of a mark's attribute: on one line, and no end of it."""
    shown = one_line(text, _ATTRIBUTE_SHOWN)
    for character, entity in (("&", "&amp;"), ('"', "&quot;"), ("<", "&lt;"), (">", "&gt;")):
        shown = shown.replace(character, entity)
    return shown
