"""Prompts: files with a version, and memories inside them as data that nobody takes for instructions.

A memory stands on a line of its own, as JSON, between two lines that hold a
mark made for this one prompt, which nobody who wrote a memory can know.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Sequence
from functools import cache
from importlib import resources
from string import Template

from memcli.errors import BadInput
from memcli.model import Memory, speaker_of
from memcli.named_tuple import NamedTuple
from memcli.prompt import formats
from memcli.prompt.context import told_day

# The end of an id tells memories apart, as everywhere in memcli.
_TAIL = 8
# Controls, line ends of some readers, marks that reorder what is shown, and Unicode's tag characters,
# which hide a text inside a text.
INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\U000e0000-\U000e007f]"
)


class PromptSource(NamedTuple):
    """A text that may be cited: a memory, or a line of what is read."""

    id: str
    text: str
    day: str = ""
    kind: str = ""
    speaker: str = ""
    trusted: bool = True


class FencedPrompt(NamedTuple):
    """A prompt ready to send: which file and version made it, and what its labels mean."""

    name: str
    """`distil/1`: goes on record with what came of it."""
    text: str
    sources: dict[str, PromptSource]
    """What may be cited, by the label that the prompt gives it."""
    trusted: bool
    """Whether all that stands in it is."""


def prompt_source(memory: Memory) -> PromptSource:
    """A memory as a source."""
    return PromptSource(
        memory.id, memory.text, told_day(memory), memory.kind, speaker_of(memory), memory.trusted
    )


def make_prompt(
    name: str,
    sources: Sequence[PromptSource],
    *,
    mix: bool = False,
    mark: str | None = None,
    **texts: str | int,
) -> FencedPrompt:
    """The prompt of the file `name`, with the sources as data, and texts (quoted) and numbers of its own.

    `mark` is for tests. Raises BadInput where trusted and untrusted sources
    meet, unless `mix` allows it.
    """
    if not mix and len({source.trusted for source in sources}) > 1:
        raise BadInput("trusted and untrusted memories are not put into one prompt (llm_mix allows it)")
    version, template = _file(name)
    mark = mark or secrets.token_hex(12)
    labels = _labels(sources)
    lines = [_line(label, source, mark) for label, source in labels.items()]
    values = {
        each: value if isinstance(value, int) else json.dumps(_neutral(value, mark), ensure_ascii=False)
        for each, value in texts.items()
    }
    data = Template(_file("data")[1]).substitute(mark=mark, lines="\n".join(lines))
    text = Template(template).substitute(values, data=data, mark=mark)
    return FencedPrompt(f"{name}/{version}", text, labels, all(source.trusted for source in sources))


@cache
def _file(name: str) -> tuple[str, str]:
    """The version of a prompt's file, from its first line, and its text."""
    head, _, text = (
        resources.files("memcli.llm").joinpath("prompts", f"{name}.txt").read_text("utf-8").partition("\n")
    )
    return head.removeprefix("version: ").strip(), text.strip()


def _labels(sources: Sequence[PromptSource]) -> dict[str, PromptSource]:
    """Short names for the sources, each used once."""
    labels: dict[str, PromptSource] = {}
    for source in sources:
        short = source.id[-_TAIL:]
        labels[source.id if short in labels else short] = source
    return labels


def _line(label: str, source: PromptSource, mark: str) -> str:
    trust = "" if source.trusted else formats.UNTRUSTED
    known = {"date": source.day, "kind": source.kind, "speaker": source.speaker, "trust": trust}
    record = {"id": label, **{name: value for name, value in known.items() if value}, "text": source.text}
    return json.dumps({name: _neutral(text, mark) for name, text in record.items()}, ensure_ascii=False)


def _neutral(text: str, mark: str) -> str:
    """A text that cannot close the fence, hide anything, or carry a secret to whoever runs the LLM."""
    from memcli.text.secrets.scan import find_secrets, redact

    text = INVISIBLE.sub(" ", text)
    text = redact(text, find_secrets(text))
    return re.sub(re.escape(mark), "[mark]", text, flags=re.IGNORECASE)
