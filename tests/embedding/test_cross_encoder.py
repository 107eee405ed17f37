"""A cross-encoder puts recall's first in order, as sentence-transformers scores them; off unless named."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memcli.embedding.cross_encoder import open_cross_encoder
from memcli.errors import ModelUnusable
from memcli.recall.ranking.second_look import second_order
from tests.conftest import Run

# A BERT of random weights, its letters as vocabulary; argv: folder, number of labels.
TINY = """
import sys
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast
import torch
torch.manual_seed(3)
letters = [chr(n) for n in range(97, 123)]
vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *("##" + x for x in letters)]
tokenizer = Tokenizer(models.WordPiece({w: n for n, w in enumerate(vocabulary)}, unk_token="[UNK]"))
tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
tokenizer.post_processor = processors.TemplateProcessing(
    single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]",
    cls_token="[CLS]", sep_token="[SEP]", model_max_length=64,
    model_input_names=["input_ids", "token_type_ids", "attention_mask"])
config = BertConfig(vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
    intermediate_size=64, max_position_embeddings=64, num_labels=int(sys.argv[2]), initializer_range=0.6)
BertForSequenceClassification(config).save_pretrained(sys.argv[1])
fast.save_pretrained(sys.argv[1])
"""
ORACLE = """
import json, sys
from sentence_transformers import CrossEncoder
pairs = [tuple(pair) for pair in json.load(sys.stdin)]
json.dump(CrossEncoder(sys.argv[1], device="cpu").predict(pairs).tolist(), sys.stdout)
"""
TEXTS = ("the port is eight", "tea", "Grüße aus Köln", "a long one " * 40, "東京", "who knows what it was")


def made(folder: Path, labels: int) -> Path:
    subprocess.run([sys.executable, "-c", TINY, str(folder), str(labels)], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("cross"), 1)


def predicted(folder: Path, question: str, texts: list[str]) -> list[float]:
    pairs = json.dumps([(question, text) for text in texts])
    done = subprocess.run(
        [sys.executable, "-c", ORACLE, str(folder)], input=pairs, capture_output=True, text=True, check=True
    )
    scores: list[float] = json.loads(done.stdout)
    return scores


def test_its_scores_are_those_of_sentence_transformers(tiny: Path, tmp_path: Path) -> None:
    said: list[str] = []
    encoder = open_cross_encoder(str(tiny), tmp_path, said.append)
    question = "which port is it?"
    expected = predicted(tiny, question, list(TEXTS))
    assert np.ptp(expected) > 0.01
    assert encoder.scores(question, TEXTS) == pytest.approx(expected, abs=1e-5)
    assert encoder.scores(question, []) == []
    # Compiled once.
    assert open_cross_encoder(str(tiny), tmp_path, said.append) is encoder and len(said) == 1


def test_recall_is_in_its_order(
    tiny: Path, tmp_path: Path, mem: Run, monkeypatch: pytest.MonkeyPatch
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
    scores = predicted(tiny, "who drinks tea?", [hit["text"] for hit in after])
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


def test_what_sorts_into_classes_gives_no_order(tmp_path: Path) -> None:
    folder = made(tmp_path / "classes", 3)
    with pytest.raises(ModelUnusable, match="3 classes"):
        open_cross_encoder(str(folder), tmp_path)


def test_what_is_no_cross_encoder_is_not_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def compiled(*_: object) -> Path:
        raise AssertionError("it was compiled")

    monkeypatch.setattr("memcli.embedding.compiler.compile_model", compiled)
    folder = tmp_path / "sentences"
    folder.mkdir()
    (folder / "config.json").write_text('{"architectures": ["BertModel"]}')
    with pytest.raises(ModelUnusable, match="no cross-encoder"):
        open_cross_encoder(str(folder), tmp_path)


def test_those_not_looked_at_keep_their_place() -> None:
    assert second_order([0.1, 0.9, 0.5], 5) == [1, 2, 0, 3, 4]
    assert second_order([0.5, 0.5], 2) == [0, 1]
