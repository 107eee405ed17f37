"""`mem forget`: take memories out of every recall, or erase them for good."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Annotated, Any

import typer

from memcli import ids
from memcli.changes.forgetting.named import NamedThings
from memcli.changes.forgetting.selection import (
    as_previewed,
    choose_memories,
    find_person,
    matching_memories,
    preview_code,
)
from memcli.changes.forgetting.soft import end_links, forget_held, forget_memories
from memcli.changes.forgetting.targets import Targets, find_targets, removal_command
from memcli.commands.terminal import filters, options, output
from memcli.commands.terminal.answers import print_degraded
from memcli.commands.terminal.changes import print_forgotten, say_links, say_unchanged
from memcli.commands.terminal.consent import ask_consent
from memcli.commands.terminal.store import opened_memories
from memcli.doors import MEMORY, REVIEW, Deed
from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.messages import message
from memcli.model import Filter, Link, Memory
from memcli.text import printable
from memcli.text.counting import counted

EXAMPLES = """
mem forget Z29YK0QK --reason "moved on"
mem forget --tag scratch --before 2027-01-01 --dry-run   # shows which, and a code for just these
mem forget --query "the staging server" --yes
mem forget --hard B0NV1PBM                               # erased, with a receipt
mem forget --hard --about "Ann Miller" --dry-run         # a person, however the name is written
mem forget --hard task/notes block/old                   # what a receipt names
"""
# At most so many addresses are shown for each form of a name that was left.
_SHOWN = 3


def command(
    fragments: options.MaybeIds = None,
    query: Annotated[
        str | None, typer.Option("--query", "-q", metavar="TEXT", help="Forget what this query recalls.")
    ] = None,
    about: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Forget all that names this person in any form, links and tasks too."
        ),
    ] = None,
    but: Annotated[
        list[str] | None,
        typer.Option(
            "--except", metavar="NAME", help="Somebody else with that name, whose memories stay (repeatable)."
        ),
    ] = None,
    tag: options.Tags = None,
    session: options.Sessions = None,
    kind: options.Kinds = None,
    source: options.Sources = None,
    before: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only what happened, or was true, before this time.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything in the space.")] = False,
    space: options.Space = None,
    hard: Annotated[
        bool, typer.Option("--hard", help="Erase for good, from every index, log and backup, with a receipt.")
    ] = False,
    reason: Annotated[str, typer.Option(help="The reason, kept on record.")] = "forgotten",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be forgotten.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    preview: Annotated[
        str | None,
        typer.Option(
            metavar="CODE", help="Go ahead only if the selection is still exactly what --dry-run showed."
        ),
    ] = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Take memories out of every recall; `restore` brings them back. With --hard they are gone.

    With --hard also links (by id) and what a receipt names as `AREA/KEY`: blocks, tasks,
    aliases, checkpoints. A --query that is a name works as --about does. All or
    none: if one id is unknown or ambiguous, nothing is forgotten. Exits 1 if
    nothing fits.
    """
    by_filter = any((tag, session, kind, source, before))
    by_meaning = query is not None or about is not None
    if fragments and (by_filter or by_meaning or everything):
        raise BadInput("name ids, or select with --query, --about, --tag, …; not both")
    if query is not None and about is not None:
        raise BadInput("--query or --about; one of them")
    if but and not by_meaning:
        raise BadInput("--except goes with --about or --query")
    if not (fragments or by_filter or by_meaning or everything):
        raise BadInput(
            "forget what? Name ids, or --query, --about, --tag, --session, --kind, --before, --all"
        )
    with opened_memories(db, space) as memories:
        where = filters.filter_options(
            memories, kinds=kind, tags=tag, sessions=session, sources=source, until=before, ended=hard
        )
        # Expired memories are still stored, and may be meant.
        where = where._replace(at=None)
        named = find_person(memories, where, query=query, about=about, others=but or ())
        degraded: dict[str, Any] = {}
        if named:
            tell_named(memories, named, hard=hard)
            targets = _named_targets(named, hard=hard, by_filter=by_filter)
        else:
            targets, degraded = _targets(memories, where, fragments or (), query, hard=hard)
        if not (targets or (named and named.taken)):
            raise _nothing_fits(told=named is not None or filters.has_unknown_names(memories, where))
        fuzzy = by_meaning or everything or (hard and not fragments)
        if dry_run:
            _preview(targets, degraded, as_json=json)
            output.to_stderr(f"{_number(targets)}; to forget just these: --preview {preview_code(targets)}")
            return
        _check_rights(memories, targets, everything=everything, hard=hard)
        targets = _previewed(targets, preview)
        _make_sure(targets, yes=yes or preview is not None, fuzzy=fuzzy, hard=hard)
        if hard:
            from memcli.commands.terminal.receipts import print_receipt
            from memcli.sync.erasures.everywhere import erase_everywhere

            # Memories held for review are in the space, too.
            print_receipt(erase_everywhere(memories, targets, reason, held=everything), as_json=json)
            return
        chosen, links = _end(memories, targets, reason, everything=everything)
    print_forgotten(chosen, "forgotten, restorable", degraded, as_json=json)
    _print_links(links, as_json=json)
    say_unchanged((memory for memory in targets.memories if memory.ended_at), "is ended")


