"""memcli: a personal memory store on its owner's machine.

from memcli import open_memories

with open_memories() as memories:
    memories.remember("The staging server listens on port 8443")
    for hit in memories.recall("where does staging run?").hits:
        print(hit.score, hit.memory.text)

The names in `__all__` are the public API; everything else is private and may change with any version. Nothing
is imported before it is used.
"""

from __future__ import annotations

# Type checkers take this for true; importing `typing` would cost a tenth of a warm call.
TYPE_CHECKING = False

__version__ = "0.1.0"
__all__ = [
    "Answer",
    "BadInput",
    "Config",
    "Draft",
    "Filter",
    "Hit",
    "MemcliError",
    "Memories",
    "Memory",
    "ModelUnusable",
    "NotFound",
    "Piece",
    "Recall",
    "Refused",
    "StoreUnusable",
    "__version__",
    "gather",
    "open_memories",
]

# Type checkers read the imports; `__getattr__` is hidden from them, since with it every name would exist.
if TYPE_CHECKING:
    from memcli.config.config import Config
    from memcli.errors import BadInput, MemcliError, ModelUnusable, NotFound, Refused, StoreUnusable
    from memcli.memories import Memories, open_memories
    from memcli.model import Filter, Memory
    from memcli.recall.results import Hit, Recall
    from memcli.tiers.context.answer import Answer, Piece
    from memcli.tiers.context.gather import gather
    from memcli.write_policy.drafts import Draft
else:
    _MODULES = {
        "memcli.config.config": ("Config",),
        "memcli.errors": ("BadInput", "MemcliError", "ModelUnusable", "NotFound", "Refused", "StoreUnusable"),
        "memcli.memories": ("Memories", "open_memories"),
        "memcli.model": ("Filter", "Memory"),
        "memcli.recall.results": ("Hit", "Recall"),
        "memcli.tiers.context.answer": ("Answer", "Piece"),
        "memcli.tiers.context.gather": ("gather",),
        "memcli.write_policy.drafts": ("Draft",),
    }

    def __getattr__(name: str) -> object:
        for module, names in _MODULES.items():
            if name in names:
                from importlib import import_module

                globals()[name] = value = getattr(import_module(module), name)
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted(__all__)
