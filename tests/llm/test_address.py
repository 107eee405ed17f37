"""An LLM behind an address. The client is a stand-in here: no test reaches for the network."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from memcli.config.config import Config
from memcli.errors import LlmFailed
from memcli.llm import LLM, open_llm

ADDRESS = "http://localhost:11434/v1"


class Client:
    """What memcli uses of `openai.OpenAI`."""

    models_served = ("tiny",)
    pieces: tuple[Any, ...] = ("he", "llo", None)
    made: dict[str, Any]

    def __init__(self, **options: Any) -> None:
        Client.made = options
        self.models = SimpleNamespace(
            list=lambda: SimpleNamespace(data=[SimpleNamespace(id=name) for name in self.models_served])
        )
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self._create))

    def _create(self, **asked: Any) -> Any:
        Client.made |= asked
        # The client's stream is both a context manager and an iterator.
        return _Stream(self._chunks())

    def _chunks(self) -> Iterator[Any]:
        yield SimpleNamespace(choices=[])
        for piece in self.pieces:
            if isinstance(piece, Exception):
                raise piece
            if isinstance(piece, float):
                time.sleep(piece)
            else:
                yield SimpleNamespace(choices=[SimpleNamespace(delta=SimpleNamespace(content=piece))])


class _Stream:
    def __init__(self, chunks: Iterator[Any]) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[Any]:
        return self._chunks

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class OpenAIError(Exception):
    pass


class APIConnectionError(OpenAIError):
    pass


class APITimeoutError(APIConnectionError):
    pass


@pytest.fixture(autouse=True)
def client(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("openai")
    for each in (OpenAIError, APIConnectionError, APITimeoutError):
        setattr(module, each.__name__, each)
    vars(module)["OpenAI"] = Client
    monkeypatch.setitem(sys.modules, "openai", module)


def opened(tmp_path: Path, **settings: str) -> LLM:
    environment = {f"MEMCLI_{name.upper()}": value for name, value in settings.items()}
    return open_llm(ADDRESS, Config({**environment, "MEMCLI_CONFIG": str(tmp_path / "none")}))


def test_an_address_answers(tmp_path: Path) -> None:
    llm = opened(tmp_path)
    assert llm.name == "localhost"
    assert llm.ask("hi").text == "hello"
    assert (Client.made["base_url"], Client.made["model"]) == (ADDRESS, "tiny")
    assert Client.made["max_retries"] == 0


def test_no_key_is_sent_unless_its_variable_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "mine")
    opened(tmp_path)
    assert Client.made["api_key"] == "none"
    opened(tmp_path, llm_key_variable="OPENAI_API_KEY")
    assert Client.made["api_key"] == "mine"
    with pytest.raises(LlmFailed, match="names NO_SUCH"):
        opened(tmp_path, llm_key_variable="NO_SUCH")


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        (("a" * 600_000, "b" * 600_000), "more than 1,000,000 bytes"),
        (("a", 0.3, "b"), "did not finish within 0.2 s"),
        ((APITimeoutError(),), "no answer within"),
        ((APIConnectionError("refused"),), "is the server running"),
        ((OpenAIError("no such model"),), "localhost: no such model"),
        ((" ",), "answered nothing"),
    ],
)
def test_a_server_that_fails_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pieces: tuple[Any, ...], said: str
) -> None:
    monkeypatch.setattr(Client, "pieces", pieces)
    with pytest.raises(LlmFailed, match=said):
        opened(tmp_path, llm_timeout="0.2" if 0.3 in pieces else "60").ask("hi")


def test_one_of_several_models_is_not_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Client, "models_served", ("a", "b"))
    with pytest.raises(LlmFailed, match=r"\(a, b\); choose one with llm_model"):
        opened(tmp_path).ask("hi")
    assert opened(tmp_path, llm_model="b").ask("hi").text == "hello"
    assert Client.made["model"] == "b"
