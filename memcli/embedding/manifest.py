"""Manifest of a compiled model: its folder and how to use it, read without loading a model or numpy.

In the folder are `model.json`, which says how the model is used; `tokenizer.json`, with its vocabulary in
`vocab.txt` if that reads the same; and a graph for each onnxruntime (`memcli.embedding.graphs`). The weights
of a plain BERT encoder stay where they are installed, and its graph is built when there are many texts.
"""

from __future__ import annotations

import json
from pathlib import Path

from memcli.embedding.bert.description import Bert, BertModel
from memcli.embedding.models import LocatedModel
from memcli.named_tuple import NamedTuple

# Raised whenever the layout of a compiled folder, or of a graph in it, changes.
COMPILED_FORMAT = 4
# The middle layer: of six, the fourth. There the grammar of a sentence (statement, order, wish, past) shows
# best, at the end mostly its topic (Tenney et al. 2019, "BERT rediscovers the classical NLP pipeline").
# Measured on benchmarks/labels: the kind of an English statement is right in 70 % by it, in 55 % by the last
# layer.
_MIDDLE = 2 / 3


class Manifest(NamedTuple):
    """The content of `model.json`: how to use the model. Prompts are put before every text."""

    name: str
    weights: str
    dimensions: int
    max_tokens: int
    inputs: tuple[str, ...]
    pad_id: int
    lowercase: bool
    query_prompt: str
    document_prompt: str
    middle: int | None = None
    """The layer whose mean is returned, too; None for no such output."""
    bert: Bert | None = None
    """The shape of a plain BERT encoder; None for other models, which only a graph can run."""

    def to_json(self) -> str:
        """Return the text of `model.json`."""
        return json.dumps({**self._asdict(), "bert": self.bert and self.bert._asdict()}, indent=1)


def bert_manifest(described: BertModel, name: str, weights: str) -> Manifest:
    """Return the manifest of a plain BERT encoder of this name, with the hash of its weights."""
    return Manifest(
        name=name,
        weights=weights,
        dimensions=described.bert.width,
        max_tokens=described.max_tokens,
        inputs=("input_ids", "attention_mask", "token_type_ids"),
        pad_id=described.pad_id,
        lowercase=False,
        query_prompt=described.query_prompt,
        document_prompt=described.document_prompt,
        middle=middle_layer(described.bert.layers),
        bert=described.bert,
    )


def middle_layer(layers: int) -> int:
    """Return the number of the layer whose mean is returned beside the vector."""
    return round(layers * _MIDDLE)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a compiled folder. Raises OSError, ValueError, TypeError, KeyError."""
    record = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    bert = record.get("bert")
    return Manifest(**{**record, "inputs": tuple(record["inputs"]), "bert": bert and Bert(**bert)})


def compiled_folder(weights: str, settings: str, cache: Path) -> Path:
    """Return the compiled folder of a model, named by the hashes of its weights and its settings."""
    return cache / "models" / f"{_of_model(weights, settings)}-{COMPILED_FORMAT}"


def compiled_in_older_formats(weights: str, settings: str, models: Path) -> list[Path]:
    """Return the folders of this model in older formats, for any onnxruntime, which are no longer opened."""
    older = {str(number) for number in range(COMPILED_FORMAT)}
    found = models.glob(f"{_of_model(weights, settings)}-*")
    return [folder for folder in found if folder.name.rpartition("-")[2] in older]


def _of_model(weights: str, settings: str) -> str:
    return f"{weights[:16]}-{settings[:8]}"


def find_compiled(model: LocatedModel, cache: Path) -> Path | None:
    """Return the compiled folder of exactly these files if it can be opened; else None."""
    try:
        pointer = json.loads(pointer_file(model, cache).read_text(encoding="utf-8"))
        folder = compiled_folder(pointer["weights"], pointer["settings"], cache)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return folder if is_compiled(folder) else None


def is_compiled(folder: Path) -> bool:
    """True if a folder holds all that is needed to open the model with this onnxruntime."""
    try:
        if read_manifest(folder).bert:
            return True
    except (OSError, ValueError, KeyError, TypeError):
        return False
    from memcli.embedding.graphs import graph_file

    return graph_file(folder).exists()


def pointer_file(model: LocatedModel, cache: Path) -> Path:
    """Return the file that remembers the hash of the weights, so that 90 MB are not read at every start."""
    return cache / "models" / f"{model.fingerprint()}.json"
