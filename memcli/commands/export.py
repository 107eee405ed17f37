"""`mem export`: write memories to a file or stdout."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memcli.commands.terminal import filters, forms, options, output
from memcli.commands.terminal.progress import progress_bar
from memcli.commands.terminal.store import opened_memories
from memcli.commands.terminal.warnings import tell_damaged
from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import Filter
from memcli.storage.batches import BATCH
from memcli.system.files import writing_private
from memcli.text import printable

if TYPE_CHECKING:
    from memcli.keys.age import Sealer
    from memcli.memories import Memories

EXAMPLES = """
mem export > copy.jsonl                    # all of all spaces, ended memories too
mem export --history --vectors -o whole.jsonl
mem export --format md --kind preference   # for people; csv too
mem export --space farm --live
mem export --encrypted -o copy.age         # by the store's key; or --recipient age1…
"""


def command(
    format: Annotated[
        forms.ExportForm,
        typer.Option("--format", "-f", help="jsonl and json are lossless."),
    ] = "jsonl",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="The file to write, readable by you alone; '-' is stdout. [default: stdout]",
        ),
    ] = None,
    kind: options.Kinds = None,
    tag: options.Tags = None,
    space: Annotated[
        str | None, typer.Option("--space", metavar="NAME", help="Only this space; else all of them.")
    ] = None,
    all_spaces: Annotated[
        bool,
        typer.Option("--all-spaces", help="All spaces, as without --space, but without the note on stderr."),
    ] = False,
    session: options.Sessions = None,
    source: options.Sources = None,
    since: options.Since = None,
    until: options.Until = None,
    min_confidence: options.MinConfidence = 0,
    min_importance: options.MinImportance = 0,
    live: Annotated[bool, typer.Option("--live", help="Leave out forgotten and expired ones.")] = False,
    history: Annotated[bool, typer.Option("--history", help="Include the record of every change.")] = False,
    vectors: Annotated[
        bool, typer.Option("--vectors", help="Include the vectors, so that none has to be rebuilt.")
    ] = False,
    trusted_only: options.TrustedOnly = False,
    at: options.At = None,
    as_of: options.AsOf = None,
    encrypted: Annotated[
        bool,
        typer.Option(
            "--encrypted", help="Encrypt in the age format, by the store's own key or a passphrase."
        ),
    ] = False,
    recipient: Annotated[
        list[str] | None,
        typer.Option(
            "--recipient", metavar="KEY", help="Encrypt to this age or SSH public key (repeatable)."
        ),
    ] = None,
    db: options.Db = None,
) -> None:
    """Export memories, all or filtered; ended ones, links and states too.

    Without --space it writes every space, whichever one is set; stderr names
    them. Exits 1 if there is no such space.
    """
    from memcli.upkeep import spaces
    from memcli.upkeep.exchange import documents, export

    if all_spaces and space is not None:
        raise BadInput("--space or --all-spaces, not both")
    with (
        opened_memories(db, space, as_of=as_of, all_spaces=space is None, shows_values=True) as memories,
        _lines_to(out, _sealer(memories, recipient, out) if encrypted or recipient else None) as write_line,
    ):
        if space is not None:
            spaces.space_contents(memories, ended=True)
        elif not all_spaces and len(found := spaces.spaces(memories)) > 1:
            names = ", ".join(each.name for each in found)
            output.to_stderr(f"all {len(found)} spaces: {names} (--space NAME for one)")
        where = filters.filter_options(
            memories, all_spaces=space is None, kinds=kind, tags=tag, sessions=session,
            sources=source, since=since, until=until, min_confidence=min_confidence,
            min_importance=min_importance, ended=not live, trusted_only=trusted_only, at=at,
        )  # fmt: skip
        if format in ("md", "csv"):
            if history or vectors:
                raise BadInput(f"--history and --vectors do not fit into {format}; use jsonl")
            chosen = memories.store.select(where, order="oldest")
            lines = (
                documents.markdown_lines(chosen, _tell_only_texts)
                if format == "md"
                else documents.csv_lines(chosen)
            )
        else:
            records = export.export_records(memories, where, history=history, vectors=vectors)
            rows = (printable.json_line(record) for record in records)
            lines = rows if format == "jsonl" else documents.json_document(rows)
        with _progress(memories, where, quiet=out in (None, Path("-"))) as progress:
            for number, line in enumerate(lines):
                write_line(line)
                if number % BATCH == 0:
                    progress(number)
        damaged = tell_damaged(memories, where.spaces, history=history, vectors=vectors)
    if damaged:
        raise typer.Exit(4)


def _tell_only_texts(number: int) -> None:
    what = "1 procedure or policy" if number == 1 else f"{number:,} procedures and policies"
    output.to_stderr(
        message(
            f"of {what} Markdown has only the text, which is not imported again; --format jsonl, ",
            Command("procedure export"),
            " and ",
            Command("policy export"),
            " have all of it",
        )
    )


def _sealer(memories: "Memories", recipients: list[str] | None, out: Path | None) -> "Sealer":
    from memcli.keys.age import Sealer
    from memcli.storage.encryption import own_salt

    salt = own_salt(memories.store)
    # A terminal gets armoured text, not bytes.
    return Sealer(recipients or [], salt, armoured=out in (None, Path("-")) and output.stdout_is_terminal())


def _progress(
    memories: "Memories", where: Filter, *, quiet: bool
) -> AbstractContextManager[Callable[[int], None]]:
    """Return a progress bar, or none if the export itself is printed on the terminal."""
    if quiet and output.stdout_is_terminal():
        return nullcontext(lambda done: None)
    return progress_bar("exporting", sum(number for *_, number in memories.store.count(where)))


@contextmanager
def _lines_to(path: Path | None, sealer: "Sealer | None" = None) -> Iterator[Callable[[str], None]]:
    """Yield a function that writes a line to stdout, or to a private file that appears when it is complete.

    With a `sealer`, everything is encrypted at the end, and nothing is written before.
    """
    if path == Path("-"):
        path = None
    if sealer is not None:
        lines: list[str] = []
        yield lines.append
        sealed = sealer.encrypt("".join(f"{line}\n" for line in lines).encode())
        if path is None:
            output.bytes_to_stdout(sealed)
            return
    elif path is None:
        yield output.to_stdout
        return
    try:
        with writing_private(path) as file:
            if sealer is not None:
                file.write(sealed)
                return

            def write(line: str) -> None:
                file.write(f"{line}\n".encode())

            yield write
    except OSError as error:
        raise BadInput(
            f"{path}: cannot be written ({error.strerror})", by_hand="name another file"
        ) from error
