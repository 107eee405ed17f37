"""Further tools, added by `--tools all`: logs, tasks, checkpoints, procedures, policies, links, blocks."""

from __future__ import annotations

import json
from collections.abc import Callable

from memcli import times
from memcli.agents.tools.replies import Reply
from memcli.agents.tools.tool import Arguments, Hints, Parameter, Tool
from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.model import ROLES
from memcli.text.checks import check_text
from memcli.text.printable import one_line
from memcli.tiers.tasks.tasks import MAX_TASK_BYTES, Task, change_task


def _log(memories: Memories, given: Arguments) -> Reply:
    from memcli.tiers.sessions.sessions import append_turn
    from memcli.write_policy.drafts import Draft

    draft = Draft(text=given["text"], session=given.get("session"), data={"role": given.get("role", "user")})
    logged = append_turn(memories, draft, resolves=given.get("resolves"))
    said = f"Logged as {logged.turn.id} in the session {one_line(logged.turn.session or '')}."
    return Reply("\n".join([said, *map(one_line, logged.notes)]))


def _task(memories: Memories, given: Arguments) -> Reply:
    from memcli.tiers.tasks import completion, tasks
    from memcli.tiers.tasks.context import task_context

    name, text, do = given.get("name"), given.get("text", ""), given["do"]
    if do == "show":
        held = tasks.task_at_hand(memories, name)
        return Reply("\n".join(task_context(held.task, memories.space)))
    check_text(text, MAX_TASK_BYTES)
    match do:
        case "start":
            return Reply(f"At hand: {tasks.start_task(memories, text, name=name).name}")
        case "succeed" | "fail":
            ended = completion.end_task(memories, name, text, success=do == "succeed")
            return Reply(f"Ended; its outcome is kept as {ended.outcome.id}.")
        case "drop":
            return Reply(f"Dropped, as {completion.drop_task(memories, name, text).id} says.")
        case "note":
            task = tasks.note_in_task(memories, name, text)
        case _:
            task = change_task(memories, name, _edit(memories, do, text, given.get("value")))[0]
    return Reply("\n".join(task_context(task, memories.space)))


def _edit(memories: Memories, do: str, text: str, value: str | None) -> Callable[[Task], None]:
    """Return the change that `do` makes to a task. Raises BadInput if its value is missing."""
    if do in ("decide", "set", "result"):
        if value is None:
            raise BadInput(f"{do} needs a value; its text names what the value is for")
        at = times.to_iso(memories.now())
        return lambda task: _settle(task, do, text, value, at)
    return lambda task: _extend(task, do, text)


def _extend(task: Task, do: str, text: str) -> None:
    """Change a task by one text."""
    match do:
        case "push":
            task.subgoals.append(text)
        case "phase":
            task.phase = text
        case "constraint":
            task.constraints.append(text)
        case "step":
            task.add_step(text)
        case "done":
            task.step(text, done=True)


def _settle(task: Task, do: str, name: str, value: str, at: str) -> None:
    """Note the state of something in a task: a question, a variable or a result, each by its name."""
    match do:
        case "decide":
            task.decisions.append({"question": name, "answer": value, "why": None, "at": at})
        case "set":
            task.variables[name] = value
        case "result":
            task.results[name] = value


def _checkpoint(memories: Memories, given: Arguments) -> Reply:
    from memcli.tiers.tasks.checkpoints import restore_checkpoint, save_checkpoint

    if "state" not in given:
        saved = restore_checkpoint(memories, given["task"])
        return Reply(saved.text)
    _, saved = save_checkpoint(memories, given["task"], json.dumps(given["state"], ensure_ascii=False))
    return Reply(f"Saved as version {saved.version}.")


def _procedure(memories: Memories, given: Arguments) -> Reply:
    from memcli.prompt import formats
    from memcli.prompt.context import fenced_text
    from memcli.tiers.procedures.procedures import Procedures, stored_document
    from memcli.tiers.versions import memory_name

    procedures = Procedures(memories)
    name, do = given["name"], given["do"]
    match do:
        case "find":
            found = procedures.find(name).found
            lines = [f"{one_line(memory_name(each.memory))}: {one_line(each.memory.text)}" for each in found]
            return Reply("\n".join(lines) or "No procedure fits.")
        case "show":
            memory = procedures.show(name)
            text = fenced_text(stored_document(memory))
            return Reply(text if memory.trusted else formats.UNTRUSTED_TEXT.format(text=text))
        case "worked" | "failed":
            memory = procedures.report(name, ok=do == "worked", note=given.get("text"))
            return Reply(f"On record: {one_line(memory_name(memory))} {do}.")
        case _:
            if not given.get("text"):
                raise BadInput("add needs a text: the procedure as Markdown")
            written = procedures.add(name, given["text"], "markdown", where="text")
            return Reply(f"In force: {one_line(memory_name(written.memory))}, as {written.memory.id}.")


