"""A cross-encoder puts recall's first in order, as sentence-transformers scores them; off unless named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memcli.embedding.cross_encoder import open_cross_encoder
from memcli.errors import ModelUnusable
from memcli.recall.ranking.second_look import second_order
from tests.conftest import Run
from tests.embedding.reference import Reference

TEXTS = ("the port is eight", "tea", "Grüße aus Köln", "a long one " * 40, "東京", "who knows what it was")


@pytest.fixture(scope="module")
def tiny(reference: Reference, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that gives a score."""
    return reference.make_cross_encoder(tmp_path_factory.mktemp("cross"), 1)


def test_its_scores_are_those_of_sentence_transformers(
    tiny: Path, reference: Reference, tmp_path: Path
) -> None:
    said: list[str] = []
    encoder = open_cross_encoder(str(tiny), tmp_path, said.append)
    question = "which port is it?"
    expected = reference.scores(tiny, question, TEXTS)
    assert np.ptp(expected) > 0.01
    assert encoder.scores(question, TEXTS) == pytest.approx(expected, abs=1e-5)
    assert encoder.scores(question, []) == []
    # Compiled once.
    assert open_cross_encoder(str(tiny), tmp_path, said.append) is encoder and len(said) == 1


def test_recall_is_in_its_order(
    tiny: Path, reference: Reference, mem: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Unlike each other: of near-copies the page would change the order again.
    texts = [
        "Ann drinks tea at breakfast", "The landlord raised the rent in March", "Bob's tea comes from Assam",
        "My sister has moved to Lisbon", "Green tea keeps me awake", "The router stands in the cellar",
    ]  # fmt: skip
    assert mem("remember", "--batch", "--force", input="\n".join(texts)).returncode == 0
    asked = ("recall", "who drinks tea?", "-n", "6", "--min-score", "0", "--json", "--explain")
    before = _hits(mem(*asked).stdout)
    monkeypatch.setenv("MEMCLI_RERANK", str(tiny))
    monkeypatch.setenv("MEMCLI_MIN_SURE", "0")
    done = mem(*asked)
    assert done.returncode == 0
    after = _hits(done.stdout)
    assert {hit["text"] for hit in after} == {hit["text"] for hit in before} and len(after) == 6
    scores = reference.scores(tiny, "who drinks tea?", [hit["text"] for hit in after])
    assert scores == sorted(scores, reverse=True)
    # The first recall counted as a use, which moves the scores a little.
    assert [hit["score"] for hit in after] == pytest.approx([hit["score"] for hit in before], abs=0.02)
    assert [hit["text"] for hit in after] != [hit["text"] for hit in before]
    # Words alone ask no model.
    assert mem("recall", "--words", "tea").stderr == ""
    # Who was moved says so, and by how much; what nothing answers, nothing answers still.
    explained = [hit["explain"]["parts"].get("rerank") for hit in after]
    assert any(explained) and "rerank" in mem("recall", "who drinks tea?", "-n", "6", "--explain").stdout
    assert mem("recall", "quantum chromodynamics").returncode == 1
    shown = json.loads(mem("model", "show", "--json").stdout)
    assert shown["rerank"] == str(tiny) and Path(shown["rerank_compiled"]).is_dir()
    assert mem("model", "status").returncode == 0


def _hits(lines: str) -> list[dict[str, Any]]:
    return [record for line in lines.splitlines() if "text" in (record := json.loads(line))]


def test_one_that_cannot_be_had_is_told_of_once_and_the_order_is_without_it(
    mem: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem("remember", "--batch", "--force", input="I drink tea\nI drink coffee with milk\n")
    plain = mem("recall", "what do I drink?")
    (tmp_path / "empty").mkdir()
    for name in (str(tmp_path / "nowhere"), str(tmp_path / "empty"), "no/such-model", "all-MiniLM-L6-v2"):
        monkeypatch.setenv("MEMCLI_RERANK", name)
        done = mem("recall", "what do I drink?")
        assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)
        assert done.stderr.count("\n") == 1 and "MEMCLI_RERANK" in done.stderr
        assert "rerank" in mem("model", "show").stdout
        assert mem("model", "status").returncode == 5


def test_what_sorts_into_classes_gives_no_order(reference: Reference, tmp_path: Path) -> None:
    folder = reference.make_cross_encoder(tmp_path / "classes", 3)
    with pytest.raises(ModelUnusable, match="3 classes"):
        open_cross_encoder(str(folder), tmp_path)


def test_what_is_no_cross_encoder_is_not_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def compiled(*_: object) -> Path:
        raise AssertionError("it was compiled")

    monkeypatch.setattr("memcli.embedding.compiler.compile_model", compiled)
    folder = tmp_path / "sentences"
    folder.mkdir()
    (folder / "config.json").write_text('{"architectures": ["BertModel"]}')
    with pytest.raises(ModelUnusable, match="not a cross-encoder"):
        open_cross_encoder(str(folder), tmp_path)


def test_those_not_looked_at_keep_their_place() -> None:
    assert second_order([0.1, 0.9, 0.5], 5) == [1, 2, 0, 3, 4]
    assert second_order([0.5, 0.5], 2) == [0, 1]
