"""Tool: its name, when to call it, its parameters, and what it does to the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from memcli.agents.tools.replies import Reply
from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.named_tuple import NamedTuple

Arguments = Mapping[str, Any]
# The largest integer that any backend can hold, and how many digits are read.
_MOST, _DIGITS = 2**31 - 1, 9


class Parameter(NamedTuple):
    """A parameter of a tool. `texts` is a list of strings; `least` is the minimum of an integer.

    Choices are in the schema only if the help does not name them, because every client pays for a list in
    tokens.
    """

    name: str
    help: str = ""
    type: Literal["string", "integer", "boolean", "texts", "object"] = "string"
    required: bool = False
    choices: Sequence[str] = ()
    least: int = 1

    def schema(self) -> dict[str, Any]:
        """Return its JSON Schema."""
        shown: dict[str, Any] = (
            {"type": "array", "items": {"type": "string"}} if self.type == "texts" else {"type": self.type}
        )
        if self.choices and not self.help:
            shown["enum"] = list(self.choices)
        return {**shown, "description": self.help} if self.help else shown

    def read(self, value: Any) -> Any:
        """Return a value as meant: models write 5 as "5", and one text for a list of one. Raises BadInput."""
        read = _integer(value) if self.type == "integer" else self._of_type(value)
        if read is None:
            wanted = "a list of strings" if self.type == "texts" else f"of the type {self.type}"
            raise BadInput(f"{self.name}: must be {wanted}")
        if self.choices and read not in self.choices:
            raise BadInput(f"{self.name}: {read!r:.60} is not one of {', '.join(self.choices)}")
        if self.type == "integer" and read < self.least:
            raise BadInput(f"{self.name}: {read} is too small; give {self.least} or more")
        return read

    def _of_type(self, value: Any) -> Any:
        match self.type, value:
            case ("string", str()) | ("boolean", bool()) | ("object", dict()):
                return value
            case "boolean", "true" | "false":
                return value == "true"
            case "texts", str():
                return (value,)
            case "texts", list() if all(isinstance(each, str) for each in value):
                return tuple(value)
        return None


def _integer(value: Any) -> int | None:
    """Return the integer that a value is or spells, capped at what backends can hold; None if it is none."""
    match value:
        case int() if not isinstance(value, bool):
            return min(value, _MOST)
        case float() if value.is_integer():
            return min(int(value), _MOST)
        case str() if value.isascii() and value.isdigit():
            return _MOST if len(value) > _DIGITS else int(value)
    return None


class Hints(NamedTuple):
    """What a client may show of a tool before it lets a model call it."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = True


class Tool(NamedTuple):
    """A tool. `nothing`: its answer if there is no store yet, unless that is an error."""

    name: str
    use: str
    """When to call it, and what it returns: all that a model knows of it."""
    parameters: Sequence[Parameter]
    hints: Hints
    run: Callable[[Memories, Arguments], Reply]
    nothing: str | None = None
    creates: bool = False
    """True if it creates the store if there is none."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of its arguments."""
        required = [each.name for each in self.parameters if each.required]
        properties = {each.name: each.schema() for each in self.parameters}
        return {"type": "object", "properties": properties, **({"required": required} if required else {})}

    def read(self, given: Mapping[str, Any]) -> Arguments:
        """Return the parsed arguments, without null ones. Raises BadInput."""
        known = {each.name: each for each in self.parameters}
        if unknown := [name for name in given if name not in known]:
            raise BadInput(
                f"{self.name} takes no {unknown[0]!r:.60}; it takes {', '.join(known) or 'nothing'}"
            )
        read = {name: known[name].read(value) for name, value in given.items() if value is not None}
        for each in self.parameters:
            if each.required and each.name not in read:
                raise BadInput(f"{self.name} needs {each.name}: {each.help}")
        return read