def _policy_check(memories: Memories, given: Arguments) -> Reply:
    from memcli.tiers.policies.checks import check_action
    from memcli.tiers.policies.conditions import parse_circumstances

    said = [f"{key}={value}" for key, value in given.get("circumstances", {}).items()]
    decision = check_action(memories, given["action"], parse_circumstances(said, given["action"]))
    lines = [
        f"{each.effect}: {one_line(each.policy.name)}: {one_line(each.policy.says.rule)}"
        for each in decision.findings
    ]
    return Reply("\n".join([decision.outcome.capitalize() + ".", *lines]), decision.to_record())


def _link(memories: Memories, given: Arguments) -> Reply:
    from memcli.graph.link_changes import link_entities
    from memcli.graph.links import link_statement
    from memcli.text.dates.instants import read_instant

    now = memories.now()
    since, until = given.get("since"), given.get("until")
    made = link_entities(
        memories,
        given["subject"],
        given["relation"],
        given["object"],
        since=None if since is None else read_instant(since, now),
        until=None if until is None else read_instant(until, now, end=True, ahead=True),
        evidence=memories.find(given["evidence"]) if "evidence" in given else None,
        replaces=given.get("replaces", False),
    )
    ended = [f"True no longer: {one_line(link_statement(each))}" for each in made.replaced]
    return Reply("\n".join([f"{made.outcome}: {one_line(link_statement(made.link))}", *ended]))


def _block(memories: Memories, given: Arguments, *, append: bool) -> Reply:
    from memcli.tiers.context.blocks import put_block

    block = put_block(memories, given["label"], given["text"], append=append)
    return Reply(f"{one_line(block.label)}: {len(block.text or ''):,} of {block.max_chars:,} characters.")


_LABEL = Parameter("label", "The block", required=True)
_NO_POLICY = "Allowed."
FURTHER = (
    Tool(
        "log",
        "Append a turn, a tool's output, a decision or an error to the session at hand, word for word. "
        "Call it for what was said and done; what is to be known in later sessions goes to remember.",
        (
            Parameter("text", required=True),
            Parameter("role", "user", choices=ROLES),
            Parameter("session", "Else the one at hand"),
            Parameter("resolves", "Id of the logged error that this resolves"),
        ),
        Hints(idempotent=False),
        _log,
        creates=True,
    ),
    Tool(
        "task",
        "Working memory of the task at hand, for work that may be interrupted. start with its goal; then "
        "note, step, done, decide, set and result as it goes on; succeed or fail keeps the outcome and "
        "clears the rest.",
        (
            Parameter(
                "do",
                required=True,
                choices=(
                    "show", "start", "note", "push", "phase", "constraint", "step", "done", "decide", "set",
                    "result", "succeed", "fail", "drop",
                ),
            ),
            Parameter("text", "Goal, note, step, question, name, outcome"),
            Parameter("value", "Of decide, set and result"),
            Parameter("name", "Another task than the one at hand"),
        ),
        Hints(destructive=True, idempotent=False),
        _task,
        creates=True,
    ),
    Tool(
        "checkpoint",
        "Save the state of a long task as JSON, or without a state get back what was saved last. Call it "
        "where a "
        "crash would lose work.",
        (Parameter("task", "A name", required=True), Parameter("state", "Any object", "object")),
        Hints(),
        _checkpoint,
        creates=True,
    ),
    Tool(
        "procedure",
        "How things are done here. find one for a situation before doing something in several steps, show "
        "its text, and tell whether it worked or failed; add keeps a new one, or its next version.",
        (
            Parameter("do", required=True, choices=("find", "show", "worked", "failed", "add")),
            Parameter("name", "Its name; for find the situation", required=True),
            Parameter("text", "Of add the Markdown, of an outcome a note"),
        ),
        Hints(idempotent=False),
        _procedure,
        creates=True,
    ),
    Tool(
        "policy_check",
        "May I do this? Call it before anything that the user may have rules about: deploying, deleting, "
        "spending, sending. It says allowed, warned or blocked, and by which policy; blocked means don't.",
        (
            Parameter("action", "What is to be done", required=True),
            Parameter("circumstances", "Names and values", "object"),
        ),
        Hints(read_only=True),
        _policy_check,
        _NO_POLICY,
    ),
    Tool(
        "link",
        "State how two entities are related: Ann works_at Acme. Call it when the user says who or what "
        "belongs to whom.",
        (
            Parameter("subject", required=True),
            Parameter("relation", "works_at, knows, part_of", required=True),
            Parameter("object", required=True),
            Parameter("since"),
            Parameter("until"),
            Parameter("evidence", "Id of the memory that says so"),
            Parameter("replaces", "What the subject had by it is true no longer", "boolean"),
        ),
        Hints(),
        _link,
        creates=True,
    ),
    Tool(
        "block_set",
        "Put a text in the place of a block: a small text that comes along with every context.",
        (_LABEL, Parameter("text", required=True)),
        Hints(destructive=True),
        lambda memories, given: _block(memories, given, append=False),
        creates=True,
    ),
    Tool(
        "block_append",
        "Add a line to a block.",
        (_LABEL, Parameter("text", required=True)),
        Hints(idempotent=False),
        lambda memories, given: _block(memories, given, append=True),
        creates=True,
    ),
)  # fmt: skip
