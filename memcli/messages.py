"""Messages for people, in which each `mem` command that they name is a value of its own.

A command that somebody pastes must work on the store that the message is about, and only the command line
knows the options that named that store. So a message is kept in parts until it is printed. It is a plain
`str` as well, with its commands without options, for agents, logs and libraries.
"""

from collections.abc import Callable, Iterable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self, SupportsIndex


class Command:
    """A command in a message: its words after `mem`, with arguments quoted for a shell.

    Options that name store and space are inserted after its `words` and before the `rest`. `space` is set if
    the command would otherwise look in another space, `db` if the store is another than that of the call. It
    is printed `bare` or between backticks.
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
        """Return the command as it is printed, with these options and their values."""
        line = f"mem {self.words}"
        if options:
            import shlex

            line += "".join(f" {option} {shlex.quote(value)}" for option, value in options.items())
        if self.rest:
            line += f" {self.rest}"
        return line if self.bare else f"`{line}`"

    def replace(self, old: str, new: str) -> "Command":
        """Return the command with one text replaced by another."""
        words, rest = self.words.replace(old, new), self.rest.replace(old, new)
        return Command(words, rest, space=self.space, db=self.db, bare=self.bare)

    def on_store(self, db: str) -> "Command":
        """Return the command for that store, unless it names one."""
        named = self.db or "--db " in f"{self.words} {self.rest} "
        return self if named else Command(self.words, self.rest, space=self.space, db=db, bare=self.bare)


class Message(str):
    """A line that names commands; as a `str` it is what is printed if no command needs options."""

    parts: tuple[str | Command, ...]
    __slots__ = ("parts",)

    def __new__(cls, parts: tuple[str | Command, ...]) -> "Self":  # noqa: D102 - `message` makes them
        self = super().__new__(cls, "".join(map(str, parts)))
        self.parts = parts
        return self

    def __str__(self) -> str:
        # `str()` of a message stays a Message.
        return self

    def printed(self, draw: Callable[[Command], str]) -> str:
        """Return the line with each of its commands replaced by what `draw` returns."""
        return "".join(draw(part) if isinstance(part, Command) else part for part in self.parts)

    def replace(self, old: str, new: str, count: "SupportsIndex" = -1) -> str:
        """Replace as `str.replace` does, in each part (`count` in each), so that it stays a message."""
        return message(
            *(
                part.replace(old, new) if isinstance(part, Command) else part.replace(old, new, count)
                for part in self.parts
            )
        )

    def on_store(self, db: str) -> str:
        """Return the message with its commands for that store, whatever store the call is about."""
        return message(*(part.on_store(db) if isinstance(part, Command) else part for part in self.parts))

    def capitalized(self) -> str:
        """Return the message as the beginning of a sentence."""
        first, *rest = self.parts
        return self if isinstance(first, Command) else message(first[0].upper() + first[1:], *rest)


def message(*parts: object) -> str:
    """Return the parts as one line: texts, commands, and messages, whose commands are kept."""
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
    """Return the parts as one line, with `between` between each two."""
    line: list[object] = []
    for part in parts:
        line += [between, part] if line else [part]
    return message(*line)
