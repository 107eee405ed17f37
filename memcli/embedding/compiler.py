"""Compiler of models, run once per model: use a description of its files if possible, else export it.

A plain BERT encoder, such as the default model, is ready in the time that the hash of its weights takes; any
other is loaded by sentence-transformers and exported by torch.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from tokenizers import Tokenizer

from memcli.embedding.bert.description import InDoubt, describe_bert
from memcli.embedding.bert.weights import map_weights
from memcli.embedding.manifest import (
    bert_manifest,
    compiled_folder,
    compiled_in_older_formats,
    find_compiled,
    is_compiled,
    pointer_file,
)
from memcli.embedding.models import CannotCompile, LocatedModel
from memcli.embedding.vocabulary import keep_tokenizer
from memcli.errors import StoreBusy, StoreUnusable
from memcli.system.files import write_private
from memcli.system.locks import hold_lock
from memcli.system.places import make_private_folder

# A function that writes the files of a compiled folder: folder, model, hash of its weights, `notify`.
Maker = Callable[[Path, LocatedModel, str, Callable[[str], None]], None]
# Seconds: many times what compiling takes. A process that still holds the lock then is stuck.
_PATIENCE = 300.0


def compile_model(
    model: LocatedModel,
    cache: Path,
    notify: Callable[[str], None] = lambda line: None,
    make: Maker | None = None,
) -> Path:
    """Compile `model` into `cache`, or wait for a process that does so already; return the folder.

    `make` writes the files of the folder: by default, those of an embedding model. Exporting takes about 15
    seconds; `notify` gets a line before that, or before waiting. A lock that dies with its holder is held
    meanwhile; after `_PATIENCE` a waiting process compiles in a folder of its own, and the first rename wins.
    What an older memcli compiled of the same model (90 MB) is removed. Raises ModelUnusable for a model that
    does not load, CannotCompile if it works but cannot be stored.
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
        begun = f".compiling-{pointer.stem}-"
        for left in pointer.parent.glob(f"{begun}*") if holder else ():
            shutil.rmtree(left, ignore_errors=True)  # left by a killed process
        return _compiled_once(model, cache, begun, notify, make or _compile_into)


def _compiled_once(
    model: LocatedModel, cache: Path, begun: str, notify: Callable[[str], None], make: Maker
) -> Path:
    """Return the folder of a compiled model, made now unless it exists; `begun` names unfinished ones."""
    weights = model.weights_hash()
    settings = _settings_hash(model)
    target = compiled_folder(weights, settings, cache)
    try:
        make_private_folder(target.parent)
        if not is_compiled(target):
            work = Path(tempfile.mkdtemp(prefix=begun, dir=target.parent))
            try:
                make(work, model, weights, notify)
                if not target.exists():
                    with contextlib.suppress(OSError):  # another process was first
                        work.rename(target)
                for graph in work.glob("*.ort"):  # the folder may exist with a graph for another onnxruntime
                    graph.replace(target / graph.name)
                for old in compiled_in_older_formats(weights, settings, target.parent):
                    _remove(old)
            finally:
                shutil.rmtree(work, ignore_errors=True)
        _write_pointer(pointer_file(model, cache), weights, settings)
    except OSError as error:
        raise CannotCompile(f"{target.parent}: cannot be written ({error.strerror})") from error
    return target


def _remove(folder: Path) -> None:
    """Remove a compiled folder atomically, so that it never exists in part.

    A process that has it open reads on; one that looks for it compiles it again. If the system forbids it
    (Windows, while it is open), it stays.
    """
    with contextlib.suppress(OSError):
        gone = Path(tempfile.mkdtemp(prefix=".removing-", dir=folder.parent))
        try:
            folder.rename(gone / folder.name)
        finally:
            shutil.rmtree(gone, ignore_errors=True)


def _compile_into(work: Path, model: LocatedModel, weights: str, notify: Callable[[str], None]) -> None:
    """Write the files of a compiled folder. Raises ModelUnusable, CannotCompile, OSError."""
    try:
        described = describe_bert(model.folder)
        map_weights(described.weights, described.bert)
    except InDoubt:
        from memcli.embedding.graph_export import export_model

        notify(f"compiling the model {model.name}, once (about 15 seconds)…")
        export_model(model, weights, work)
        return
    write_private(work / "model.json", bert_manifest(described, model.name, weights).to_json().encode())
    keep_tokenizer(Tokenizer.from_file(str(model.folder / "tokenizer.json")), work)


def _settings_hash(model: LocatedModel) -> str:
    """Return the SHA-256 of the small files: pooling, prompts and tokenizer are part of the model, too."""
    digest = hashlib.sha256()
    for path in sorted(model.folder.rglob("*.json")):
        digest.update(path.relative_to(model.folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _write_pointer(pointer: Path, weights: str, settings: str) -> None:
    write_private(pointer, json.dumps({"weights": weights, "settings": settings}).encode(), own=True)
