"""`mem policy`: keep rules for actions, and check whether they allow one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memcli import ids, times
from memcli.commands.policy import checking
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories
from memcli.errors import BadInput
from memcli.messages import Command, message
from memcli.prompt import formats
from memcli.text import printable
from memcli.text.checks import check_name

if TYPE_CHECKING:
    from memcli.tiers.policies.conflicts import PolicyConflict
    from memcli.tiers.policies.policies import Policy

EXAMPLES = r"""
mem policy add no-prod --rule "Nobody touches production" --hard --pattern '\bprod\b' --unless 'role=oncall'
mem policy check "kubectl get pods"
mem policy check "deploy web" --context environment=staging
mem policy check --words "deploy web"   # exit 3: blocked
mem policy checks -n 5
mem policy list
mem policy show no-friday
mem policy versions no-friday
mem policy edit mail                    # as YAML, in $VISUAL or $EDITOR
mem policy conflicts                    # exit 1: none
mem policy export policies.yaml
mem policy import policies.yaml
mem policy remove mail
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A name, or part of an id.")]
Note = Annotated[
    str | None, typer.Option("--note", metavar="TEXT", help="The reason for the change, kept on record.")
]


@app.callback()
def _policy() -> None:
    """Keep rules, and ask whether an action is allowed."""


@app.command()
def add(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    rule: Annotated[str, typer.Option("--rule", metavar="TEXT", help="The rule, as you would say it.")],
    hard: Annotated[bool, typer.Option("--hard", help="Block what a pattern matches.")] = False,
    soft: Annotated[bool, typer.Option("--soft", help="Only warn (the default).")] = False,
    allow: Annotated[bool, typer.Option("--allow", help="Only state what is allowed; never block.")] = False,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            "--pattern", metavar="REGEX", help="Actions that it is about (repeatable; RE2, case ignored)."
        ),
    ] = None,
    when: Annotated[
        list[str] | None,
        typer.Option(
            "--when",
            metavar="CONDITION",
            help="Holds only if: K=V[,K=V] (weekday=friday, hour=18..23) or K~REGEX (repeatable).",
        ),
    ] = None,
    unless: Annotated[
        list[str] | None,
        typer.Option(
            "--unless",
            metavar="CONDITION",
            help="Does not hold if the context meets: K=V[,K=V], K~REGEX or REGEX (repeatable).",
        ),
    ] = None,
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="The reason.")] = "",
    replace: Annotated[
        bool, typer.Option("--replace", help="Make this the next version of the policy of that name.")
    ] = False,
    note: Note = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Add a policy, or its next version with --replace; contradictions with others are named on stderr."""
    from memcli.tiers.policies.conflicts import policy_conflicts
    from memcli.tiers.policies.document import Enforcement, PolicyText
    from memcli.tiers.policies.policies import Policies, policy_of

    if hard + soft + allow > 1:
        raise BadInput("give one of --hard, --soft and --allow")
    enforcement: Enforcement = "hard" if hard else "allow" if allow else "soft"
    says = PolicyText(
        name, rule, enforcement, tuple(pattern or ()), tuple(when or ()), tuple(unless or ()), why
    )
    with opened_memories(db, space, create=True) as memories:
        policies = Policies(memories)
        if not replace:
            policies.check_free(name)
        written = policies.add(says, note=note)
        policy = policy_of(written.memory)
        contradicting = policy_conflicts(memories, policies.live(), policy)
    _print_policy(policy, json, "" if written.new else "unchanged")
    if hard and not pattern:
        output.to_stderr("without --pattern it can only warn, by meaning")
    for conflict in contradicting:
        output.to_stderr(_conflict(conflict))


@app.command("list")
def list_policies(space: options.Space = None, json: options.Json = False, db: options.Db = None) -> None:
    """List policies by name; exits 1 if there is none."""
    from memcli.tiers.policies.policies import Policies

    with opened_memories(db, space) as memories:
        found = Policies(memories).live()
    for policy in found:
        _print_policy(policy, json)
    if not found:
        raise typer.Exit(1)


@app.command()
def show(
    name: Name,
    version: Annotated[
        int | None,
        typer.Option("--version", min=1, metavar="N", help="An earlier version. [default: the newest]"),
    ] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Print a policy as YAML, as `edit` gives it to the editor."""
    from memcli.tiers.policies.document import policy_document
    from memcli.tiers.policies.policies import Policies

    with opened_memories(db, space) as memories:
        policy = Policies(memories).show(name, version)
    if json:
        output.to_stdout(printable.json_line(policy.to_record()))
        return
    if policy.memory.ended_at:
        output.to_stderr(f"no longer in force: {policy.memory.ended_why or 'expired'}")
    if not policy.memory.trusted:
        output.to_stderr("not trusted, so it is never applied")
    output.to_stdout(printable.printable(policy_document(policy.says)).removesuffix("\n"))


@app.command()
def edit(
    name: Name, note: Note = None, space: options.Space = None, json: options.Json = False,
    db: options.Db = None,
) -> None:  # fmt: skip
    """Edit a policy as YAML in $VISUAL or $EDITOR; what changed is its next version."""
    from memcli.commands.terminal.editor import edit_text
    from memcli.tiers.policies.document import policy_document, read_policies
    from memcli.tiers.policies.policies import Policies, policy_of

    with opened_memories(db, space) as memories:
        policies = Policies(memories)
        policy = policies.show(name)
        if not policy.memory.data.get("name"):
            raise BadInput(
                message(
                    f"{name} has no name to keep; ", Command("policy add"), " it under one, and forget this"
                )
            )
        with edit_text(policy_document(policy.says), "policy.yaml") as after:
            says = read_policies(after, name)
            if [each.name for each in says] != [policy.name]:
                raise BadInput(
                    message(
                        f"{name}: one policy of that name is expected; ",
                        Command("policy add"),
                        " makes others",
                    )
                )
            written = policies.add(says[0], note=note, replaces=policy.memory.id)
    _print_policy(policy_of(written.memory), json, "" if written.new else "unchanged")


