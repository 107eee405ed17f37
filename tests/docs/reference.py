"""The commands as pages and as a manual page, from what the commands themselves say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import typer

from memcli import __version__
from memcli.app import app
from memcli.command_line.loading import load_command
from memcli.command_line.table import COMMANDS, SECTIONS
from memcli.config.settings import SETTINGS, environment_variable


class Entry(NamedTuple):
    """A command: its path ("mem task step"), itself, its context."""

    path: str
    command: Any
    context: Any

    @property
    def usage(self) -> str:
        """How it is called."""
        return " ".join([self.path, *self.command.collect_usage_pieces(self.context)])

    @property
    def help(self) -> list[str]:
        """What it does, a paragraph each."""
        text = (self.command.help or "").split("\f")[0].strip()
        return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """Its arguments and options but --help: how each is written, what it does."""
        told = [each.get_help_record(self.context) for each in self.command.params]
        return [(name, " ".join(text.split())) for name, text in filter(None, told)]

    @property
    def examples(self) -> list[str]:
        """The command lines at the end of its help."""
        return [line[2:] for line in (self.command.epilog or "").split("\n")[2:]]


def root() -> Entry:
    """`mem` itself."""
    command = typer.main.get_command(app)
    return Entry("mem", command, command.context_class(command, info_name="mem", **command.context_settings))


def entries(name: str) -> Iterator[Entry]:
    """A command of COMMANDS, and all below it."""
    yield from _walk(load_command(name), f"mem {name}", root().context)


def _walk(command: Any, path: str, parent: Any) -> Iterator[Entry]:
    context = command.context_class(command, info_name=path.rpartition(" ")[2], parent=parent)
    yield Entry(path, command, context)
    for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
        below = command.get_command(context, name)
        if not below.hidden:  # what one command calls of another is nobody's to read about
            yield from _walk(below, f"{path} {name}", context)


def formats_taken() -> dict[str, list[str]]:
    """The names that `--format` takes, by the command that has it."""
    return {
        each.path.removeprefix("mem "): list(option.type.choices)
        for name in COMMANDS
        for each in entries(name)
        for option in each.command.params
        if "--format" in option.opts
    }


# Pages


def page(name: str) -> str:
    """The page of a command, those below it included."""
    parts = []
    for number, each in enumerate(entries(name)):
        parts.append(f"{'#' if number == 0 else '##'} {each.path}")
        parts += [*each.help, f"```text\n{each.usage}\n```"]
        rows = [f"| `{_cell(left)}` | {_cell(right)} |" for left, right in each.parameters]
        parts += ["\n".join(["| | |", "|---|---|", *rows])] if rows else []
        # Those of a group stand at its commands.
        if each.examples and not hasattr(each.command, "commands"):
            parts.append("\n".join(["```sh", *each.examples, "```"]))
    return _marked("\n\n".join(parts))


def index() -> str:
    """The commands by section, each with its line."""
    return _marked(f"# Commands\n\n{sections('')}")


def sections(folder: str) -> str:
    """A table of the commands by section; `folder` leads to their pages."""
    rows = ["| command | |", "|---|---|"]
    for title, lines in SECTIONS.items():
        rows.append(f"| **{title}** | |")
        rows += [f"| [`{name}`]({folder}{name}.md) | {line} |" for name, line in lines.items()]
    return "\n".join(rows)


def overview(folder: str) -> str:
    """The names of the commands, a line a section; `folder` leads to their pages."""
    return "\n".join(
        f"- **{title}**: " + " ".join(f"[`{name}`]({folder}{name}.md)" for name in lines)
        for title, lines in SECTIONS.items()
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _marked(text: str) -> str:
    return f"{text}\n\n<!-- Written by tests/docs/generate.py from the commands themselves. -->\n"


# The manual page

_MANNERS = """\
Data goes to stdout, everything else to stderr. A terminal gets tables, a pipe plain text (recall: a block for
prompts), --json one object a line. '-' is stdin. Nothing is asked where there is no terminal."""


def manual() -> str:
    """`man mem`, for groff's man macros."""
    out = [
        f'.TH MEM 1 "" "memcli {__version__}"',
        ".SH NAME",
        "mem \\- a personal memory on your own machine",
    ]
    out += [".SH SYNOPSIS", ".B mem", roff("[OPTIONS] COMMAND [ARGS]...")]
    what, status = root().help
    out += [".SH DESCRIPTION", *_paragraphs([what, _MANNERS])]
    out += [".SH OPTIONS", *_tagged(root().parameters)]
    for title, lines in SECTIONS.items():
        out.append(f".SH {roff(title.upper())}")
        for name in lines:
            for each in entries(name):
                out += [f".SS {roff(each.path)}", *_paragraphs([each.usage, *each.help])]
                out += _tagged(each.parameters)
                if each.examples and not hasattr(each.command, "commands"):
                    out += [".PP", "Examples:", ".PP", ".nf", ".RS 4"]
                    out += [*(roff(line) for line in each.examples), ".RE", ".fi"]
    out += [
        ".SH ENVIRONMENT",
        *_paragraphs(["MEMCLI_CONFIG names the config file. Every setting has a variable:"]),
    ]
    out += _tagged([(environment_variable(name), setting.help) for name, setting in SETTINGS.items()])
    out += [".SH EXIT STATUS", *_paragraphs([status.removeprefix("Exit status: ")])]
    out += [".SH SEE ALSO", roff("mem help TOPIC shows the pages of the documentation.")]
    return "\n".join(out) + "\n"


def roff(text: str) -> str:
    """A text as data: no line of it is a request, no sign of it an escape."""
    text = re.sub(r"\\", r"\\e", text).replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = text.replace("^", "\\(ha").replace("~", "\\(ti")
    return "\n".join(f"\\&{line}" if line.startswith((".", "\\(aq")) else line for line in text.split("\n"))


def _paragraphs(texts: list[str]) -> Iterator[str]:
    for text in texts:
        yield from (".PP", roff(" ".join(text.split())))


def _tagged(pairs: list[tuple[str, str]]) -> Iterator[str]:
    for name, text in pairs:
        yield from (".TP", f"\\fB{roff(name)}\\fR", roff(text))


def commands() -> list[str]:
    """The names of all commands."""
    return list(COMMANDS)
