"""Compiling a model, once: sentence-transformers loads it, torch exports it,
onnxruntime optimises it and writes its own format.

The whole of the model is in the graph, from token ids to the sentence's
vector: transformer, pooling, normalisation and whatever else its
configuration asks for.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from memcli.embedding.compiled import (
    MIDDLE,
    SENTENCE,
    CompiledEmbedder,
    Manifest,
    compiled_folder_name,
    compiled_in_older_formats,
    find_compiled,
    pointer_file,
)
from memcli.embedding.models import CannotCompile, LocatedModel
from memcli.embedding.runtime import onnxruntime
from memcli.errors import ModelUnusable, StoreBusy, StoreUnusable
from memcli.system.files import write_private
from memcli.system.locks import hold_lock
from memcli.system.places import make_private_folder

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
# Seconds: many times what compiling takes. Who still holds the lock then has come to a stop, not to its end.
_PATIENCE = 300.0
# What the compiled model must reproduce; float32 on another kernel differs by about 1e-7.
_TOLERANCE = 1e-5
# Of a transformer of six layers the fourth: there the grammar of a sentence (is it told, ordered, wished,
# done?) is plainest, at the end mostly its topic (Tenney et al. 2019, "BERT rediscovers the classical NLP
# pipeline"). Measured on benchmarks/labels: the kind of an English statement 70 % by it, 55 % by the end.
_MIDDLE = 2 / 3
_PROBES = ("The staging server listens on port 8443.", "Grüße aus Köln", "東京", "x")


def compile_model(
    model: LocatedModel, cache: Path, notify: Callable[[str], None] = lambda line: None
) -> Path:
    """Compile `model` into `cache`, or wait for who does it already, and return the folder.

    Takes about 15 seconds; `notify` gets a line before that, or before waiting. A lock that
    dies with its holder is held meanwhile; who has waited `_PATIENCE` for it compiles on its
    own, in a folder of its own: the first rename wins. What an older memcli compiled of the
    same model goes: 90 MB that lie about. Raises ModelUnusable for a model that does not load,
    CannotCompile where it works but cannot be kept.
    """
    pointer = pointer_file(model, cache)
    with contextlib.ExitStack() as holding:
        holder = True
        try:
            busy = f"another process compiles the model {model.name}"
            lock = pointer.with_suffix(".compiling")
            holding.enter_context(hold_lock(lock, busy=busy, patience=_PATIENCE, waiting=notify))
        except StoreBusy:
            holder = False
        except StoreUnusable as error:
            raise CannotCompile(str(error)) from error
        if ready := find_compiled(model, cache):
            return ready
        notify(f"compiling the model {model.name}, once (about 15 seconds)…")
        begun = f".compiling-{pointer.stem}-"
        for left in pointer.parent.glob(f"{begun}*") if holder else ():
            shutil.rmtree(left, ignore_errors=True)  # by who was killed
        return _compiled_once(model, cache, begun)


def _compiled_once(model: LocatedModel, cache: Path, begun: str) -> Path:
    """The folder of a compiled model, made now unless it lies there; `begun` names unfinished ones."""
    weights = model.weights_hash()
    settings = _settings_hash(model)
    target = cache / "models" / compiled_folder_name(weights, settings)
    try:
        make_private_folder(target.parent)
        if not (target / "model.json").exists():
            work = Path(tempfile.mkdtemp(prefix=begun, dir=target.parent))
            try:
                _compile_into(work, model, weights)
                with contextlib.suppress(OSError):  # another process was first
                    work.rename(target)
                for old in compiled_in_older_formats(weights, settings, target.parent):
                    _remove(old)
            finally:
                shutil.rmtree(work, ignore_errors=True)
        _write_pointer(pointer_file(model, cache), weights, settings)
    except OSError as error:
        raise CannotCompile(f"{target.parent}: cannot be written ({error.strerror})") from error
    return target


def _remove(folder: Path) -> None:
    """Take a compiled folder away: from one instant to the next it is there no more, never in part.

    Who has it open reads on; who looks for it compiles it again. Where the system forbids
    that (Windows, while it is open), it stays.
    """
    with contextlib.suppress(OSError):
        gone = Path(tempfile.mkdtemp(prefix=".removing-", dir=folder.parent))
        try:
            folder.rename(gone / folder.name)
        finally:
            shutil.rmtree(gone, ignore_errors=True)


def load_sentence_transformer(model: LocatedModel) -> Any:
    """The model in sentence-transformers, offline and without running code it may bring.

    Raises ModelUnusable, the library's error chained.
    """
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
    with _quiet():
        try:
            from sentence_transformers import SentenceTransformer

            return SentenceTransformer(
                str(model.folder), device="cpu", local_files_only=True, trust_remote_code=False
            )
        except Exception as error:
            raise ModelUnusable(
                f"{model.folder}: sentence-transformers cannot load this model "
                f"({type(error).__name__}: {error}); set MEMCLI_MODEL to another"
            ) from error


def manifest_of(transformer: Any, name: str, weights: str) -> Manifest:
    """What the model's own configuration says, read from the loaded model."""
    prompts = {key: text or "" for key, text in (transformer.prompts or {}).items()}
    default = prompts.get(transformer.default_prompt_name or "", "")
    # The names that SentenceTransformer.encode_document looks for, in its order.
    for_documents = (prompts[key] for key in ("document", "passage", "corpus") if prompts.get(key))
    tokenizer = transformer.tokenizer
    limit = transformer.max_seq_length or min(tokenizer.model_max_length, 8192)
    return Manifest(
        name=name,
        weights=weights,
        dimensions=len(transformer.encode("x", show_progress_bar=False)),
        max_tokens=int(limit),
        inputs=tuple(key for key in _INPUTS if key in tokenizer("x")),
        pad_id=int(tokenizer.pad_token_id or 0),
        lowercase=bool(getattr(transformer[0], "do_lower_case", False)),
        query_prompt=prompts.get("query") or default,
        document_prompt=next(for_documents, default),
        middle=_middle_layer(transformer),
    )


