"""App: the command line as a whole, with the options of `mem` itself, and an exit status for every error.

The commands are listed in `command_line`, which imports the one that is called.
"""

import gc
import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TextIO

# Before anything else is imported. A command makes some 60,000 objects that all stay, most of them during
# imports; searching them for garbage after every 700, as Python does, took a tenth of its time.
gc.set_threshold(100_000, 10, 10)

import typer

from memcli.command_line.loading import LazyGroup, misplaced_option, refuse_empty_paths
from memcli.commands.terminal.places import PlaceType
from memcli.config.location import location_text
from memcli.errors import BadInput, MemcliError, StoreUnusable
from memcli.messages import Command, Message, message
from memcli.system import written

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
        Any,
        typer.Option(
            "--db",
            metavar="STORE",
            click_type=PlaceType(),
            help="The store's file, or its address, for any command.",
        ),
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
        # Commands read the environment, and a flag takes precedence over it.
        os.environ["MEMCLI_DB"] = location_text(db)


@cache
def _root_command() -> Any:
    command = typer.main.get_command(app)
    refuse_empty_paths(command)
    return command


def main() -> None:
    """Run the command line and exit; if the owner wants it, start a keeper for the next call.

    Stores are closed and streams flushed by then; what Python would still do, unloading numpy and onnxruntime
    piece by piece, costs 40 ms a command.
    """
    status = complete(sys.argv[1:])
    # If MEMCLI_WARM is unset and no config file was read (tomllib), no setting can ask for a keeper.
    wanted = os.environ.get("MEMCLI_WARM")
    if wanted != "off" and (wanted or "tomllib" in sys.modules):
        from memcli.warm.control import start_where_wanted

        start_where_wanted()
    os._exit(status)


def complete(arguments: list[str]) -> int:
    """Run one command line to its end, flush its output, and return its exit status."""
    status = run(arguments)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, full, or not there
            stream.flush()
    return status