@app.command()
def remove(
    name: Name,
    why: Annotated[
        str | None, typer.Option("--why", metavar="TEXT", help="The reason, kept on record.")
    ] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Remove a policy; `mem restore` brings it back."""
    from memcli.tiers.policies.policies import Policies

    with opened_memories(db, space) as memories:
        policy = Policies(memories).remove(name, why)
    _print_policy(policy, json, "removed, restorable")


@app.command()
def versions(
    name: Name, space: options.Space = None, json: options.Json = False, db: options.Db = None
) -> None:
    """List the versions of a policy, oldest first, with their notes."""
    from memcli.tiers.policies.policies import Policies, policy_of
    from memcli.tiers.versions import version_number

    with opened_memories(db, space) as memories:
        kept = Policies(memories).versions
        found = [policy_of(each) for each in kept.versions_of(check_name("policy", name))]
    if not found:
        raise typer.Exit(1)
    for policy in found:
        memory = policy.memory
        if json:
            output.to_stdout(printable.json_line(policy.to_record()))
            continue
        mark, note = " " if memory.ended_at else "*", printable.one_line(str(memory.data.get("note") or ""))
        says = f"{policy.says.enforcement:<5}  {printable.one_line(policy.says.rule)}"
        when = times.local_time(memory.created_at)
        output.to_stdout(f"{mark} {version_number(memory):>3}  {when}  {says}  {note}".rstrip())


# An action has options of its own: `mem policy check git push --force`.
app.command(context_settings={"ignore_unknown_options": True})(checking.check)
app.command()(checking.checks)


@app.command()
def conflicts(space: options.Space = None, json: options.Json = False, db: options.Db = None) -> None:
    """List policies that contradict each other; exits 1 if none do."""
    from memcli.tiers.policies.conflicts import policy_conflicts
    from memcli.tiers.policies.policies import Policies

    with opened_memories(db, space) as memories:
        found = policy_conflicts(memories, Policies(memories).live())
    for conflict in found:
        if json:
            record = {"policies": [conflict.one.name, conflict.other.name], "why": conflict.why}
            output.to_stdout(printable.json_line(record))
        else:
            output.to_stdout(printable.one_line(_conflict(conflict)))
    if not found:
        raise typer.Exit(1)


@app.command("export")
def export_policies(
    file: Annotated[str, typer.Argument(metavar="FILE|-")] = "-",
    space: options.Space = None,
    db: options.Db = None,
) -> None:
    """Write all policies as YAML, suited to git: to a file, or stdout."""
    from memcli.system.files import write_private
    from memcli.tiers.policies.document import policies_document
    from memcli.tiers.policies.policies import Policies, policy_of

    with opened_memories(db, space) as memories:
        policies = Policies(memories)
        document = policies_document(policy_of(memory).says for memory in policies.versions.live())
        nameless = len(policies.versions.nameless())
    if nameless:
        output.to_stderr(
            message(f"{nameless} without a name left out; ", Command("list --kind policy"), " shows them")
        )
    if file == "-":
        output.to_stdout(document.removesuffix("\n"))
        return
    try:
        write_private(Path(file), document.encode())
    except OSError as error:
        raise BadInput(
            f"{file}: cannot be written ({error.strerror})", by_hand="name another file"
        ) from error


@app.command("import")
def import_policies(
    file: Annotated[str | None, typer.Argument(metavar="FILE|-")] = None,
    note: Note = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Import policies from YAML, all or none; those that have not changed stay as they are."""
    from memcli.commands.terminal.input import read_document
    from memcli.tiers.policies.document import read_policies
    from memcli.tiers.policies.policies import Policies, policy_of

    document = read_document(file)
    if document is None:
        raise BadInput("nothing to import: name a file, or pipe one in")
    says = read_policies(*document)
    with opened_memories(db, space, create=True) as memories:
        policies = Policies(memories)
        weakened = policies.weakened_policies(says)
        written = policies.add_all(says, note=note, origin=f"import:{Path(document.where).name}")
    new = [policy_of(each.memory) for each in written if each.new]
    for policy in new:
        _print_policy(policy, json)
    for weaker, was in weakened:
        output.to_stderr(printable.one_line(f"{weaker.name!r} was {was}, and is {weaker.enforcement} now"))
    output.to_stderr(f"{len(new)} new or changed, {len(written) - len(new)} unchanged")


def _print_policy(policy: "Policy", json: bool, remark: str = "") -> None:
    if json:
        output.to_stdout(printable.json_line(policy.to_record()))
        return
    says = policy.says
    line = formats.POLICY.format(
        id=ids.short_id(policy.memory.id), name=says.name, enforcement=says.enforcement, text=says.rule
    )
    when = f"when {' or '.join(says.when)}" if says.when else ""
    unless = f"unless {' or '.join(says.unless)}" if says.unless else ""
    line += "".join(formats.REMARK.format(rest=each) for each in (when, unless, remark) if each)
    output.to_stdout(printable.printable(line).replace("\n", " "))  # not one_line: the columns stay


def _conflict(conflict: "PolicyConflict") -> str:
    return f"{conflict.one.name!r} contradicts {conflict.other.name!r}: {conflict.why}"