def _middle_layer(transformer: Any) -> int | None:
    """The number of the layer whose mean is given out beside the vector; None where there are none."""
    config = getattr(getattr(transformer[0], "auto_model", None), "config", None)
    layers = getattr(config, "num_hidden_layers", None)
    return round(layers * _MIDDLE) if isinstance(layers, int) else None


def _compile_into(work: Path, model: LocatedModel, weights: str) -> None:
    transformer = load_sentence_transformer(model)
    with _quiet():
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
        transformer.tokenizer.backend_tokenizer.save(str(work / "tokenizer.json"))
    write_private(work / "model.json", json.dumps(manifest._asdict(), indent=1).encode())
    expected = transformer.encode_query(list(_PROBES), show_progress_bar=False)
    found = CompiledEmbedder(work).queries(_PROBES)
    if found.shape != expected.shape or np.abs(found - expected).max() > _TOLERANCE:
        raise CannotCompile(f"{model.name}: compiled, it does not give the same vectors")


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
    exported, optimised = work / "model.onnx", work / "model.ort"
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
    options = onnxruntime.SessionOptions()
    # EXTENDED, not ALL: ALL bakes in what this very CPU can do.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(optimised)
    options.add_session_config_entry("session.save_model_format", "ORT")
    options.log_severity_level = 3
    onnxruntime.InferenceSession(str(exported), options, providers=["CPUExecutionProvider"])
    exported.unlink()


def _settings_hash(model: LocatedModel) -> str:
    """SHA-256 of the small files: pooling, prompts and tokenizer are part of the model too."""
    digest = hashlib.sha256()
    for path in sorted(model.folder.rglob("*.json")):
        digest.update(path.relative_to(model.folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _write_pointer(pointer: Path, weights: str, settings: str) -> None:
    write_private(pointer, json.dumps({"weights": weights, "settings": settings}).encode())


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the libraries' progress bars and deprecations off the owner's terminal."""
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield
