"""`mem why`: show why a memory was kept, what changed it, and what uses it."""

from memcli.changes.provenance import provenance_of
from memcli.changes.story import story_lines
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import memory_by_id, opened_memories
from memcli.text import printable

EXAMPLES = """
mem why C92GGS8B
mem why B0NV1PBM --json | jq .
"""


def command(
    fragment: options.Id,
    space: options.Space = None,
    all_spaces: options.AllSpaces = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Show why a memory was kept, what changed it, and what uses it."""
    with opened_memories(db, space) as memories:
        story = provenance_of(memories, memory_by_id(memories, fragment, all_spaces=all_spaces))
    if json:
        output.to_stdout(printable.json_line(story.to_record()))
        return
    for line in story_lines(story):
        output.to_stdout(printable.one_line(line))
