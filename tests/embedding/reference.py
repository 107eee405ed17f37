"""What sentence-transformers and transformers say themselves, which our vectors and scores are held against.

They are asked in a process of their own, so that torch stays out of the one that is tested. Loading it takes
seconds: one process answers all that the tests of a run ask.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_LETTERS = [chr(number) for number in range(ord("a"), ord("z") + 1)]
_VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *_LETTERS, *(f"##{letter}" for letter in _LETTERS)]
_SIZES = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64,
    "max_position_embeddings": 64,
}  # fmt: skip


class Reference:
    """The process, asked by a line of JSON and answering by one."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def make_encoder(self, folder: Path, pooling: str) -> Path:
        """Make a BERT encoder of random weights: letters as its vocabulary, prompts, 32 tokens."""
        self._ask("make_encoder", str(folder), pooling)
        return folder / "tiny"

    def make_cross_encoder(self, folder: Path, labels: int) -> Path:
        """Make a cross-encoder of random weights that gives so many numbers."""
        self._ask("make_cross_encoder", str(folder), labels)
        return folder

    def vectors(self, folder: Path, texts: Sequence[str]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The vectors of texts as documents, and as queries."""
        documents, queries = self._ask("vectors", str(folder), list(texts))
        return np.asarray(documents), np.asarray(queries)

    def means_of_layer(self, folder: Path, layer: int, texts: Sequence[str]) -> tuple[int, list[Any]]:
        """How many layers there are, and of each text, read alone, the mean of its tokens after one."""
        layers, means = self._ask("means_of_layer", str(folder), layer, list(texts))
        return layers, means

    def scores(self, folder: Path, question: str, texts: Sequence[str]) -> list[float]:
        """What a cross-encoder gives each text for a question."""
        scores: list[float] = self._ask("scores", str(folder), question, list(texts))
        return scores

    def _ask(self, *what: object) -> Any:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the process with torch has ended; what it said stands above"
        return json.loads(line)


@contextmanager
def reference_process() -> Iterator[Reference]:
    """Start it, and end it when nobody asks any more."""
    command = [sys.executable, "-m", "tests.embedding.reference"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as process:
        yield Reference(process)


# In that process.


def _make_encoder(folder: str, pooling: str) -> None:
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from transformers import BertConfig, BertModel

    torch.manual_seed(1)
    bert = f"{folder}/bert"
    BertModel(BertConfig(vocab_size=len(_VOCABULARY), **_SIZES)).save_pretrained(bert)
    _tokenizer(pair=None, model_max_length=32).save_pretrained(bert)
    modules = [Transformer(bert, max_seq_length=32), Pooling(32, pooling_mode=pooling)]
    prompts = {"query": "query: ", "document": "passage: "}
    SentenceTransformer(modules=modules, prompts=prompts, device="cpu").save(f"{folder}/tiny")


def _make_cross_encoder(folder: str, labels: int) -> None:
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(3)
    config = BertConfig(vocab_size=len(_VOCABULARY), num_labels=labels, initializer_range=0.6, **_SIZES)
    BertForSequenceClassification(config).save_pretrained(folder)
    inputs = ["input_ids", "token_type_ids", "attention_mask"]
    _tokenizer(
        pair="[CLS] $A [SEP] $B:1 [SEP]:1", model_max_length=64, model_input_names=inputs
    ).save_pretrained(folder)


def _tokenizer(*, pair: str | None, **options: Any) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(
        models.WordPiece({word: number for number, word in enumerate(_VOCABULARY)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair=pair, special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    special = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special, **options)


def _vectors(folder: str, texts: list[str]) -> list[Any]:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(folder, device="cpu", local_files_only=True)
    return [model.encode_document(texts).tolist(), model.encode_query(texts).tolist()]


def _means_of_layer(folder: str, layer: int, texts: list[str]) -> list[Any]:
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModel.from_pretrained(folder, local_files_only=True)
    means, states = [], ()
    for text in texts:
        tokens = tokenizer(text.strip(), return_tensors="pt", truncation=True, max_length=256)
        with torch.no_grad():
            states = model(**tokens, output_hidden_states=True).hidden_states
        means.append(states[layer][0].mean(0).tolist())
    return [len(states) - 1, means]


def _scores(folder: str, question: str, texts: list[str]) -> list[float]:
    from sentence_transformers import CrossEncoder

    scores: list[float] = (
        CrossEncoder(folder, device="cpu").predict([(question, text) for text in texts]).tolist()
    )
    return scores


def _serve() -> None:
    """Answer line by line on the stream that was stdout; what libraries print goes to stderr."""
    answers, sys.stdout = sys.stdout, sys.stderr
    doing: dict[str, Callable[..., object]] = {
        "make_encoder": _make_encoder, "make_cross_encoder": _make_cross_encoder, "vectors": _vectors,
        "means_of_layer": _means_of_layer, "scores": _scores,
    }  # fmt: skip
    for line in sys.stdin:
        name, *given = json.loads(line)
        print(json.dumps(doing[name](*given)), file=answers, flush=True)


if __name__ == "__main__":
    _serve()
