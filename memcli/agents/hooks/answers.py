"""Answers of hooks at each event: the context at the start, memories for a prompt, the open task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from memcli.agents.hooks.agents import Event
from memcli.agents.hooks.payload import Payload
from memcli.errors import NotFound
from memcli.memories import Memories
from memcli.prompt import formats
from memcli.text.printable import one_line

if TYPE_CHECKING:
    from memcli.config.config import Config
    from memcli.embedding import Embedder

# Agents silently cut longer texts: Claude Code at 10,000 characters, Codex at 2,500 tokens.
MOST_CHARACTERS, MOST_TOKENS = 9_000, 2_400
# The most characters of the reason why not all was searched by meaning.
_LONGEST_REASON = 400
# A prompt shorter than this asks nothing ("yes", "go on").
_SHORTEST = 10
# Sources of turns that the user did not type, and so no questions. An unknown source, such as a newer agent's
# word for a prompt, is answered.
_UNTYPED = ("system", "loop_wakeup", "schedule_wakeup", "poll_event")


def answer(event: Event, payload: Payload, config: Config) -> str:
    """Return what there is to say at an event; empty if nothing. Raises MemcliError."""
    with _opened(config) as memories:
        return _ANSWERS[event](memories, payload) if event in _ANSWERS else ""


def _opened(config: Config) -> Memories:
    from memcli.storage.stores import open_store

    # Do not wait for the store longer than the agent waits.
    patience = min(config["busy_timeout"], config["hook_deadline"])
    store = open_store(config["db"], create=False, busy_timeout=patience)

    def opened(name: str) -> Embedder:
        from memcli.embedding import open_embedder

        # Compiling a model takes longer than any agent waits.
        return open_embedder(name, config["cache_dir"], may_compile=False)

    return Memories(store, config, opened, space=config["space"])


def _at_start(memories: Memories, payload: Payload) -> str:
    from memcli.tiers.context.start import answer_at_start

    return _bounded(memories, lambda budget: answer_at_start(memories, budget=budget).to_prompt())


def _at_prompt(memories: Memories, payload: Payload) -> str:
    from memcli.tiers.context.answer import PROMPT
    from memcli.tiers.context.gather import ANSWER_TIERS, filter_of_tiers, fit_budget, gather

    prompt = payload.text("prompt").strip()
    untyped = payload.text("source") in _UNTYPED
    if len(prompt) < _SHORTEST or prompt.startswith("/") or untyped or "\0" in prompt:
        return ""
    where = memories.within()
    found = memories.recall(prompt, filter_of_tiers(where, ANSWER_TIERS))
    whole = gather(memories, found, where)
    text = _bounded(memories, lambda budget: fit_budget(memories, whole, budget, PROMPT).to_prompt())
    if text and found.degraded:
        text += "\n" + formats.BY_WORDS.format(rest=one_line(str(found.degraded), _LONGEST_REASON))
    return text


def _before_compaction(memories: Memories, payload: Payload) -> str:
    from memcli.tiers.tasks.context import task_context
    from memcli.tiers.tasks.tasks import task_at_hand

    try:
        task = task_at_hand(memories).task
    except NotFound:
        return ""
    text = "\n".join(task_context(task, memories.space))
    return text if len(text) <= MOST_CHARACTERS else ""


def _bounded(memories: Memories, page: Callable[[int], str]) -> str:
    """Return a page that an agent accepts as a whole, by tokens and by characters."""
    budget = min(memories.config["context_budget"] or MOST_TOKENS, MOST_TOKENS)
    while len(text := page(budget)) > MOST_CHARACTERS:
        budget //= 2
    return text


_ANSWERS: Mapping[Event, Callable[[Memories, Payload], str]] = {
    "start": _at_start, "prompt": _at_prompt, "compact": _before_compaction,
}  # fmt: skip
