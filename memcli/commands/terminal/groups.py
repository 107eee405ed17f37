"""Command groups, as a Typer class that suggests the right subcommand for a wrong one."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

# Synonyms: if a group has one of these words as subcommand, it is suggested for the others.
ALIKE = (
    ("list", "ls", "all"),
    ("show", "get", "view", "cat", "read", "print"),
    ("remove", "delete", "drop", "clear", "deprecate", "forget", "rm", "del", "erase", "uninstall"),
    ("add", "set", "create", "start", "save", "new", "put", "write"),
    ("end", "stop", "finish", "close"),
    ("find", "search", "query"),
)


class NamedGroup(TyperGroup):
    """A group of commands that lists its subcommands if it is called with an unknown one."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the subcommand, or fail with the one that may have been meant."""
        shown = {name: each for name, each in self.commands.items() if not each.hidden}
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            from memcli.text.spelling import nearest_name

            alike = next((words for words in ALIKE if args[0].lower() in words), ())
            meant = next((word for word in alike if word in shown), None) or nearest_name(args[0], shown)
            hint = f"did you mean {meant!r}?" if meant else f"it has {', '.join(shown)}"
            ctx.fail(f"{ctx.command_path} has no command {args[0]!r:.60}; {hint}")
        return super().resolve_command(ctx, args)
