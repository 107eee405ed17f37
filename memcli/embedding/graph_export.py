"""Graph export of a model that is no plain BERT encoder: loaded by sentence-transformers, exported by torch.

The whole model is in the graph, from token ids to the sentence's vector: transformer, pooling, normalisation
and whatever else its configuration asks for.
"""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from memcli.embedding.bert.description import chosen_prompts
from memcli.embedding.compiled import open_compiled
from memcli.embedding.graphs import INPUTS, MIDDLE, SENTENCE, graph_file, save_graph
from memcli.embedding.manifest import Manifest, middle_layer
from memcli.embedding.models import CannotCompile, LocatedModel
from memcli.embedding.vocabulary import keep_tokenizer
from memcli.errors import ModelUnusable
from memcli.system.files import write_private

# How far the compiled model's vectors may differ; float32 on another kernel differs by about 1e-7.
_TOLERANCE = 1e-5
_PROBES = ("The staging server listens on port 8443.", "Grüße aus Köln", "東京", "x")


def export_model(model: LocatedModel, weights: str, work: Path) -> None:
    """Write manifest, tokenizer and graph of a model into the folder `work`.

    Raises ModelUnusable for a model that does not load, CannotCompile if it works but cannot be exported, or
    its export gives other vectors; OSError.
    """
    transformer = load_sentence_transformer(model)
    with quiet():
        if not getattr(transformer.tokenizer, "is_fast", False):
            raise CannotCompile(f"{model.name}: its tokenizer has no fast form")
        if any(getattr(module, "include_prompt", True) is False for module in transformer):
            raise CannotCompile(f"{model.name}: it leaves prompts out of pooling")
        manifest = manifest_of(transformer, model.name, weights)
        try:
            _export(transformer, manifest, work)
        except OSError:
            raise
        except Exception as error:
            raise CannotCompile(f"{model.name}: torch cannot export it ({error})") from error
        keep_tokenizer(transformer.tokenizer.backend_tokenizer, work)
    write_private(work / "model.json", manifest.to_json().encode())
    expected = transformer.encode_query(list(_PROBES), show_progress_bar=False)
    found = open_compiled(work, model).queries(_PROBES)
    if found.shape != expected.shape or np.abs(found - expected).max() > _TOLERANCE:
        raise CannotCompile(f"{model.name}: compiled, it does not give the same vectors")


def load_sentence_transformer(model: LocatedModel) -> Any:
    """Load the model in sentence-transformers, offline and without running code that it may bring.

    Raises ModelUnusable, with the library's error chained.
    """
    stay_offline()
    with quiet():
        try:
            from sentence_transformers import SentenceTransformer

            return SentenceTransformer(
                str(model.folder), device="cpu", local_files_only=True, trust_remote_code=False
            )
        except Exception as error:
            raise ModelUnusable(
                f"{model.folder}: sentence-transformers cannot load this model "
                f"({type(error).__name__}: {error})",
                by_hand="set MEMCLI_MODEL to another",
            ) from error


def stay_offline() -> None:
    """Keep the libraries that load models off the network; call it before they are imported."""
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")


def manifest_of(transformer: Any, name: str, weights: str) -> Manifest:
    """Return the manifest of a loaded model, from its own configuration."""
    prompts = {key: text or "" for key, text in (transformer.prompts or {}).items()}
    query, document = chosen_prompts(prompts, transformer.default_prompt_name)
    tokenizer = transformer.tokenizer
    limit = transformer.max_seq_length or min(tokenizer.model_max_length, 8192)
    return Manifest(
        name=name,
        weights=weights,
        dimensions=len(transformer.encode("x", show_progress_bar=False)),
        max_tokens=int(limit),
        inputs=tuple(key for key in INPUTS if key in tokenizer("x")),
        pad_id=int(tokenizer.pad_token_id or 0),
        lowercase=bool(getattr(transformer[0], "do_lower_case", False)),
        query_prompt=query,
        document_prompt=document,
        middle=_middle_layer(transformer),
    )


def _middle_layer(transformer: Any) -> int | None:
    """Return the number of the layer whose mean is returned beside the vector; None without layers."""
    config = getattr(getattr(transformer[0], "auto_model", None), "config", None)
    layers = getattr(config, "num_hidden_layers", None)
    return middle_layer(layers) if isinstance(layers, int) else None


def _export(transformer: Any, manifest: Manifest, work: Path) -> None:
    import torch

    class Whole(torch.nn.Module):  # type: ignore[misc]  # torch is not followed, see pyproject
        def __init__(self) -> None:
            super().__init__()
            self.modules_in_order = transformer

        def forward(self, *tensors: Any) -> Any:
            features = dict(zip(manifest.inputs, tensors, strict=True))
            for module in self.modules_in_order:
                features = module(features)
            if manifest.middle is None:
                return features[SENTENCE]
            states = features["all_layer_embeddings"][manifest.middle]
            read = features["attention_mask"].unsqueeze(-1).to(states.dtype)
            return features[SENTENCE], (states * read).sum(1) / read.sum(1)

    outputs = [SENTENCE]
    if manifest.middle is not None:
        transformer[0].auto_model.config.output_hidden_states = True
        outputs.append(MIDDLE)

    sample = transformer.tokenizer(list(_PROBES), padding=True, return_tensors="pt")
    axes = {name: {0: "texts", 1: "tokens"} for name in manifest.inputs}
    exported = work / "model.onnx"
    torch.onnx.export(
        Whole().eval(),
        tuple(sample[name] for name in manifest.inputs),
        str(exported),
        input_names=list(manifest.inputs),
        output_names=outputs,
        dynamic_axes={**axes, **{name: {0: "texts"} for name in outputs}},
        opset_version=17,
        dynamo=False,  # needs only `onnx`, and a few seconds instead of forty
    )
    save_graph(str(exported), graph_file(work), fuse=True)
    exported.unlink()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep the libraries' progress bars and deprecation warnings off the terminal."""
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield
