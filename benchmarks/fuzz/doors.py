"""All doors, and how often each is tried. A new door is one entry of DOORS."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from benchmarks.fuzz import agents, inputs, many
from benchmarks.fuzz.inputs import Input, Seeds


class Door(NamedTuple):
    """What makes an input, and of how many runs it is one, beside the others."""

    make: Callable[[random.Random, Seeds], Input]
    weight: int = 1


_ONE: dict[str, Callable[[random.Random, Seeds], Input]] = {
    "import": inputs.an_import, "batch": inputs.a_batch, "transcripts": inputs.a_transcript,
    "importers": inputs.a_foreign_file, "folders": inputs.a_foreign_folder, "procedures": inputs.a_procedure,
    "policies": inputs.a_policy, "settings": inputs.a_setting, "plans": inputs.a_plan,
    "checkpoints": inputs.a_checkpoint, "hooks": agents.a_hook,
}  # fmt: skip
_MANY: dict[str, Callable[[random.Random, Seeds], Input]] = {
    "import lines": many.imported_lines, "batch lines": many.batch_lines,
    "transcript lines": many.transcript_lines, "importer lines": many.foreign_lines,
    "folder documents": many.foreign_documents, "procedure documents": many.procedure_documents,
    "mcp messages": agents.messages,
}  # fmt: skip
DOORS: dict[str, Door] = {
    **{name: Door(make, 2) for name, make in _ONE.items()},
    "arguments": Door(inputs.arguments, 8),
    **{name: Door(make, 2 if name.endswith(" lines") else 1) for name, make in _MANY.items()},
}


def input_at(seed: int, number: int, seeds: Seeds) -> Input:
    """The run of a number: of a seed the same whenever it is asked for."""
    chance = random.Random(f"{seed}/{number}")
    [name] = chance.choices(list(DOORS), [each.weight for each in DOORS.values()])
    return DOORS[name].make(chance, seeds)
