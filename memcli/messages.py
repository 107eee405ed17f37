"""Messages for people, in which each command of `mem` that they name is a value of its own.

A command that somebody pastes must work on the store that the message speaks of, and only the command
line knows by which options it was told of that store. So a message stays in parts until it is printed.
It is a plain `str` as well, its commands without options: for agents, logs and libraries.
"""

from collections.abc import Callable, Iterable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self, SupportsIndex


class Command:
    """A command in a message: its words after `mem`, arguments quoted for a shell.

    The options that say where it looks stand behind its `words` and before the `rest`. `space`: where what
    it is about is, if it would otherwise look in another one; `db` the store, where it is another than that
    of the call. It is printed `bare` or between backticks.
    """

    __slots__ = ("bare", "db", "rest", "space", "words")

    def __init__(
        self,
        words: str,
        rest: str = "",
        *,
        space: str | None = None,
        db: str | None = None,
        bare: bool = False,
    ) -> None:
        self.words, self.rest, self.space, self.db, self.bare = words, rest, space, db, bare

    def __str__(self) -> str:
        places = {"--db": self.db, "--space": self.space}
        return self.with_options({option: value for option, value in places.items() if value is not None})

    def with_options(self, options: dict[str, str]) -> str:
        """The command as it is printed, with these options and their values."""
        line = f"mem {self.words}"
        if options:
            import shlex

            line += "".join(f" {option} {shlex.quote(value)}" for option, value in options.items())
        if self.rest:
            line += f" {self.rest}"
        return line if self.bare else f"`{line}`"

    def replace(self, old: str, new: str) -> "Command":
        """The command with another text in the place of one."""
        words, rest = self.words.replace(old, new), self.rest.replace(old, new)
        return Command(words, rest, space=self.space, db=self.db, bare=self.bare)

    def on_store(self, db: str) -> "Command":
        """The command on that store, unless it names one."""
        named = self.db or "--db " in f"{self.words} {self.rest} "
        return self if named else Command(self.words, self.rest, space=self.space, db=db, bare=self.bare)


class Message(str):
    """A line that names commands; as a `str` it is what is printed where no command wants an option."""

    parts: tuple[str | Command, ...]
    __slots__ = ("parts",)

    def __new__(cls, parts: tuple[str | Command, ...]) -> "Self":  # noqa: D102 - `message` makes them
        self = super().__new__(cls, "".join(map(str, parts)))
        self.parts = parts
        return self

    def __str__(self) -> str:
        # What makes texts of messages leaves them messages.
        return self

    def printed(self, draw: Callable[[Command], str]) -> str:
        """The line with each of its commands as `draw` has it."""
        return "".join(draw(part) if isinstance(part, Command) else part for part in self.parts)

    def replace(self, old: str, new: str, count: "SupportsIndex" = -1) -> str:
        """As for any `str`, in each part (`count` in each): the message stays in parts."""
        return message(
            *(
                part.replace(old, new) if isinstance(part, Command) else part.replace(old, new, count)
                for part in self.parts
            )
        )

    def on_store(self, db: str) -> str:
        """The message with its commands on that store, whichever the call is about."""
        return message(*(part.on_store(db) if isinstance(part, Command) else part for part in self.parts))

    def capitalized(self) -> str:
        """The message as the beginning of a sentence."""
        first, *rest = self.parts
        return self if isinstance(first, Command) else message(first[0].upper() + first[1:], *rest)


def message(*parts: object) -> str:
    """The parts in a line: texts, commands, and messages, of which the commands are kept."""
    flat: list[str | Command] = []
    for part in parts:
        line = part if isinstance(part, Command) else str(part)
        if isinstance(line, Message):
            flat += line.parts
        elif line:
            flat.append(line)
    texts = [part for part in flat if isinstance(part, str)]
    return "".join(texts) if len(texts) == len(flat) else Message(tuple(flat))


def joined(between: str, parts: Iterable[object]) -> str:
    """The parts in a line, something between each two."""
    line: list[object] = []
    for part in parts:
        line += [between, part] if line else [part]
    return message(*line)
