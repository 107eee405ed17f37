"""Compiling a model, once: what can be told from its files is told, and the rest is exported.

A plain BERT encoder, as the default model is one, is ready in the time that the hash of its
weights takes; any other is loaded by sentence-transformers and exported by torch.
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

# Writes a compiled folder's files: folder, model, hash of its weights, who is told that it takes long.
Maker = Callable[[Path, LocatedModel, str, Callable[[str], None]], None]
# Seconds: many times what compiling takes. Who still holds the lock then has come to a stop, not to its end.
_PATIENCE = 300.0


def compile_model(
    model: LocatedModel,
    cache: Path,
    notify: Callable[[str], None] = lambda line: None,
    make: Maker | None = None,
) -> Path:
    """Compile `model` into `cache`, or wait for who does it already, and return the folder.

    `make` writes the files of its folder: those of an embedding model, if nothing else is said.

    Exporting takes about 15 seconds; `notify` gets a line before that, or before waiting. A lock
    that dies with its holder is held meanwhile; who has waited `_PATIENCE` for it compiles on its
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
        begun = f".compiling-{pointer.stem}-"
        for left in pointer.parent.glob(f"{begun}*") if holder else ():
            shutil.rmtree(left, ignore_errors=True)  # by who was killed
        return _compiled_once(model, cache, begun, notify, make or _compile_into)


def _compiled_once(
    model: LocatedModel, cache: Path, begun: str, notify: Callable[[str], None], make: Maker
) -> Path:
    """The folder of a compiled model, made now unless it lies there; `begun` names unfinished ones."""
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
                for graph in work.glob("*.ort"):  # for another onnxruntime it is there already
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


def _compile_into(work: Path, model: LocatedModel, weights: str, notify: Callable[[str], None]) -> None:
    """Make a compiled folder's files. Raises ModelUnusable, CannotCompile, OSError."""
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
    """SHA-256 of the small files: pooling, prompts and tokenizer are part of the model too."""
    digest = hashlib.sha256()
    for path in sorted(model.folder.rglob("*.json")):
        digest.update(path.relative_to(model.folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _write_pointer(pointer: Path, weights: str, settings: str) -> None:
    write_private(pointer, json.dumps({"weights": weights, "settings": settings}).encode(), own=True)
