"""`mem rule`: keep rules for what is always, temporarily or never remembered."""

from typing import Annotated

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories
from memcli.text import printable
from memcli.text.checks import check_choice
from memcli.write_policy.owner_rules import EFFECTS, TOPICS, OwnerRule

EXAMPLES = r"""
mem rule list
mem rule add never diary --pattern '\bdiary\b' --why "that is mine alone"
mem rule add temporarily scratch --tag scratch
mem rule add always health --pattern allerg
mem rule add review pets --pattern 'cat|dog'
mem rule on medical
mem rule off financial
mem rule remove ex
"""

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Say what is always, temporarily or never remembered, and what waits for review.",
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The rule's name.")]

Topic = Annotated[str, typer.Argument(metavar="TOPIC", help=f"One of {', '.join(TOPICS)}.")]


@app.command("list")
def list_(json: options.Json = False, db: options.Db = None) -> None:
    """List the rules in force; they hold in every space."""
    from memcli.write_policy.stored_rules import rules_in_force

    with opened_memories(db) as memories:
        rules = rules_in_force(memories.store)
    for rule in rules:
        why = f"  ({printable.one_line(rule.why)})" if rule.why else ""
        line = f"{printable.one_line(rule.name):<12}  {printable.one_line(rule.describe())}{why}"
        output.to_stdout(printable.json_line(rule._asdict()) if json else line)
    if not rules:
        raise typer.Exit(1)


@app.command()
def add(
    effect: Annotated[str, typer.Argument(metavar="EFFECT", help=f"One of {', '.join(EFFECTS)}.")],
    name: Name,
    pattern: Annotated[str | None, typer.Option(metavar="REGEX", help="A pattern in the text.")] = None,
    tag: Annotated[
        str | None, typer.Option("--tag", "-t", metavar="TAG", help="Memories with this tag.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", "-k", metavar="KIND", help="Memories of this kind.")
    ] = None,
    topic: Annotated[
        str | None, typer.Option(metavar="TOPIC", help=f"Private details: {', '.join(TOPICS)}.")
    ] = None,
    why: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The reason, shown with each refusal.")
    ] = None,
    db: options.Db = None,
) -> None:
    """Add a rule, or replace the one of that name. All conditions given must hold.

    `always` keeps what the policy would hold or let expire, but never a secret; `temporarily` keeps it as
    an episode that ends; `review` holds it for `mem review`; `never` refuses it.
    """
    from memcli.write_policy.stored_rules import put_rule

    with opened_memories(db, create=True) as memories:
        rule = OwnerRule(name, effect, pattern, tag, kind, topic, why)  # type: ignore[arg-type]  # checked there
        put_rule(memories, rule)
    output.to_stdout(f"{printable.one_line(rule.name)}: {printable.one_line(rule.describe())}")


@app.command()
def remove(name: Name, db: options.Db = None) -> None:
    """Remove a rule; for a topic, go back to the default: hold only what programs infer about it."""
    from memcli.write_policy.stored_rules import drop_rule

    with opened_memories(db, create=True) as memories:
        drop_rule(memories, name)


@app.command()
def on(topic: Topic, db: options.Db = None) -> None:
    """Never remember a topic's private details; logged turns are kept without them."""
    _known(topic)
    from memcli.write_policy.stored_rules import put_rule

    with opened_memories(db, create=True) as memories:
        put_rule(memories, OwnerRule(topic, "never", topic=topic))


@app.command()
def off(topic: Topic, db: options.Db = None) -> None:
    """Allow a topic's private details to be remembered, even if a program infers them."""
    _known(topic)
    from memcli.write_policy.stored_rules import turn_topic_off

    with opened_memories(db, create=True) as memories:
        turn_topic_off(memories, topic)


def _known(topic: str) -> None:
    check_choice("topic", topic, TOPICS)
