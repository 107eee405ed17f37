"""Plug-in for `llm` (https://llm.datasette.io): fragments and tools of memories, templates of procedures.

`llm` imports this at each start, whatever it does: the rest of memcli is imported by the call that needs it.
What its user types (a fragment, a template) is read as by `mem` in the same shell; what its model calls comes
in through `ORIGIN`, with the rights in `memcli.doors`.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter as SignatureParameter
from inspect import Signature
from typing import TYPE_CHECKING, Any

import llm

if TYPE_CHECKING:
    from memcli.agents.tools.desk import Desk
    from memcli.agents.tools.tool import Tool
    from memcli.memories import Memories
    from memcli.model import Memory
    from memcli.tiers.context.answer import Answer

PREFIX = "mem"
ORIGIN = "agent:llm"
# Prefixes in a template's name that tell a procedure from a block of the same name.
_PROCEDURE, _BLOCK = "procedure:", "block:"


@llm.hookimpl
def register_fragment_loaders(register: Callable[..., None]) -> None:
    """Register `-f mem:QUESTION`, and `-f mem:` for what to know at the start."""
    register(PREFIX, load_fragment)


@llm.hookimpl
def register_template_loaders(register: Callable[..., None]) -> None:
    """Register `-t mem:NAME` for a procedure or a block."""
    register(PREFIX, load_template)


@llm.hookimpl
def register_tools(register: Callable[..., None]) -> None:
    """Register `-T mem_recall`, and the other everyday tools of `mem mcp`."""
    from memcli.agents.tools.desk import Desk
    from memcli.agents.tools.everyday import EVERYDAY

    desk = Desk(ORIGIN)
    for tool in EVERYDAY:
        register(
            llm.Tool(
                name=f"{PREFIX}_{tool.name}",
                description=tool.use,
                input_schema=tool.schema(),
                implementation=_implementation(desk, tool),
            )
        )


def load_fragment(query: str) -> llm.Fragment:
    """What is remembered of a question, as `mem recall` gives it to a pipe: -f 'mem:which port does it use?'

    Without a question, -f mem: gives what to know at the start, as `mem context` does. Where nothing
    relevant is remembered, the fragment says so. Raises ValueError, which `llm` shows, where there is
    no store: whoever names memories and has none has named another store than was meant.
    """
    from memcli.agents.tools.answers import answer_to, read_out
    from memcli.agents.tools.desk import Desk
    from memcli.agents.tools.replies import sendable
    from memcli.prompt.context import nothing_block
    from memcli.tiers.context.start import answer_at_start

    def asked(memories: Memories) -> Answer:
        budget = memories.config["context_budget"]
        if not query.strip():
            return answer_at_start(memories, budget=budget or None)
        return answer_to(memories, query, memories.within(), limit=None, budget=budget)

    desk = Desk(None)
    try:
        answer = desk.carry_out(asked)
    except Exception as error:
        raise _told(error) from error
    if not answer.relevant:
        # The fragment says so, because without any text the model would make something up.
        desk.complain("nothing relevant is remembered")
    text = sendable(read_out(answer, nothing_block(query, answer.space)))
    return llm.Fragment(text, f"{PREFIX}:{query}")  # type: ignore[no-untyped-call]


def load_template(name: str) -> llm.Template:
    """A procedure in force, else a block, as a system prompt: git diff | llm -t mem:release-note

    procedure:NAME and block:NAME mean the one or the other. A procedure that came in through an
    untrusted door is none before its owner has looked at it.
    """
    from memcli.agents.tools.desk import Desk
    from memcli.agents.tools.replies import sendable

    try:
        text = Desk(None).carry_out(lambda memories: _instructions(memories, name.strip()))
    except Exception as error:
        raise _told(error) from error
    # Escaped, because `$` marks a variable in a template of llm.
    system = sendable(text.replace("$", "$$"))
    return llm.Template(name=f"{PREFIX}:{name}", system=system)  # type: ignore[no-untyped-call]


def _instructions(memories: Memories, name: str) -> str:
    from memcli.errors import NotFound
    from memcli.tiers.context.blocks import blocks, find_block
    from memcli.tiers.procedures.procedures import Procedures

    procedures = Procedures(memories)
    if name.startswith(_PROCEDURE):
        return _procedure(procedures.versions.find_in_force(name.removeprefix(_PROCEDURE)))
    if name.startswith(_BLOCK):
        return find_block(memories, name.removeprefix(_BLOCK)).text or ""
    try:
        return _procedure(procedures.versions.find_in_force(name))
    except NotFound as error:
        named = next((each for each in blocks(memories) if each.label == name), None)
        if named is None:
            raise NotFound(f"{error}; nor is there a block of that name") from error
        return named.text or ""


def _procedure(memory: Memory) -> str:
    from memcli.errors import Refused
    from memcli.ids import short_id
    from memcli.messages import Command, message
    from memcli.tiers.procedures.procedures import stored_document
    from memcli.tiers.versions import memory_name

    if not memory.trusted:
        raise Refused(
            f"procedure {memory_name(memory)!r} came in through {memory.origin}, an untrusted door",
            by_hand=message(
                "look at it (",
                Command("procedure show"),
                "), then ",
                Command(f"edit {short_id(memory.id)} --trusted"),
            ),
            rule="untrusted-origin",
        )
    return stored_document(memory)


def _implementation(desk: Desk, tool: Tool) -> Callable[..., str]:
    """Return the function that `llm` calls with a tool's arguments; its errors are told to the model."""

    def call(**given: Any) -> str:
        from memcli.agents.tools.replies import sendable

        try:
            return sendable(desk.call(tool, tool.read(given)).text)
        except Exception as error:
            raise _told(error) from error

    # The signature that `llm tools` shows.
    call.__signature__ = _signature(tool)  # type: ignore[attr-defined]
    return call


def _signature(tool: Tool) -> Signature:
    types = {"string": str, "integer": int, "boolean": bool, "texts": list[str], "object": dict}
    return Signature(
        [
            SignatureParameter(
                each.name,
                SignatureParameter.KEYWORD_ONLY,
                default=SignatureParameter.empty if each.required else None,
                annotation=types[each.type],
            )
            for each in tool.parameters
        ],
        return_annotation=str,
    )


def _told(error: Exception) -> ValueError:
    """Return an error as `llm` shows it, in one line."""
    from memcli.agents.tools.replies import error_line
    from memcli.errors import MemcliError

    if isinstance(error, MemcliError):
        return ValueError(error_line(error))
    return ValueError(f"internal error of memcli ({type(error).__name__})")
