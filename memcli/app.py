"""Which commands there are, and how an error becomes an exit status.

A command's module is imported when it is called, and only that one: sixty
commands cost no more than five. The lines of help stand here for the same
reason; a test holds them against the modules.
"""

from __future__ import annotations

import gc
import os
import re
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

# Before anything else is imported. A command makes some 60,000 objects that all stay, most of them while it
# imports; to look through them for garbage after every 700, as Python does, took a tenth of its time.
gc.set_threshold(100_000, 10, 10)

import typer
from typer.core import TyperGroup
from typer.models import TyperPath

from memcli.errors import BadInput, MemcliError

SECTIONS = {
    "Remember and recall": {
        "remember": "Keep a memory: from words, a pipe, or a bulk file.",
        "recall": "Find memories by words and meaning.",
        "context": "Say what an agent should know at the start: "
        "blocks, task, rules, what is due or promised.",
        "profile": "Show the owner's picture: blocks, preferences, constraints, habits, people, goals.",
        "similar": "Find what is most like one memory.",
        "list": "List memories, newest first.",
        "show": "Show everything about one memory.",
    },
    "Correct and forget": {
        "correct": "Replace what a memory says; the old one stays on record.",
        "confirm": "Believe a memory more: confidence +0.1, at most 1.",
        "doubt": "Believe a memory less: confidence -0.2, at least 0.",
        "edit": "Change tags, importance, confidence or validity of a memory.",
        "merge": "Make one memory of several: tags united, uses summed, the old ones ended and linked.",
        "forget": "Take memories out of every recall; `restore` brings them back. With --hard they are gone.",
        "restore": "Bring forgotten memories back.",
        "history": "Show who changed what, when and why: newest first, one line a change.",
        "undo": "Take back the last change, or a named one; the undo is itself on record.",
    },
    "Look over what is kept": {
        "review": "Accept or reject what waits for its owner.",
        "rule": "Say what is always, temporarily or never remembered, and what waits for review.",
        "why": "Say why a memory was taken, what changed it, and what uses it.",
        "check": "Keep questions and what they must find, and see whether they still do.",
        "audit": "Look the memories over: duplicates, contradictions, secrets, never used.",
        "consolidate": "Expire, fold, distil, merge, fade, prune and tend; `mem undo RUN` takes a run back.",
        "space": "List, rename, move, export or forget spaces.",
    },
    "Link who and what is related": {
        "link": "Link two entities: `mem link Ann works_at Acme --since 2024`.",
        "unlink": "Take a link back, as if it had been wrong; `mem link` again revives it.",
        "graph": "Show what is linked: around an entity, between two, all; name aliases.",
    },
    "Work with an agent": {
        "block": "Keep small texts that always come along: who you are, how you like things done.",
        "checkpoint": "Save the state of a long task, and run its steps once.",
        "hook": "Answer an agent's hooks; put them into its settings, and take them out again.",
        "init": "Tell an agent how and when to use mem: a skill, and on request hooks and the MCP server.",
        "mcp": "Serve an agent by the Model Context Protocol, on stdin and stdout.",
        "log": "Append a turn, a tool's output, a decision or an error to the current session.",
        "session": "Start, list, show, end, move sessions, and print one as messages for an LLM.",
        "task": "Keep the working memory of the task at hand.",
    },
    "Take it elsewhere": {
        "export": "Write out memories, all or filtered: ended ones, links and states too.",
        "import": "Take in an export, a file of memories, or what another program keeps.",
        "sync": "Exchange changes with your other machines through a folder: a synced one, a share, a stick.",
        "merge-store": "Take in all that another store knows, by the rules of `mem sync`; "
        "its file stays as it is.",
    },
    "Know how, and what is allowed": {
        "procedure": "Keep procedures in versions, find them by situation, count how they worked.",
        "policy": "Keep rules, and ask them: may I do this?",
    },
    "Look after the store": {
        "stats": "Count what is in the space, or in the whole store, and how it is used.",
        "backup": "Back the store up now; list, verify and restore backups.",
        "snapshot": "Name a state of the whole store, see what has changed since, go back to it.",
        "doctor": "Check that the store is sound, and say what to do where it is not.",
        "reindex": "Rebuild words, tags and vectors from the memories.",
        "encrypt": "Encrypt the store and its backups in place.",
        "decrypt": "Make an encrypted store and its backups plain files again.",
        "rekey": "Give an encrypted store and its backups another key.",
        "model": "Say which embedding model serves, compile it, check it.",
        "config": "List, get and set settings.",
        "warm": "Keep a process warm for the next calls: start it, stop it, say how it does.",
        "path": "Print the path of the store's file.",
        "completions": "Print the completion script of a shell.",
        "help": "Show a command with its examples, or a page of the documentation.",
    },
}
COMMANDS = {name: line for section in SECTIONS.values() for name, line in section.items()}


_NO_WORD = r"[^\w-]+"