def runs_cold(arguments: list[str]) -> bool:
    """True if a command line must not be run by a child of the keeper."""
    from memcli.warm import cold

    return cold.runs_cold(_own_words(arguments))


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit status; that of a hook is always 0."""
    if "hook" not in arguments:
        return _logged(arguments)
    from memcli.agents.hooks.command_line import is_hook

    if not is_hook(arguments):
        return _logged(arguments)
    # An agent takes any other status for a refusal of what its user typed.
    with suppress(Exception):
        _logged(arguments)
    return 0


def _logged(arguments: list[str]) -> int:
    """Run one command line, with a line in the log if MEMCLI_LOG names one; return its exit status."""
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
    """Return the commands and options on a command line, without their values."""
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


def _run(arguments: list[str]) -> int:  # noqa: C901, PLR0911 - one return an error
    """Run one command line and return its exit status: the only place where errors become statuses."""
    _prepare_streams()
    written.forget()
    name = Path(sys.argv[0]).stem
    program = name if name in ("mem", "memcli") else "mem"
    try:
        command = _root_command()
        if asked := os.environ.get("_MEM_COMPLETE"):
            from memcli.commands.completions import completion_candidates

            sys.stdout.writelines(f"{line}\n" for line in completion_candidates(asked.split("\t"), command))
            return 0
        _check_text(arguments)
        status = command.main(arguments, prog_name=program, standalone_mode=False, obj=arguments)
        sys.stdout.flush()
        if status == 1 and "--json" not in arguments:
            _tell_nothing_found()
        return status if isinstance(status, int) else 0
    except MemcliError as error:
        if isinstance(error, BadInput) and error.given is not None:
            _name_option(error, error.given, arguments)
        return _report(arguments, error.code, str(error), error.exit_status, getattr(error, "rule", None))
    except typer.Abort as error:
        return _report(arguments, "interrupted", str(error) or "interrupted", 130)
    except KeyboardInterrupt:
        return _report(arguments, "interrupted", "interrupted", 130)
    except BrokenPipeError:
        return _reader_gone()
    except MemoryError:
        said = "there is not enough memory for it; ask for less, or try again when less is running"
        return _report(arguments, StoreUnusable.code, said, StoreUnusable.exit_status)
    except OSError as error:
        stays = "; what was written to the store stays" if written.is_noted() else ""
        return _report(arguments, "output", f"the output cannot be written ({error.strerror}){stays}", 2)
    except SystemExit as error:
        if isinstance(error.__context__, OSError):
            return _reader_gone()
        return error.code if isinstance(error.code, int) else 0
    except typer.TyperException as error:
        return _usage(arguments, error)


def _prepare_streams() -> None:
    """Let stdout and stderr take any text, and make hidden characters visible on a terminal."""
    # If stdout was closed by the caller (`>&-`), writing data fails, which is reported; messages are dropped.
    sys.stdout = sys.stdout or _unwritable_stream()
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # Data is UTF-8 with \n on every platform.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    if sys.stdout.isatty() or sys.stderr.isatty():
        _show_what_hides()


def _unwritable_stream() -> TextIO:
    """Return a stream that accepts no data, for a closed one, so that no later file gets its number."""
    return os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")


def _show_what_hides() -> None:
    """Print control characters on a terminal as escapes."""
    from memcli.commands.terminal.stream import visible_stream

    if sys.stdout.isatty():
        sys.stdout = visible_stream(sys.stdout)
    if sys.stderr.isatty():
        sys.stderr = visible_stream(sys.stderr)


def _tell_nothing_found() -> None:
    """Say so on a terminal on which nothing was shown; in a pipe the exit status tells."""
    nothing = getattr(sys.stdout, "shown", None) is False and getattr(sys.stderr, "told", None) is False
    if nothing:
        from memcli.commands.terminal import output

        output.to_stderr("nothing found")


def _check_text(arguments: list[str]) -> None:
    """Raise BadInput for an argument that is not UTF-8, which no store could keep."""
    cut = [*arguments, "--"].index("--")
    # Arguments after `--` belong to the program that `checkpoint run` runs, and may be any bytes.
    ours = arguments[:cut] if arguments[:cut].count("run") and "checkpoint" in arguments[:cut] else arguments
    for argument in ours:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            raise BadInput(
                f"the argument {argument!r:.60} is not valid UTF-8; convert it first (iconv -t UTF-8)"
            ) from error


def _report(arguments: list[str], code: str, said: str, status: int, rule: str | None = None) -> int:
    from memcli.commands.terminal import output
    from memcli.text import printable

    if "MEMCLI_LOG" in os.environ:
        from memcli.system.activity_log import note_error

        note_error(code)
    if isinstance(said, Message):
        from memcli.commands.terminal.call import Call

        said = Call(arguments, _root_command()).printed(said)
    if status in (1, 2):
        # Usage errors quote what was typed.
        from memcli.text.secrets.redaction import without_quoted_secrets

        said = without_quoted_secrets(said)
    # Arguments after `--` belong to another program.
    if "--json" in arguments[: [*arguments, "--"].index("--")]:
        record = {"error": code, "message": printable.one_line(said), "exit_status": status}
        if rule:
            record["rule"] = rule
        output.text_to_stderr(printable.json_line(record) + "\n")
    else:
        output.to_stderr(said)
    return status


def _usage(arguments: list[str], error: Any) -> int:
    context = getattr(error, "ctx", None)
    if not error.format_message() or type(error).__name__ == "NoArgsIsHelpError":
        from memcli.commands.terminal import output

        output.text_to_stderr(context.get_help() + "\n" if context else "")
        return 2
    named = " ".join(word for word in _own_words(arguments) if not word.startswith("-"))
    words = context.command_path.partition(" ")[2] if context else named
    see = message(" (see ", Command(f"{words} --help".strip()), ")")
    option = getattr(error, "option_name", None)
    # An argument like "- buy milk" is a text, not an option.
    text = option and next((each for each in arguments if _begins_like(option, each)), None)
    if text:
        said = message(f"{text!r:.60} begins like an option; put -- before such a text", see)
        return _report(arguments, "usage", said, 2)
    if context and option and (word := misplaced_option(context.command, option, arguments)):
        right = Command(f"{words} {word}".strip(), f"{option} …", bare=True)
        said = message(f"{option} stands behind the command it is for: ", right)
        return _report(arguments, "usage", said, 2)
    return _report(arguments, "usage", message(error.format_message(), see), 2)


def _name_option(error: BadInput, text: str, arguments: list[str]) -> None:
    """Let an error about a text name the option, as it was typed, to which the text was given."""
    ours = arguments[: [*arguments, "--"].index("--")]
    options = {word for word in _own_words(arguments) if word.startswith("-")}
    for before, each in zip(["", *ours], ours, strict=False):
        option, is_joined, value = each.partition("=")
        if option in options and is_joined and value == text:
            error.name(option)
        elif before in options and each == text:
            error.name(before)


def _begins_like(option: str, argument: str) -> bool:
    return argument.startswith(option) and " " in argument.partition("=")[0]


def _reader_gone() -> int:
    """Stop silently, since the reader of our pipe has seen enough (`| head`); return 0."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
