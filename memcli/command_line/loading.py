"""Lazy loading of commands: a command's module is imported when the command is called, and only that one.

Sixty commands cost no more than five.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer._click.types import StringParamType
from typer.core import TyperGroup
from typer.models import DefaultPlaceholder, TyperPath

from memcli.command_line.numbers import read_numbers
from memcli.command_line.table import COMMANDS, OUR_WORD, SECTIONS


class LazyGroup(TyperGroup):
    """The commands of COMMANDS, each imported from its module on demand."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of that name, importing its module; None if there is none."""
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for. Raises Abort if it was interrupted."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            # Typer itself would only set the exit status.
            raise typer.Abort from error

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the help of all commands without importing any."""
        width = max(map(len, COMMANDS))
        for title, lines in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), line) for name, line in lines.items()])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, or fail with the one that may have been meant."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from memcli.text.spelling import nearest_name

            meant = OUR_WORD.get(args[0].lower()) or nearest_name(args[0], COMMANDS)
            ctx.fail(f"no command {args[0]!r:.60}" + (f"; did you mean {meant!r}?" if meant else ""))
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete a command's name, or the group's own options."""
        from typer._click.shell_completion import CompletionItem

        named = [CompletionItem(n, help=h) for n, h in COMMANDS.items() if n.startswith(incomplete)]
        return named or super().shell_complete(ctx, incomplete)


@cache
def load_command(name: str) -> Any:
    """Import the module of a command and build it: a function `command` or a group `app`, and EXAMPLES."""
    # Names that Python uses itself get an underscore: memcli/commands/import_.py
    module = import_module(
        f"memcli.commands.{name.replace('-', '_')}{'_' if name in ('import', 'list') else ''}"
    )
    if hasattr(module, "app"):
        from memcli.commands.terminal.groups import NamedGroup

        if isinstance(module.app.info.cls, DefaultPlaceholder):
            module.app.info.cls = NamedGroup
        command = typer.main.get_command(module.app)
    else:
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(name)(module.command)
        command = typer.main.get_command(single)
    command.name = name
    _allow_force(command)
    refuse_empty_paths(command)
    read_numbers(command)
    refuse_stdin_as_name(command)
    _tell_whole_lines(command)
    # Each line with its bare words, in which a command's path is searched.
    lines = module.EXAMPLES.strip().splitlines()
    _add_examples(command, f"mem {name}", [(line, f" {_words_alone(line)} ") for line in lines])
    return command


def misplaced_option(command: Any, option: str, arguments: list[str]) -> str | None:
    """Return the command to which an option belongs that is given before that command's name.

    None if that is not the mistake. `arguments` is the whole command line.
    """
    if not hasattr(command, "list_commands"):
        return None
    place = next((n for n, each in enumerate(arguments) if each.partition("=")[0] == option), len(arguments))
    for number, word in enumerate(arguments[place + 1 :], start=1):
        if word == "--":
            break
        below = command.get_command(None, word) if word in command.list_commands(None) else None
        known = next((each for each in getattr(below, "params", ()) if option in each.opts), None)
        # The word right after it may be its value, and a command's name only by chance.
        if known and (known.is_flag or "=" in arguments[place] or number > 1):
            return word
    return None


def _allow_force(command: Any) -> None:
    """Add --force to a command and all its subcommands: to write to a store that doctor has flagged.

    Commands that pass on another program's options are left out, because there --force would be that
    program's.
    """
    for below in getattr(command, "commands", {}).values():
        _allow_force(below)
    foreign = command.context_settings.get("ignore_unknown_options")
    if foreign or hasattr(command, "commands") or any("--force" in each.opts for each in command.params):
        return
    from typer.core import TyperOption

    def note(context: Any, _: Any, given: bool) -> None:
        if given:
            context.meta["memcli.force"] = True

    option = TyperOption(
        param_decls=["--force"], is_flag=True, default=False, hidden=True, expose_value=False, callback=note
    )
    command.params.append(option)


def refuse_empty_paths(command: Any) -> None:
    """Make a command and its subcommands reject an empty path (an unset variable), which is not "."."""
    for below in getattr(command, "commands", {}).values():
        refuse_empty_paths(below)
    for each in command.params:
        if isinstance(each.type, TyperPath):
            each.type = _GivenPath(each.type)


class _GivenPath(TyperPath):
    """A path parameter that behaves like another one, but rejects an empty path."""

    def __init__(self, like: TyperPath) -> None:
        super().__init__()
        self.__dict__.update(like.__dict__)
        self._like = like

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the path; a usage error if it is empty."""
        if not str(value).strip():
            self.fail("is empty; name a path (an unset variable?)", param, ctx)
        return self._like.convert(value, param, ctx)


# Commands that create something, and the metavars of its name. Commands that show or remove accept any name,
# because an earlier version may have created one called `-`.
_MAKING = {"add", "append", "create", "link", "rename", "run", "save", "set", "start"}
_NAMING = {"NAME", "LABEL", "TASK", "STEP", "NEW", "A", "B", "RELATION"}


def refuse_stdin_as_name(command: Any) -> None:
    """Make creating commands reject the name `-`, which stands for stdin where a text was meant.

    `mem procedure add - < deploy.md` created a procedure of that name.
    """
    for below in getattr(command, "commands", {}).values():
        refuse_stdin_as_name(below)
    for each in command.params if command.name in _MAKING else ():
        stands = (each.metavar or each.name or "").strip("[]…").upper()
        if each.param_type_name == "argument" and stands in _NAMING and type(each.type) is StringParamType:
            each.type = _Naming()


class _Naming(StringParamType):
    """A name parameter that rejects `-`."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the name; a usage error if it is `-`."""
        if value == "-":
            self.fail("'-' is stdin; give a name", param, ctx)
        return super().convert(value, param, ctx)


def _tell_whole_lines(command: Any) -> None:
    """Keep the help of a group, and of all below it, from cutting off its lines about commands."""
    for below in getattr(command, "commands", {}).values():
        _tell_whole_lines(below)
        first = " ".join((below.help or "").split("\n\n")[0].split())
        below.short_help = re.split(r"(?<=\.) ", first)[0]


def _words_alone(line: str) -> str:
    # Without a regular expression, which would be compiled in every call, though only the help needs it.
    return " ".join("".join(each if each.isalnum() or each in "_-" else " " for each in line).split())


def _add_examples(command: Any, path: str, examples: list[tuple[str, str]]) -> None:
    """End the help of a command, and of all its subcommands, with the examples of its module that call it."""
    calling = [f"  {line}" for line, words in examples if f" {path} " in words]
    # A line with \b tells the help formatter to leave the following lines as they are.
    command.epilog = "\n".join(["\b", "Examples:", *calling]) if calling else None
    for name, below in getattr(command, "commands", {}).items():
        _add_examples(below, f"{path} {name}", examples)