def _check_rights(memories: Memories, targets: Targets, *, everything: bool, hard: bool) -> None:
    """Raise Refused for an untrusted origin before asking for consent, which would not help it."""
    if everything:
        memories.require(REVIEW, Deed.END, "forgetting all that is here, with what waits for review")
    if hard:
        memories.require(MEMORY, Deed.ERASE, "erasing")
    else:
        memories.check_change(targets.memories, "forgetting", Deed.END)


def _targets(
    memories: Memories, where: Filter, fragments: Sequence[str], query: str | None, *, hard: bool
) -> tuple[Targets, dict[str, Any]]:
    """Return the targets that ids, a query or a filter select, and a query's record of degraded search.

    Without erasing, ids are those of memories only. A degraded search is also reported on stderr.
    """
    if hard and fragments:
        return find_targets(memories, fragments), {}
    if query is None:
        return Targets(choose_memories(memories, where, fragments)), {}
    from memcli.recall.records import degraded_fields

    found, answer = matching_memories(memories, where, query)
    print_degraded(answer.degraded, partly=answer.partly)
    return Targets(found), degraded_fields(answer.degraded)


def _named_targets(named: NamedThings, *, hard: bool, by_filter: bool) -> Targets:
    """Return what may be forgotten of all that names somebody: only memories if a filter narrows it.

    Without `hard`, memories and links; only an erasure includes blocks, tasks and the like.
    """
    if hard and not by_filter:
        return named.targets
    return Targets(named.targets.memories, frozenset() if by_filter else named.targets.links)


def _print_links(links: Sequence[Link], *, as_json: bool) -> None:
    """Say which links were ended; in JSON also print their addresses."""
    if as_json:
        _print_beside(Targets(links=frozenset(link.id for link in links)), as_json=True)
    say_links(links, "ended, too")


def _end(
    memories: Memories, targets: Targets, reason: str, *, everything: bool
) -> tuple[list[Memory], list[Link]]:
    """End memories and links as one change, and with `everything` held ones; return their new states."""
    whole = memories.as_one_change(memories.change_id(), memories.origin)
    with memories.store.writing():
        ended = forget_memories(whole, targets.memories, reason)
        if everything:
            forget_held(whole)
        return ended, end_links(whole, targets.links, reason) if targets.links else []


def _nothing_fits(*, told: bool) -> typer.Exit:
    """Return the exit for an empty selection; says so, unless the user was already `told` why."""
    if not told:
        output.to_stderr("nothing fits, and nothing was forgotten")
    return typer.Exit(1)


