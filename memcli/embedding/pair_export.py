"""Pair export: compile a cross-encoder, loaded by sentence-transformers and exported by torch.

The graph goes from token ids to the score.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from memcli.embedding.cross_encoder import SCORE, VARIABLE, CrossEncoder
from memcli.embedding.graph_export import quiet, stay_offline
from memcli.embedding.graphs import INPUTS, graph_file, save_graph
from memcli.embedding.manifest import Manifest
from memcli.embedding.models import CannotCompile, LocatedModel
from memcli.embedding.vocabulary import keep_tokenizer
from memcli.errors import ModelUnusable
from memcli.system.files import write_private

# How far the compiled model's scores may differ.
_TOLERANCE = 1e-4
_QUESTION = "Which port does the staging server listen on?"
_PROBES = ("The staging server listens on port 8443.", "Grüße aus Köln", "東京", "x " * 600)


def export_cross_encoder(
    work: Path, model: LocatedModel, weights: str, notify: Callable[[str], None]
) -> None:
    """Write manifest, tokenizer and graph of a cross-encoder into the folder `work`.

    Raises ModelUnusable for one that does not load, or gives more than one score per pair; CannotCompile if
    it works but cannot be exported, or its export gives other scores; OSError.
    """
    notify(f"compiling the cross-encoder {model.name}, once (about 15 seconds)…")
    encoder = _loaded(model)
    pairs = [(_QUESTION, probe) for probe in _PROBES]
    with quiet():
        if encoder.num_labels != 1:
            raise ModelUnusable(
                f"{model.folder}: it sorts into {encoder.num_labels} classes, and gives no score",
                by_hand=f"set {VARIABLE} to another",
            )
        if not getattr(encoder.tokenizer, "is_fast", False):
            raise CannotCompile(f"{model.name}: its tokenizer has no fast form")
        expected = np.asarray(encoder.predict(pairs, show_progress_bar=False))
        try:
            manifest = _manifest(encoder, model.name, weights, pairs)
            _export(encoder, manifest, pairs, work)
        except OSError:
            raise
        except Exception as error:
            raise CannotCompile(f"{model.name}: torch cannot export it ({error})") from error
        keep_tokenizer(encoder.tokenizer.backend_tokenizer, work)
    write_private(work / "model.json", manifest.to_json().encode())
    found = np.asarray(CrossEncoder(work).scores(_QUESTION, _PROBES))
    if found.shape != expected.shape or np.abs(found - expected).max() > _TOLERANCE:
        raise CannotCompile(f"{model.name}: compiled, it does not give the same scores")


def _loaded(model: LocatedModel) -> Any:
    stay_offline()
    with quiet():
        try:
            from sentence_transformers import CrossEncoder as Loaded

            return Loaded(str(model.folder), device="cpu", local_files_only=True, trust_remote_code=False)
        except Exception as error:
            raise ModelUnusable(
                f"{model.folder}: sentence-transformers cannot load this cross-encoder "
                f"({type(error).__name__}: {error})",
                by_hand=f"set {VARIABLE} to another",
            ) from error


def _manifest(encoder: Any, name: str, weights: str, pairs: list[tuple[str, str]]) -> Manifest:
    features = encoder.preprocess(pairs)
    prompts = {key: text or "" for key, text in (encoder.prompts or {}).items()}
    return Manifest(
        name=name,
        weights=weights,
        dimensions=1,
        max_tokens=min(int(encoder.tokenizer.model_max_length), 8192),
        inputs=tuple(key for key in INPUTS if key in features),
        pad_id=int(encoder.tokenizer.pad_token_id or 0),
        lowercase=False,
        query_prompt=prompts.get(encoder.default_prompt_name or "", ""),
        document_prompt="",
    )


def _export(encoder: Any, manifest: Manifest, pairs: list[tuple[str, str]], work: Path) -> None:
    import torch

    class Whole(torch.nn.Module):  # type: ignore[misc]  # torch is not followed, see pyproject
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder

        def forward(self, *tensors: Any) -> Any:
            features = dict(zip(manifest.inputs, tensors, strict=True))
            for module in self.encoder:
                features = module(features)
            return encoder.activation_fn(features["scores"].float()).reshape(-1)

    sample = encoder.preprocess(pairs)
    exported = work / "model.onnx"
    torch.onnx.export(
        Whole().eval(),
        tuple(sample[name].cpu() for name in manifest.inputs),
        str(exported),
        input_names=list(manifest.inputs),
        output_names=[SCORE],
        dynamic_axes={**{name: {0: "pairs", 1: "tokens"} for name in manifest.inputs}, SCORE: {0: "pairs"}},
        opset_version=17,
        dynamo=False,  # as an embedding model
    )
    save_graph(str(exported), graph_file(work), fuse=True)
    exported.unlink()
