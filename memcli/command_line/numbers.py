"""Number parameters of commands: errors say what was wrong and which numbers are accepted."""

from __future__ import annotations

from typing import Any

from typer._click.types import FloatParamType, FloatRange, IntParamType, IntRange

from memcli.text.expressions import expression

# The largest integer that SQL, JSON and Python's counting all hold exactly; no store has as many of anything.
_LARGEST = 2**53 - 1
# Bounds that are given in the metavar only, and checked by the command itself.
_TOLD = expression(r"(\d+)\.\.(\d+)")


def read_numbers(command: Any) -> None:
    """Replace the number types of a command, and of all its subcommands, by those of this module."""
    for below in getattr(command, "commands", {}).values():
        read_numbers(below)
    for each in command.params:
        if isinstance(each.type, IntRange):
            each.type = _CountableRange(each.type.min, each.type.max)
        elif isinstance(each.type, FloatRange):
            each.type = _Range(each.type.min, each.type.max)
        elif isinstance(each.type, IntParamType):
            each.type = _Whole()
        elif isinstance(each.type, FloatParamType):
            each.type = _Number()


class _CountableRange(IntRange):
    """A range of whole numbers; larger numbers than can be counted become the largest one."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the number, at most `_LARGEST`; a usage error if it is not a number or out of the range."""
        return min(super().convert(value, param, ctx), _LARGEST)

    def fail(self, message: str, param: Any = None, ctx: Any = None) -> Any:
        """Raise a usage error that names the accepted numbers."""
        super().fail(_told(message, param, "a whole number", self.min, self.max), param, ctx)


class _Range(FloatRange):
    """A range of numbers."""

    def fail(self, message: str, param: Any = None, ctx: Any = None) -> Any:
        """Raise a usage error that names the accepted numbers."""
        super().fail(_told(message, param, "a number", self.min, self.max), param, ctx)


class _Whole(IntParamType):
    """Any whole number."""

    def fail(self, message: str, param: Any = None, ctx: Any = None) -> Any:
        """Raise a usage error that names the accepted numbers."""
        super().fail(_told(message, param, "a whole number"), param, ctx)


class _Number(FloatParamType):
    """Any number."""

    def fail(self, message: str, param: Any = None, ctx: Any = None) -> Any:
        """Raise a usage error that names the accepted numbers."""
        super().fail(_told(message, param, "a number"), param, ctx)


def _told(message: str, param: Any, what: str, low: float | None = None, high: float | None = None) -> str:
    """Return what was given, from the library's message, and then what is accepted."""
    given = message.partition(" is not ")[0]
    if told := _TOLD.fullmatch(getattr(param, "metavar", None) or ""):
        low, high = map(float, told.groups())
    if low is not None and high is not None:
        what += f" from {low:g} to {high:g}"
    elif low is not None:
        what += f" of at least {low:g}"
    elif high is not None:
        what += f" of at most {high:g}"
    return f"{given} is not {what}"
