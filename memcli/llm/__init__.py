"""LLM: any language model that the owner names, given a prompt, and its answer checked.

    questions   what memcli asks: an answer, a summary, facts, a judgement
    grounding   whether the memories that an answer cites support what it claims
    contracts   the JSON in an answer, checked field by field; asked twice, then set aside
    prompts     prompts: files with a version, memories inside as data
    meter       tokens and time counted, within limits that are never exceeded
    command     a command line: the prompt on stdin, the answer on stdout
    address     an OpenAI-compatible server

Nothing is asked unless its owner configured an LLM, and no answer is believed because a model gave it.
"""

from __future__ import annotations

from typing import Protocol

from memcli.config.config import Config
from memcli.errors import BadInput
from memcli.messages import Command, message
from memcli.named_tuple import NamedTuple

HOW_TO_NAME_ONE = message(
    "name one with --llm, MEMCLI_LLM or ",
    Command("config set llm …"),
    ": a command that reads a prompt on stdin "
    "(llm, claude -p, ollama run llama3.2) or an OpenAI-compatible address (http://localhost:11434/v1)",
)


class Reply(NamedTuple):
    """An LLM's answer, its cost in tokens (estimated by `prompt.budget`) and in seconds."""

    text: str
    tokens_in: int
    tokens_out: int
    seconds: float


class LLM(Protocol):
    """Anything that turns a prompt into an answer."""

    name: str
    """Its name in messages; contains no argument and no key."""

    def ask(self, prompt: str, most: int | None = None, within: float | None = None) -> Reply:
        """Return the answer to one prompt, of at most `most` tokens, within at most `within` seconds.

        Its own time-out holds as well, if that is shorter. Raises LlmFailed if it cannot be reached, takes
        too long, fails, or says nothing or too much.
        """


def open_llm(command_or_address: str | None, config: Config) -> LLM:
    """Open the LLM of a flag, else the configured one (`llm`).

    Raises BadInput if none is named, LlmFailed if there is no such command or the client for an address is
    not installed.
    """
    chosen = command_or_address or config["llm"]
    if not chosen:
        raise BadInput("no LLM is configured", by_hand=HOW_TO_NAME_ONE)
    timeout = config["llm_timeout"]
    if chosen.startswith(("http://", "https://")):
        from memcli.llm.address import open_address

        return open_address(chosen, config["llm_model"], config["llm_key_variable"], timeout)
    from memcli.llm.command import open_command

    return open_command(chosen, timeout)
