"""`mem reindex`: rebuild the index, which is derived data: words, tags and vectors."""

from typing import Annotated

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.progress import progress_bar
from memcli.commands.terminal.store import opened_memories
from memcli.model import Filter
from memcli.text import printable
from memcli.text.counting import counted

EXAMPLES = """
mem reindex
mem reindex --missing   # only what has no vector yet
"""


def command(
    missing: Annotated[
        bool, typer.Option("--missing", help="Only embed memories that have no vectors.")
    ] = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Rebuild words, tags and vectors from the memories.

    Recalls are answered meanwhile. It may be interrupted and run again. To
    change the model, use `mem model use`.
    """
    from memcli.upkeep import reindex

    with opened_memories(db) as memories:
        total = sum(number for _, _, number in memories.store.count(Filter(spaces=None, live=False)))
        with progress_bar("embedding", total) as progress:
            done = reindex.reindex_store(memories, missing_only=missing, progress=progress)
        name = memories.model.open().identity.name
    if json:
        output.to_stdout(printable.json_line({"embedded": done, "model": name}))
    else:
        output.to_stdout(f"{counted(done, 'memory', 'memories')} embedded by {name}")
