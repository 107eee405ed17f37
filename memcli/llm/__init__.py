"""Any LLM that its owner names: a prompt in, a checked answer out.

    questions   what memcli asks: an answer, a summary, facts, a judgement
    claims      what an answer claims, and whether the memories it cites say so
    contracts   the JSON in an answer, checked field by field; asked twice, then set aside
    fencing     prompts: files with a version, memories inside as data
    meter       tokens counted, with a limit that is never passed
    command     a command line: the prompt on stdin, the answer on stdout
    address     an OpenAI-compatible server

Nothing is asked unless its owner configured an LLM, and no answer is believed
because a model gave it.
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
    """What an LLM answered, its cost in tokens (estimated by `prompt.budget`) and in seconds."""

    text: str
    tokens_in: int
    tokens_out: int
    seconds: float


class LLM(Protocol):
    """Whatever turns a prompt into an answer."""

    name: str
    """What messages call it; holds no argument and no key."""

    def ask(self, prompt: str, most: int | None = None, within: float | None = None) -> Reply:
        """The answer to one prompt, of at most `most` tokens, `within` so many seconds if that is less time.

        Raises LlmFailed: it could not be reached, took too long, failed, said
        nothing or too much.
        """


def open_llm(command_or_address: str | None, config: Config) -> LLM:
    """The LLM of a flag, else the configured one (`llm`).

    Raises BadInput where none is named, LlmFailed where there is no such
    command or the client for an address is not installed.
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
