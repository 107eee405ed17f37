"""`mem review`: accept or reject what waits for its owner."""

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from memcli import ids, times
from memcli.commands.terminal import options, output
from memcli.commands.terminal.decisions import print_decision
from memcli.commands.terminal.store import opened_memories
from memcli.errors import BadInput
from memcli.messages import Command, message
from memcli.prompt import formats
from memcli.text import printable

if TYPE_CHECKING:
    from memcli.graph.proposed_links import ProposedLink
    from memcli.scope import Scope
    from memcli.write_policy.review import HeldMemory

EXAMPLES = """
mem review list
mem review accept "$(mem review list --json | jq -r .id)"
mem review reject --all              # all that waits
mem review list --rejected           # exit 1: none was; `accept` takes one in after all
mem review close DW2SK7AB F1MYKXPQ   # both hold: the question is not put again
"""

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Accept or reject what waits for your approval.",
)
Some = Annotated[
    list[str] | None, typer.Argument(metavar="ID…", help="Ids, or their first or last characters.")
]
All = Annotated[bool, typer.Option("--all", help="Everything that waits in the space.")]


@app.command("list")
def list_(
    rejected: Annotated[bool, typer.Option("--rejected", help="Show what was rejected, and when.")] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """List what the policy holds, and links that are proposed; exits 1 if nothing waits."""
    from memcli.graph.proposed_links import list_proposed_links
    from memcli.write_policy.review import list_held

    with opened_memories(db, space) as memories:
        waiting = list(list_held(memories, rejected=rejected))
        links = list(list_proposed_links(memories, rejected=rejected))
    for each in waiting:
        reason, at = each.reason, each.rejected
        if json:
            record = {**each.memory.to_record(), "rule": each.rule, "reason": reason}
            output.to_stdout(printable.json_line(record | ({"rejected": times.to_iso(at)} if at else {})))
        else:
            reason += f"; rejected {times.local_time(at)[:10]}" if at else ""
            tail, text = ids.short_id(each.memory.id), printable.one_line(each.memory.text)
            why = reason if each.memory.trusted else f"{formats.UNTRUSTED}, {reason}"
            output.to_stdout(formats.HELD.format(id=tail, kind=each.memory.kind, text=text, reason=why))
    for link in links:
        output.to_stdout(printable.json_line(link.to_record()) if json else _line(link))
    if not (waiting or links):
        what = "was rejected" if rejected else "waits"
        output.to_stderr(f"nothing {what} in space {printable.one_line(memories.space)}")
        raise typer.Exit(1)


@app.command()
def accept(
    fragments: Some = None,
    every: All = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Keep what was held, and make proposed links; the approval goes on record."""
    from memcli.changes.review_answers import accept_waiting
    from memcli.graph.links import link_statement

    with opened_memories(db, space) as memories, memories.store.writing():
        waiting, links = _chosen(memories, fragments, every, or_rejected=True)
        decisions, made = accept_waiting(memories, waiting, links)
    for decision in decisions:
        print_decision(decision, memories, as_json=json)
    for each in made:
        if json:
            said = [each.link.subject, each.link.relation, each.link.object]
            output.to_stdout(printable.json_line({"outcome": each.outcome, "id": each.link.id, "link": said}))
        elif output.stdout_is_terminal():
            output.to_stdout(f"{each.outcome}: {printable.one_line(link_statement(each.link))}")
        else:
            output.to_stdout(each.link.id)


@app.command()
def reject(
    fragments: Some = None,
    every: All = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Reject what waits: you are not asked again, and it stays in `mem review list --rejected`."""
    from memcli.changes.review_answers import reject_waiting

    with opened_memories(db, space) as memories, memories.store.writing():
        waiting, links = _chosen(memories, fragments, every)
        reject_waiting(memories, waiting, links)
    for each in [*(each.memory.id for each in waiting), *(each.id for each in links)]:
        output.to_stdout(printable.json_line({"rejected": each}) if json else each)


@app.command()
def close(
    one: Annotated[str, typer.Argument(metavar="ID", help="One memory of the question.")],
    other: Annotated[str, typer.Argument(metavar="ID", help="The other one.")],
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Close an open question (`mem audit --check questions`): both memories hold. It is not asked again."""
    from memcli.changes.review_answers import close_waiting

    with opened_memories(db, space) as memories:
        pair = [memories.find(each) for each in (one, other)]
        close_waiting(memories, pair)
    closed = [memory.id for memory in pair]
    output.to_stdout(printable.json_line({"closed": closed}) if json else " ".join(closed))


def _line(link: "ProposedLink") -> str:
    said = "" if link.trusted else f"{formats.UNTRUSTED}, "
    since = f"since {link.since:%Y-%m-%d}, " if link.since else ""
    why = (
        f"{said}{since}from {ids.short_id(link.evidence[0].id)} {printable.quoted(link.evidence[0].text, 60)}"
    )
    more = f" and {len(link.evidence) - 1} more" if len(link.evidence) > 1 else ""
    return formats.PROPOSED.format(
        stranger=ids.short_id(link.id),
        rest=printable.one_line(link.statement),
        reason=printable.one_line(why + more),
    )


def _chosen(
    scope: "Scope", fragments: list[str] | None, every: bool, *, or_rejected: bool = False
) -> "tuple[list[HeldMemory], list[ProposedLink]]":
    """Return the memories and links meant; by id, also those that were rejected."""
    from memcli.errors import NotFound
    from memcli.graph import proposed_links
    from memcli.write_policy import review

    if bool(fragments) == every:
        raise BadInput("name ids, or --all")
    if every:
        return list(review.list_held(scope)), list(proposed_links.list_proposed_links(scope))
    waiting, links, unknown = [], [], []
    named = list(dict.fromkeys(fragments or ()))
    for fragment in named:
        for rejected in (False, True) if or_rejected else (False,):
            with suppress(NotFound):
                waiting.append(review.find_held(scope, fragment, rejected=rejected))
                break
            with suppress(NotFound):
                links.append(proposed_links.find_proposed_link(scope, fragment, rejected=rejected))
                break
        else:
            unknown.append(fragment)
    if unknown:
        # All or nothing: if one id is mistyped, the others may be wrong, too.
        known = [each for each in named if each not in unknown]
        rest = f"; of the others nothing was done: name {' '.join(known)} alone" if known else ""
        raise NotFound(
            f"nothing waits under {', '.join(map('{!r:.40}'.format, unknown))}{rest:.400}",
            by_hand=message(Command("review list"), " shows what does"),
        )
    return waiting, links
