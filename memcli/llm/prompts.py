"""Prompts: versioned files, with memories inside as data that a model should not take for instructions.

Each memory is on a line of its own, as JSON, between two lines with a random mark that is made for this one
prompt, so that nobody who wrote a memory can know it.
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

# Characters of an id's end that serve as its label.
_TAIL = 8
# Control characters, unusual line ends, bidirectional marks, and Unicode's tag characters, which can hide a
# text inside a text.
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
    """A prompt ready to send: its file and version, and what its labels mean."""

    name: str
    """Name and version, as in `distil/1`: recorded with the results."""
    text: str
    sources: dict[str, PromptSource]
    """What may be cited, by label in the prompt."""
    trusted: bool
    """True if all its sources are trusted."""


def prompt_source(memory: Memory) -> PromptSource:
    """Return a memory as a source."""
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
    """Return the prompt of the file `name`, with the sources as data, and its own texts (quoted) and numbers.

    `mark` is for tests. Raises BadInput if trusted and untrusted sources are mixed, unless `mix` allows it.
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
    """Return the version of a prompt's file, from its first line, and its text."""
    head, _, text = (
        resources.files("memcli.llm").joinpath("prompts", f"{name}.txt").read_text("utf-8").partition("\n")
    )
    return head.removeprefix("version: ").strip(), text.strip()


def _labels(sources: Sequence[PromptSource]) -> dict[str, PromptSource]:
    """Return the sources by unique short labels."""
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
    """Return a text that cannot close the fence, hide anything, or leak a secret to the LLM's operator."""
    from memcli.text.secrets.scan import find_secrets, redact

    text = INVISIBLE.sub(" ", text)
    text = redact(text, find_secrets(text))
    return re.sub(re.escape(mark), "[mark]", text, flags=re.IGNORECASE)
