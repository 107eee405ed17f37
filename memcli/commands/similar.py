"""`mem similar`: find memories similar to one memory."""

from typing import Annotated

import typer

from memcli.commands.terminal import filters, options
from memcli.commands.terminal.answers import (
    Format,
    chosen_look,
    print_answer,
    print_degraded,
    print_nothing_found,
)
from memcli.commands.terminal.store import memory_by_id, opened_memories
from memcli.commands.terminal.values import fraction_option
from memcli.tiers.context.gather import gather

EXAMPLES = """
mem similar QP6W3B9Y -n 3
mem similar QP6W3B9Y --min-score 0.5 --format ids
"""


def command(
    fragment: options.Id,
    limit: Annotated[
        int | None, typer.Option("-n", "--limit", min=1, metavar="N", help="At most this many.")
    ] = None,
    kind: options.Kinds = None,
    tag: options.Tags = None,
    space: options.Space = None,
    all_spaces: options.AllSpaces = False,
    min_score: Annotated[
        float, typer.Option(min=0, max=1, metavar="0..1", help="The lowest cosine that counts.")
    ] = 0.0,
    format: Format = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Find what is most like one memory.

    Scores are cosines; those of other models are put on the default model's scale.
    Exits 1 if there is nothing.
    """
    with opened_memories(db, space) as memories:
        memory = memory_by_id(memories, fragment, all_spaces=all_spaces)
        fraction_option("--min-score", min_score)
        where = filters.filter_options(memories, all_spaces=all_spaces, kinds=kind, tags=tag)
        settings = memories.settings(limit=limit, min_score=min_score)
        answer = gather(memories, memories.similar(memory, where, settings), where, tiers=())
    look = chosen_look(format, json)
    if answer.recall:
        print_degraded(answer.degraded, partly=answer.recall.partly)
    print_answer(answer, look)
    if not answer.relevant:
        print_nothing_found(answer.degraded, look)
        raise typer.Exit(1)