def _preview(targets: Targets, degraded: Mapping[str, Any], *, as_json: bool) -> None:
    """Print what would be forgotten, a line each with its text, since ids mean nothing to people."""
    from memcli.recall.records import memory_lines

    if as_json or output.stdout_is_terminal():
        print_forgotten(targets.memories, "would forget", degraded, as_json=as_json)
    else:
        for line in memory_lines(targets.memories):
            output.to_stdout(line)
    _print_beside(targets, as_json=as_json)


def tell_named(memories: Memories, named: NamedThings, *, hard: bool) -> None:
    """Say on stderr which forms of a name were found, and what is left: others' names, words, works."""
    taken = ", ".join(f"{printable.one_line(form)} ({number})" for form, number in named.taken.items())
    output.to_stderr(f"named as: {taken or 'nothing'}")
    for form, places in named.left.items():
        shown = ", ".join(places[:_SHOWN]) + (", …" if len(places) > _SHOWN else "")
        output.to_stderr(
            f"left, as it names another, or may: {printable.one_line(form)} ({shown}); "
            f"else: --about {shlex.quote(form)}"
        )
    for address, text in islice(named.doubtful.items(), _SHOWN):
        # Only memories can be restored.
        removing = removal_command(memories, [address], hard=hard or "/" in address)
        wording = printable.one_line(text, 60)
        output.to_stderr(message(f"left, as it may be only the word: {wording!r}; else: ", removing))
    if len(named.doubtful) > _SHOWN:
        rest = " ".join(islice(named.doubtful, _SHOWN, None))
        output.to_stderr(f"the same of {len(named.doubtful) - _SHOWN} more: {rest}")
    if hard and named.works:
        works = ", ".join(map(shlex.quote, named.works))
        removing = removal_command(memories, named.works)
        output.to_stderr(message(f"your own works that name them stay: {works}; else: ", removing))
    if len(named.left) > 1:
        output.to_stderr("a name of somebody else is ruled out by --except NAME, and then leaves no doubt")


def _number(targets: Targets) -> str:
    beside = ((len(targets.links), "link", "links"), (len(targets.values), "other", "others"))
    return ", ".join(
        [
            counted(len(targets.memories), "memory", "memories"),
            *(counted(*each) for each in beside if each[0]),
        ]
    )


def _print_beside(targets: Targets, *, as_json: bool) -> None:
    """Print the links and keyed values among the targets, by address."""
    for address in targets.addresses:
        output.to_stdout(printable.json_line({"address": address}) if as_json else address)


def _previewed(targets: Targets, preview: str | None) -> Targets:
    """Return the targets that a dry run showed, by its code; those added since stay, which is reported.

    Raises BadInput if they cannot be determined because one of them is gone or has changed.
    """
    if preview is None:
        return targets
    shown = as_previewed(targets, preview)
    if shown is None:
        raise BadInput(f"--preview {preview:.20}: something else would be forgotten now; look again")
    if added := len(targets.memories) - len(shown.memories):
        output.to_stderr(f"{counted(added, 'memory', 'memories')} added since the preview: left as it is")
    return shown


def _make_sure(targets: Targets, *, yes: bool, fuzzy: bool, hard: bool) -> None:
    """Ask for consent on a terminal; elsewhere require --yes. Raises BadInput, Declined."""
    if yes or not (fuzzy or hard):
        return
    if sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty():
        for memory in targets.memories:
            output.to_stderr(f"{ids.short_id(memory.id)}  {printable.one_line(memory.text, 90)}")
        for address in targets.addresses:
            output.to_stderr(printable.one_line(address))
        ask_consent(f"{'Erase for good' if hard else 'Forget'} these ({_number(targets)})?")
    elif fuzzy:
        raise BadInput(
            f"that is {_number(targets)}: look with --dry-run, then --yes, "
            f"or --preview {preview_code(targets)}"
        )
