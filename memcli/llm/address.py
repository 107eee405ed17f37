"""LLM at an OpenAI-compatible address: a local server such as Ollama, llama.cpp, LM Studio, vLLM."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memcli.errors import LlmFailed
from memcli.llm import Reply
from memcli.llm.command import MAX_ANSWER
from memcli.prompt.budget import CHARACTERS_A_TOKEN, estimate_tokens

if TYPE_CHECKING:
    from openai import OpenAI

# The client insists on a key; a local server ignores it.
_NO_KEY = "none"


def open_address(address: str, model: str | None, key_variable: str | None, timeout: float) -> AddressLLM:
    """Open the LLM at an address (up to and including `/v1`); `timeout` in seconds.

    The key is taken from the environment variable named `key_variable`; no other is ever sent. Raises
    LlmFailed if the client is not installed or the variable is not set.
    """
    try:
        import openai
    except ImportError as error:
        raise LlmFailed(
            "an address needs the openai client",
            by_hand="pip install 'memcli[openai]', or name a command with --llm",
        ) from error
    key = os.environ.get(key_variable, "") if key_variable else _NO_KEY
    if not key:
        raise LlmFailed(f"llm_key_variable names {key_variable}, and no such environment variable is set")
    # No retries by the client, so that the time is bounded: a second attempt is decided here.
    client = openai.OpenAI(base_url=address, api_key=key, timeout=timeout, max_retries=0)
    return AddressLLM(client, urlsplit(address).hostname or address, model, timeout)


class AddressLLM:
    """An LLM served at an address."""

    def __init__(self, client: OpenAI, name: str, model: str | None, timeout: float) -> None:
        self.name = name
        self._client = client
        self._model = model
        self._timeout = timeout

    def ask(self, prompt: str, most: int | None = None, within: float | None = None) -> Reply:
        """Ask the server once; the answer is streamed, so that its length and time are bounded."""
        import openai

        began = time.monotonic()
        limit = MAX_ANSWER if most is None else min(MAX_ANSWER, most * CHARACTERS_A_TOKEN)
        try:
            text = self._read(prompt, limit, began + min(self._timeout, within or self._timeout))
        except openai.APITimeoutError as error:
            raise LlmFailed(f"{self.name} gave no answer within {self._timeout:g} s (llm_timeout)") from error
        except openai.APIConnectionError as error:
            raise LlmFailed(f"{self.name} cannot be reached; is the server running? ({error})") from error
        except openai.OpenAIError as error:
            raise LlmFailed(f"{self.name}: {str(error)[:200]}") from error
        if not text.strip():
            raise LlmFailed(f"{self.name} answered nothing")
        return Reply(text.strip(), estimate_tokens(prompt), estimate_tokens(text), time.monotonic() - began)

    def _read(self, prompt: str, limit: int, deadline: float) -> str:
        self._model = self._model or self._only_model()
        stream: Any = self._client.chat.completions.create(
            model=self._model, messages=[{"role": "user", "content": prompt}], stream=True,
            timeout=max(0.1, deadline - time.monotonic()),
        )  # fmt: skip
        text, size = "", 0
        with stream:
            for chunk in stream:
                piece = (chunk.choices[0].delta.content or "") if chunk.choices else ""
                text, size = text + piece, size + len(piece.encode("utf-8", errors="replace"))
                if size > limit:
                    raise LlmFailed(
                        f"{self.name} answered more than {limit:,} bytes; it was cut off",
                        estimate_tokens(text),
                    )
                if time.monotonic() > deadline:
                    raise LlmFailed(
                        f"{self.name} did not finish within {self._timeout:g} s (llm_timeout)",
                        estimate_tokens(text),
                    )
        return text

    def _only_model(self) -> str:
        names = [str(each.id) for each in self._client.models.list().data]
        if len(names) == 1:
            return names[0]
        known = ", ".join(names[:8]) or "none"
        raise LlmFailed(
            f"{self.name} serves several models or none ({known})", advice="choose one with llm_model"
        )
