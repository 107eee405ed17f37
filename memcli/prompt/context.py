"""The context that an LLM CLI gets from a pipe: its mark, and every memory as a line with its source.

The texts stand inside as data: none of them can close the context or pretend to
be its frame, and the mark tells memcli its own words when they come back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcli import ids, times
from memcli.model import Memory
from memcli.prompt import formats
from memcli.prompt.budget import clip
from memcli.text.printable import one_line, printable

_ATTRIBUTE_SHOWN = 200


def block_frame(query: str, space: str) -> tuple[str, str, str]:
    """The lines around the memories: two above, one below. Without a query, none is named."""
    return marked("memories", space=space, **({"query": query} if query else {}))


def marked(mark: str, **attributes: str) -> tuple[str, str, str]:
    """The lines around a context of this mark: its opening, what it says of itself, its end."""
    named = " ".join(f'{name}="{mark_attribute(value)}"' for name, value in attributes.items())
    opened = formats.OPEN.format(mark=mark, attributes=named)
    return opened, formats.NOTICES[mark], formats.CLOSE.format(mark=mark)


def memory_entry(memory: Memory, around: Sequence[Memory] = ()) -> str:
    """A memory as a line, with the turns `around` it indented below."""
    turns = (
        formats.TURN.format(text=marked_text(fenced_text(one_line(turn.text)), trusted=turn.trusted))
        for turn in around
        if turn.id != memory.id
    )
    return "\n".join([_line(memory), *turns])


def text_entry(text: str, *, trusted: bool = True) -> str:
    """A text that is no memory as a line; marked where it is untrusted."""
    return formats.NOTE.format(text=marked_text(fenced_text(text), trusted=trusted))


def marked_text(text: str, *, trusted: bool) -> str:
    """A text as it stands where there are no brackets: marked where it is untrusted."""
    return text if trusted else formats.UNTRUSTED_TEXT.format(text=text)


def _line(memory: Memory) -> str:
    about = [ids.short_id(memory.id), times.local_day(memory.happened_at)]
    if not memory.trusted:
        # Before its session: that name is as little to be believed.
        about.append(formats.UNTRUSTED)
    if memory.session:
        about.append(formats.OF_SESSION.format(session=one_line(memory.session)))
    if memory.confidence < 1:
        about.append(formats.CONFIDENCE.format(confidence=memory.confidence))
    if memory.valid_from:
        about.append(formats.FROM.format(day=times.local_day(memory.valid_from)))
    if memory.valid_until:
        about.append(formats.UNTIL.format(day=times.local_day(memory.valid_until)))
    told = fenced_text(memory.text + further(memory))
    return formats.MEMORY.format(about=formats.BETWEEN.join(about), text=told)


def further(memory: Memory) -> str:
    """What a rule or a procedure says in a context beside its text."""
    said = memory.data
    if memory.kind == "policy":
        unless = said.get("unless")
        parts = [
            str(said.get("enforcement") or ""),
            f"unless {' or '.join(map(str, unless))}" if isinstance(unless, list) and unless else "",
            f"because {said['why']}" if said.get("why") else "",
        ]
        told = "; ".join(part for part in parts if part)
        return f" ({told})" if told else ""
    steps = said.get("steps") if memory.kind == "procedure" else None
    numbered = enumerate(steps, start=1) if isinstance(steps, list) else ()
    return "".join(f"\n{number}. {step}" for number, step in numbered)


def fenced_text(text: str, mark: str = "memories") -> str:
    """A text as a line of data: `unclosing_text`, and what follows its first line stands indented."""
    return unclosing_text(text, mark).replace("\n", formats.CONTINUED)


def unclosing_text(text: str, mark: str = "memories") -> str:
    """A text that closes neither the context of this mark nor the memories that it may stand among."""
    return re.sub(rf"<(?=/?\s*(?:memories|{mark}))", "‹", printable(text).strip(), flags=re.IGNORECASE)


def mark_attribute(text: str) -> str:
    """A text as the value of a mark's attribute: on one line, and no end of it."""
    shown = clip(one_line(text), _ATTRIBUTE_SHOWN)
    for sign, entity in (("&", "&amp;"), ('"', "&quot;"), ("<", "&lt;"), (">", "&gt;")):
        shown = shown.replace(sign, entity)
    return shown