class LazyGroup(TyperGroup):
    """The commands of COMMANDS, each imported from its module on demand."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, its module imported; None where there is none."""
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the help of all commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, or say which one may have been meant."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], COMMANDS, n=1, cutoff=0.5)
            hint = f"did you mean '{close[0]}'?" if close else "`mem --help` lists them"
            ctx.fail(f"no command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete a command's name, or the group's own options."""
        from typer._click.shell_completion import CompletionItem

        named = [CompletionItem(n, help=h) for n, h in COMMANDS.items() if n.startswith(incomplete)]
        return named or super().shell_complete(ctx, incomplete)


@cache
def load_command(name: str) -> Any:
    """Import the module of a command and build it: a function `command` or a group `app`, and EXAMPLES."""
    # Python's own words get an underscore: memcli/commands/import_.py
    module = import_module(
        f"memcli.commands.{name.replace('-', '_')}{'_' if name in ('import', 'list') else ''}"
    )
    if hasattr(module, "app"):
        command = typer.main.get_command(module.app)
    else:
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(name)(module.command)
        command = typer.main.get_command(single)
    command.name = name
    _allow_force(command)
    _refuse_empty_paths(command)
    # Beside each line its words alone, in which a path is looked for.
    lines = module.EXAMPLES.strip().splitlines()
    _add_examples(command, f"mem {name}", [(line, f" {re.sub(_NO_WORD, ' ', line)} ") for line in lines])
    return command


def _allow_force(command: Any) -> None:
    """Let a command, and all below it, be given --force: to write to a store that doctor has flagged.

    Not one that is given another program's options: there it would be that one's.
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


def _refuse_empty_paths(command: Any) -> None:
    """Have a command, and all below it, refuse an empty path (an unset variable): it is no folder at hand."""
    for below in getattr(command, "commands", {}).values():
        _refuse_empty_paths(below)
    for each in command.params:
        if isinstance(each.type, TyperPath):
            each.type = _GivenPath(each.type)


class _GivenPath(TyperPath):
    """A path by the rules of another such type, that is not empty."""

    def __init__(self, like: TyperPath) -> None:
        super().__init__()
        self.__dict__.update(like.__dict__)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The path; a usage error where it is empty."""
        if not str(value).strip():
            self.fail("is empty; name a path (an unset variable?)", param, ctx)
        return super().convert(value, param, ctx)


def _add_examples(command: Any, path: str, examples: list[tuple[str, str]]) -> None:
    """End the help of a command, and of all below it, with those of its module's examples that call it."""
    calling = [f"  {line}" for line, words in examples if f" {path} " in words]
    # To the formatter of help a line of \b says: leave the following lines as they are.
    command.epilog = "\n".join(["\b", "Examples:", *calling]) if calling else None
    for name, below in getattr(command, "commands", {}).items():
        _add_examples(below, f"{path} {name}", examples)


app = typer.Typer(
    cls=LazyGroup,
    add_completion=False,
    rich_markup_mode=None,  # plain help: rich would double its time
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from memcli import __version__

        sys.stdout.write(f"memcli {__version__}\n")
        raise typer.Exit


@app.callback()
def _root(
    db: Annotated[
        Path | None, typer.Option("--db", metavar="FILE", help="The store's file, for any command.")
    ] = None,
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Write to a store that `mem doctor` has flagged, in any command."),
    ] = False,
) -> None:
    """A personal memory on your own machine: tell it, ask it, see, correct and erase it.

    Exit status: 0 done, 1 nothing found, 2 wrong usage or input, 3 refused by
    policy, 4 store unusable, 5 model unusable, 130 interrupted.
    """
    if db:
        # A flag wins over the environment; the commands read the environment.
        os.environ["MEMCLI_DB"] = str(db)


@cache
def _root_command() -> Any:
    command = typer.main.get_command(app)
    _refuse_empty_paths(command)
    return command


def main() -> None:
    """Run the command line and exit; where the owner wants it, a keeper is started for the next call.

    Stores are closed and streams flushed by then; what Python would still do,
    taking numpy and onnxruntime down piece by piece, costs 40 ms a command.
    """
    status = complete(sys.argv[1:])
    # Where neither of them was loaded, no setting can say so.
    if "MEMCLI_WARM" in os.environ or "tomllib" in sys.modules:
        from memcli.warm.control import start_where_wanted

        start_where_wanted()
    os._exit(status)


def complete(arguments: list[str]) -> int:
    """Carry out one command line to its end, all that it says flushed, and return its exit status."""
    status = run(arguments)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, full, or not there
            stream.flush()
    return status


def runs_cold(arguments: list[str]) -> bool:
    """Whether a command line is none for a child of the keeper."""
    from memcli.warm import cold

    return cold.runs_cold(_own_words(arguments))


def run(arguments: list[str]) -> int:
    """Carry out one command line and return its exit status; a hook's is 0 whatever happens."""
    from memcli.agents.hooks.command_line import is_hook

    if not is_hook(arguments):
        return _logged(arguments)
    # An agent takes any other for a refusal of what its user typed.
    with suppress(Exception):
        _logged(arguments)
    return 0


def _logged(arguments: list[str]) -> int:
    """The same as `_run`; with MEMCLI_LOG, logged."""
    if not os.environ.get("MEMCLI_LOG") or os.environ.get("_MEM_COMPLETE"):
        return _run(arguments)
    from memcli.system.activity_log import logging

    try:
        with logging(_own_words(arguments)) as status:
            status.append(_run(arguments))
            return status[-1]
    except OSError as error:
        from memcli.commands.terminal import output

        output.to_stderr(f"MEMCLI_LOG: the log cannot be written ({error.strerror}); name another file")
        return 2


def _own_words(arguments: list[str]) -> list[str]:
    """Of a command line the words that are ours: commands and options, never what was given to them."""
    known: Any = _root_command()
    words: list[str] = []
    for argument in arguments[: [*arguments, "--"].index("--")]:
        option = argument.partition("=")[0]
        if hasattr(known, "list_commands") and argument in known.list_commands(None):
            known = known.get_command(None, argument)
            words.append(argument)
        elif any(option in (*each.opts, *each.secondary_opts) for each in known.params):
            words.append(option)
    return words


def _run(arguments: list[str]) -> int:  # noqa: PLR0911 - one return an error
    """Carry out one command line and return its exit status: the only place that makes one."""
    # Where we were started with a stream closed (`>&-`), what goes there goes nowhere.
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - till the end
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # Data is UTF-8 with \n on every platform.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    if sys.stdout.isatty() or sys.stderr.isatty():
        _show_what_hides()
    name = Path(sys.argv[0]).stem
    program = name if name in ("mem", "memcli") else "mem"
    try:
        command = _root_command()
        if asked := os.environ.get("_MEM_COMPLETE"):
            from memcli.commands.completions import completion_candidates

            sys.stdout.writelines(f"{line}\n" for line in completion_candidates(asked.split("\t"), command))
            return 0
        _check_text(arguments)
        status = command.main(arguments, prog_name=program, standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except MemcliError as error:
        return _report(arguments, error.code, str(error), error.exit_status, getattr(error, "rule", None))
    except typer.Abort:
        return _report(arguments, "interrupted", "interrupted", 130)
    except KeyboardInterrupt:
        return _report(arguments, "interrupted", "interrupted", 130)
    except BrokenPipeError:
        return _reader_gone()
    except OSError as error:
        return _report(arguments, "output", f"the output cannot be written ({error.strerror})", 2)
    except SystemExit as error:
        if isinstance(error.__context__, OSError):
            return _reader_gone()
        return error.code if isinstance(error.code, int) else 0
    except typer.TyperException as error:
        return _usage(arguments, error)


def _show_what_hides() -> None:
    from memcli.commands.terminal.stream import visible_stream

    if sys.stdout.isatty():
        sys.stdout = visible_stream(sys.stdout)
    if sys.stderr.isatty():
        sys.stderr = visible_stream(sys.stderr)


def _check_text(arguments: list[str]) -> None:
    """Raise BadInput for an argument that is not UTF-8, which no store could keep."""
    cut = [*arguments, "--"].index("--")
    # What `checkpoint run` runs is another program's, and any bytes are its arguments.
    ours = arguments[:cut] if arguments[:cut].count("run") and "checkpoint" in arguments[:cut] else arguments
    for argument in ours:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            raise BadInput(
                f"the argument {argument!r:.60} is not valid UTF-8; convert it first (iconv -t UTF-8)"
            ) from error


def _report(arguments: list[str], code: str, message: str, status: int, rule: str | None = None) -> int:
    from memcli.commands.terminal import output
    from memcli.text import printable

    if "MEMCLI_LOG" in os.environ:
        from memcli.system.activity_log import note_error

        note_error(code)
    if status in (1, 2):
        # They quote what was typed.
        from memcli.text.secrets.redaction import without_quoted_secrets

        message = without_quoted_secrets(message)
    # What stands behind `--` is another program's.
    if "--json" in arguments[: [*arguments, "--"].index("--")]:
        record = {"error": code, "message": printable.one_line(message), "exit_status": status}
        if rule:
            record["rule"] = rule
        output.text_to_stderr(printable.json_line(record) + "\n")
    else:
        output.to_stderr(message)
    return status


def _usage(arguments: list[str], error: Any) -> int:
    context = getattr(error, "ctx", None)
    if not error.format_message() or type(error).__name__ == "NoArgsIsHelpError":
        from memcli.commands.terminal import output

        output.text_to_stderr(context.get_help() + "\n" if context else "")
        return 2
    where = context.command_path if context else "mem"
    return _report(arguments, "usage", f"{error.format_message()} (see `{where} --help`)", 2)


def _reader_gone() -> int:
    """The reader of our pipe has seen enough (`| head`): stop without a word."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
