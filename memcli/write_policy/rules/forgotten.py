"""What was forgotten for good is not taken again."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.model import Memory
from memcli.write_policy.decision import Case
from memcli.write_policy.grounds import Grounds

_IMPORT = "import:"


def refuse_forgotten(case: Case, grounds: Grounds) -> Case:
    """Refuse a text that was erased once; of a file's also what quotes it, or names who was erased.

    What somebody says today may name anybody; what a file brings may be older than the erasure.
    """
    memory, reader = case.memory, grounds.reader
    if reader.was_forgotten(memory.text):
        return grounds.decided(case, "refuse", "forgotten", "this text was forgotten for good")
    imported = grounds.options.carried or memory.source == "imported" or memory.origin.startswith(_IMPORT)
    if imported and reader.quotes_forgotten(_texts_of(memory)):
        return grounds.decided(case, "refuse", "forgotten", "it quotes or names what was forgotten for good")
    return case


def _texts_of(memory: Memory) -> Iterator[str]:
    from memcli.text.secrets.redaction import keyed_texts_of_value

    yield from (memory.text, *memory.tags, memory.session or "", memory.ended_why or "")
    yield from keyed_texts_of_value(memory.data)
