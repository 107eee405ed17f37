"""The current call: makes commands named in its messages work as they are when pasted.

They get the call's own --db and --space options, which no setting would tell the pasted command.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.messages import Command, Message

_PLACES = ("--db", "--space")


class Call:
    """One command line: its arguments, and the root command that they were given to."""

    def __init__(self, arguments: Sequence[str], root: Any) -> None:
        self._arguments, self._root = arguments, root

    @classmethod
    def at_hand(cls) -> Call | None:
        """Return the call in which this code runs; None outside a command line (a library, a server)."""
        from typer._click.globals import get_current_context

        context = get_current_context(silent=True)
        return cls(context.obj, context.find_root().command) if context and context.obj else None

    def printed(self, line: str) -> str:
        """Return a message with the options of this call added to each command that takes them."""
        if not isinstance(line, Message):
            return line
        given = self._given_places()
        return line.printed(lambda command: self._printed(command, given))

    def _printed(self, command: Command, given: dict[str, str]) -> str:
        there = f"{command.words} {command.rest} "
        options = {
            option: value
            for option, value in given.items()
            if option in self._options_of(command) and f"{option} " not in there
        }
        if command.db is not None and "--db" in self._options_of(command):
            options["--db"] = command.db
        if command.space is not None and "--space" not in options:
            options["--space"] = command.space
        return command.with_options(options)

    def _given_places(self) -> dict[str, str]:
        """Return the --db and --space options of this call with their values; without any password."""
        ours = list(self._arguments[: [*self._arguments, "--"].index("--")])
        given: dict[str, str] = {}
        for word, after in zip(ours, [*ours[1:], ""], strict=True):
            option, is_joined, value = word.partition("=")
            if option in _PLACES and (is_joined or after):
                given[option] = value if is_joined else after
        if "--db" in given:
            from memcli.config.location import read_location

            given["--db"] = str(read_location(given["--db"]))
        return {option: given[option] for option in _PLACES if option in given}

    def _options_of(self, command: Command) -> frozenset[str]:
        """Return the options that a command takes; none if there is no such command."""
        known, is_found = self._root, False
        for word in command.words.split():
            if not hasattr(known, "list_commands") or word not in known.list_commands(None):
                break
            known, is_found = known.get_command(None, word), True
        return frozenset(option for each in known.params for option in each.opts) if is_found else frozenset()


def command_in(space: str, words: str, *, bare: bool = False) -> Command:
    """Return a command for a space, with --space if it would otherwise look in another one."""
    from memcli.config.config import Config

    elsewhere = space != Config()["space"] and " --space " not in words
    return Command(words, space=space if elsewhere else None, bare=bare)
