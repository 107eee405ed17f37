"""Direct writes: for callers that decide themselves what happens to a memory, as for turns or versions.

None of these memories (session turns, procedure versions, outcomes) is a duplicate of another, so only the
rules about the text are applied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.embedding.bound_model import BoundModel
from memcli.model import Change, Memory
from memcli.scope import Scope
from memcli.storage import Vectors
from memcli.write_policy.decision import judged_record
from memcli.write_policy.settings import WriteOptions

if TYPE_CHECKING:
    from memcli.embedding import Floats
    from memcli.write_policy.gate import Gate


def vet_memory(scope: Scope, memory: Memory, gate: Gate | None = None) -> Memory:
    """Return a memory as the write policy lets its text in, trusted no more than the origin of `scope`.

    To vet many, pass one `gate`, which may have its own options. Raises Refused, BadInput.
    """
    return vetted_memory(scope, memory, gate)[0]


def vetted_memory(scope: Scope, memory: Memory, gate: Gate | None = None) -> tuple[Memory, tuple[str, ...]]:
    """Return a memory as `vet_memory` does, with notes for its writer, such as what was redacted."""
    if gate is None:
        from memcli.write_policy.gate import Gate

        gate = Gate(scope, WriteOptions(), scope.now())
    memory = replace(memory, trusted=memory.trusted and not scope.is_untrusted)
    case = gate.examine(memory)
    if case.verdict:
        case.verdict.check()
    return replace(case.memory, kind=memory.kind, expires_at=memory.expires_at), case.notes


def with_judged_notes(scope: Scope, memory: Memory, middle: Floats | None) -> Memory:
    """Return a memory with the judges' notes on its text in its data: see `memcli.judgement.notes`.

    `middle` is the middle layer's vector of its `Reading`; without it only the words are judged.
    """
    from memcli.judgement.statements import StatementJudgement
    from memcli.write_policy.rules.judged import notes_of
    from memcli.write_policy.settings import write_settings

    notes = notes_of(write_settings(scope.config), memory, StatementJudgement(memory.text, middle))
    return replace(memory, data={**memory.data, "judged": judged_record(notes)}) if notes else memory


def put_embedded(
    scope: Scope,
    model: BoundModel,
    memories: Sequence[Memory],
    change: Change | None,
    vectors: Mapping[str, Vectors] | None = None,
) -> int:
    """Write memories with their vectors; return how many were new or changed.

    `vectors` are those known already, by id. The others are computed before the transaction opens.
    """
    every = model.embed(memories, vectors)
    with scope.store.writing():
        if every and not model.bind():
            every = {}
        return scope.store.put(memories, change, scope.now(), every)
