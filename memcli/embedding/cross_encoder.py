"""Cross-encoder: score how well texts answer a question, each read together with it.

Any of sentence-transformers that gives one score per pair, compiled once like an embedding model (`compiler`)
and run by onnxruntime. Off by default: thirty pairs cost ten times as much as a recall.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Encoding

from memcli.embedding.graphs import graph_file, open_graph, run_alike
from memcli.embedding.manifest import Manifest, find_compiled, read_manifest
from memcli.embedding.models import CannotCompile, LocatedModel, locate_model
from memcli.embedding.vocabulary import kept_tokenizer
from memcli.errors import ModelUnusable

if TYPE_CHECKING:
    from memcli.embedding import Floats

VARIABLE = "MEMCLI_RERANK"
# The output of its graph: (pairs,).
SCORE = "score"


class CrossEncoder:
    """A compiled cross-encoder, open."""

    def __init__(self, folder: Path) -> None:
        self._manifest: Manifest = read_manifest(folder)
        self._tokenizer = kept_tokenizer(folder)
        self._tokenizer.enable_truncation(self._manifest.max_tokens)
        self._graph = open_graph(graph_file(folder))

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return a score for each text, higher is better, on the model's own scale; a long text is cut."""
        if not texts:
            return []
        prompt = self._manifest.query_prompt
        pairs = self._tokenizer.encode_batch([(prompt + question, text) for text in texts])
        found: list[float] = run_alike(pairs, self._run)[0].tolist()
        return found

    def _run(self, pairs: list[Encoding]) -> list[Floats]:
        shape = (len(pairs), max(map(len, pairs)))
        ids = np.full(shape, self._manifest.pad_id, dtype=np.int64)
        mask, types = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        for row, pair in enumerate(pairs):
            ids[row, : len(pair)] = pair.ids
            mask[row, : len(pair)] = 1
            types[row, : len(pair)] = pair.type_ids
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        feed = {name: given[name] for name in self._manifest.inputs}
        return [found.astype(np.float32, copy=False) for found in self._graph.run([SCORE], feed)]


_opened: dict[Path, CrossEncoder] = {}


def open_cross_encoder(
    name: str, cache: Path, notify: Callable[[str], None] = lambda line: None
) -> CrossEncoder:
    """Open the cross-encoder called `name` (see `models.locate_model`), compiled into `cache`.

    It is opened once per process. `notify` gets a line when something takes long. Raises ModelUnusable, which
    names the setting.
    """
    model, ready = find_cross_encoder(name, cache)
    folder = ready or _compiled(model, cache, notify)
    if folder not in _opened:
        _opened[folder] = CrossEncoder(folder)
    return _opened[folder]


def find_cross_encoder(name: str, cache: Path) -> tuple[LocatedModel, Path | None]:
    """Return where it is installed, and its compiled folder if there is one. Raises ModelUnusable."""
    model = locate_model(name, VARIABLE)
    return model, find_compiled(model, pairs_cache(cache))


def pairs_cache(cache: Path) -> Path:
    """Return the folder of compiled cross-encoders, whose files may be an embedding model as well."""
    return cache / "rerank"


def _compiled(model: LocatedModel, cache: Path, notify: Callable[[str], None]) -> Path:
    from memcli.embedding.compiler import compile_model
    from memcli.embedding.pair_export import export_cross_encoder

    _check_kind(model)
    try:
        return compile_model(model, pairs_cache(cache), notify, export_cross_encoder)
    except CannotCompile as error:
        raise ModelUnusable(
            str(error), by_hand=f"set {VARIABLE} to another cross-encoder, or to nothing"
        ) from error


def _check_kind(model: LocatedModel) -> None:
    """Raise ModelUnusable for a model without scores, which would load all the same and give random ones."""
    told = ""
    for file in ("config.json", "modules.json", "config_sentence_transformers.json"):
        try:
            told += json.dumps(json.loads((model.folder / file).read_text(encoding="utf-8")))
        except (OSError, ValueError):
            continue
    if "ForSequenceClassification" not in told and "CrossEncoder" not in told:
        raise ModelUnusable(
            f"{model.folder}: this is not a cross-encoder", by_hand=f"set {VARIABLE} to one, or to nothing"
        )
