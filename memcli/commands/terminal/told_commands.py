"""A command that a message names works when it is pasted: in the store and the space of this call.

What the call was given by option stands in no setting that the pasted command would read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

# The options of one command, by the words of its name and whatever follows; and how many words its name has.
OptionsOf = Callable[[Sequence[str]], tuple[int, frozenset[str]]]

_PLACES = ("--db", "--space")
# What is quoted is nobody's command. One between backticks is whole; of another only its name is known.
_QUOTED = r"""("(?:[^"\\]|\\.)*"|(?<!\w)'[^']*'(?!\w))"""
_WHOLE = r"`mem ([^`]+)`"
_NAMED = r"(?<![\w`/-])mem ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*){0,2})(?![\w-])([^`,;)]*)"

_arguments: Sequence[str] = ()
_options_of: OptionsOf = lambda words: (0, frozenset())  # noqa: E731 - until a command line begins


def begin(arguments: Sequence[str], options_of: OptionsOf) -> None:
    """Take note of the command line that is carried out from now on."""
    global _arguments, _options_of
    _arguments, _options_of = arguments, options_of


def told_command(command: str, space: str) -> str:
    """A command of `mem` for what is in a space: with that space, if it would work in another."""
    from memcli.config.config import Config

    told = _whole(command.removeprefix("mem "), _given())
    if space == Config()["space"] or " --space " in told:
        return told
    return f"{told} --space {_quoted(space)}"


def as_given(line: str) -> str:
    """A message, each command in it with the store and the space that this call was given by option."""
    given = _given() if "mem " in line else {}
    if not given:
        return line
    parts = re.split(_QUOTED, line)
    for place in range(0, len(parts), 2):
        part = re.sub(_NAMED, partial(_named, given), parts[place])
        parts[place] = re.sub(_WHOLE, lambda found: f"`{_whole(found[1], given)}`", part)
    return "".join(parts)


def _given() -> dict[str, str]:
    """The options of this call that say where, with their values; no password."""
    ours = list(_arguments[: [*_arguments, "--"].index("--")])
    given: dict[str, str] = {}
    for word, after in zip(ours, [*ours[1:], ""], strict=True):
        option, is_joined, value = word.partition("=")
        if option in _PLACES and (is_joined or after):
            given[option] = value if is_joined else after
    if "--db" in given:
        from memcli.config.location import read_location

        given["--db"] = str(read_location(given["--db"]))
    return {option: given[option] for option in _PLACES if option in given}


def _whole(command: str, given: dict[str, str]) -> str:
    """A command, from its first word after `mem` to its end, with what it takes of the options given."""
    return f"mem {command}{_taken(command.split(), command, given)}"


def _named(given: dict[str, str], found: re.Match[str]) -> str:
    words = found[1].split()
    count, _ = _options_of(words)
    if not count:
        return found[0]
    rest = "".join(f" {word}" for word in words[count:]) + found[2]
    return f"mem {' '.join(words[:count])}{_taken(words, rest, given)}{rest}"


def _taken(words: Sequence[str], beside: str, given: dict[str, str]) -> str:
    """The options of a command that `given` holds, but for those that stand `beside` its name."""
    _, known = _options_of(words)
    return "".join(
        f" {option} {_quoted(value)}"
        for option, value in given.items()
        if option in known and f"{option} " not in f"{beside} "
    )


def _quoted(value: str) -> str:
    import shlex

    return shlex.quote(value)
