"""The numbers that commands take: what is none, or too low or high, is told with what would be one."""

from __future__ import annotations

from typing import Any

from typer._click.types import FloatParamType, FloatRange, IntParamType, IntRange

from memcli.text.expressions import expression

# What SQL, JSON and Python's own counting all hold exactly; no store has as many of anything.
_LARGEST = 2**53 - 1
# Bounds that are told in the help, and looked at by the command.
_TOLD = expression(r"(\d+)\.\.(\d+)")


def read_numbers(command: Any) -> None:
    """Have a command, and all below it, read its numbers so."""
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
    """A range of whole numbers; what is too large to count to is the largest one."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The number, which SQL and Python count to; a usage error where it is none, or out of the range."""
        return min(super().convert(value, param, ctx), _LARGEST)

    def fail(self, message: str, param: Any = None, ctx: Any = None) -> Any:
        """A usage error that tells what a number would be."""
        super().fail(_told(message, param, "a whole number", self.min, self.max), param, ctx)


class _Range(FloatRange):
    """A range of numbers."""

    def fail(self, message: str, param: Any = None, ctx: Any = None) -> Any:
        """A usage error that tells what a number would be."""
        super().fail(_told(message, param, "a number", self.min, self.max), param, ctx)


class _Whole(IntParamType):
    """Any whole number."""

    def fail(self, message: str, param: Any = None, ctx: Any = None) -> Any:
        """A usage error that tells what a number would be."""
        super().fail(_told(message, param, "a whole number"), param, ctx)


class _Number(FloatParamType):
    """Any number."""

    def fail(self, message: str, param: Any = None, ctx: Any = None) -> Any:
        """A usage error that tells what a number would be."""
        super().fail(_told(message, param, "a number"), param, ctx)


def _told(message: str, param: Any, what: str, low: float | None = None, high: float | None = None) -> str:
    """Of the library's words what was given, then what is wanted."""
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
