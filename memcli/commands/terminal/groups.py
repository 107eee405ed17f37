"""A command with others below it, as a class of Typer's."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

# Of these words any may be meant by any other, whichever a command with others below it has.
ALIKE = (
    ("list", "ls", "all"),
    ("show", "get", "view", "cat", "read", "print"),
    ("remove", "delete", "drop", "clear", "deprecate", "forget", "rm", "del", "erase", "uninstall"),
    ("add", "set", "create", "start", "save", "new", "put", "write"),
    ("end", "stop", "finish", "close"),
    ("find", "search", "query"),
)


class NamedGroup(TyperGroup):
    """A command with others below it, which says what it has where it is asked for one that it has not."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command below, or say which one may have been meant."""
        shown = {name: each for name, each in self.commands.items() if not each.hidden}
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            from memcli.text.spelling import nearest_name

            alike = next((words for words in ALIKE if args[0].lower() in words), ())
            meant = next((word for word in alike if word in shown), None) or nearest_name(args[0], shown)
            hint = f"did you mean {meant!r}?" if meant else f"it has {', '.join(shown)}"
            ctx.fail(f"{ctx.command_path} has no command {args[0]!r:.60}; {hint}")
        return super().resolve_command(ctx, args)
