"""The folder of a compiled model: where it lies, and what it says of itself. Loads neither model nor numpy.

In it are `model.json`, which says what the rest needs to be used as the model's own
configuration wants it; `tokenizer.json`, its vocabulary in `vocab.txt` where that reads
the same; and, for one onnxruntime each, a graph (`memcli.embedding.graphs`). The weights
of a plain BERT encoder stay where they are installed, and its graph is built when many
texts are to be read.
"""

from __future__ import annotations

import json
from pathlib import Path

from memcli.embedding.bert.description import Bert, BertModel
from memcli.embedding.models import LocatedModel
from memcli.named_tuple import NamedTuple

# Raised whenever the layout of a compiled folder, or of a graph in it, changes.
COMPILED_FORMAT = 4
# Of a transformer of six layers the fourth: there the grammar of a sentence (is it told, ordered, wished,
# done?) is plainest, at the end mostly its topic (Tenney et al. 2019, "BERT rediscovers the classical NLP
# pipeline"). Measured on benchmarks/labels: the kind of an English statement 70 % by it, 55 % by the end.
_MIDDLE = 2 / 3


class Manifest(NamedTuple):
    """`model.json`: how to use the model. Prompts are put before every text."""

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
    """The layer whose mean is given out, too; None: none is."""
    bert: Bert | None = None
    """Its shape, where it is a plain BERT encoder; what else there is, only a graph can run."""

    def to_json(self) -> str:
        """The text of `model.json`."""
        return json.dumps({**self._asdict(), "bert": self.bert and self.bert._asdict()}, indent=1)


def bert_manifest(described: BertModel, name: str, weights: str) -> Manifest:
    """How to use a plain BERT encoder of this name, its weights of this hash."""
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
    """The number of the layer whose mean is given out beside the vector."""
    return round(layers * _MIDDLE)


def read_manifest(folder: Path) -> Manifest:
    """What a compiled folder says of itself. Raises OSError, ValueError, TypeError, KeyError."""
    record = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    bert = record.get("bert")
    return Manifest(**{**record, "inputs": tuple(record["inputs"]), "bert": bert and Bert(**bert)})


def compiled_folder(weights: str, settings: str, cache: Path) -> Path:
    """The compiled folder of a model, named by the hash of its weights and of its settings."""
    return cache / "models" / f"{_of_model(weights, settings)}-{COMPILED_FORMAT}"


def compiled_in_older_formats(weights: str, settings: str, models: Path) -> list[Path]:
    """The folders of this very model, for whichever onnxruntime, that no memcli of today opens any more."""
    older = {str(number) for number in range(COMPILED_FORMAT)}
    found = models.glob(f"{_of_model(weights, settings)}-*")
    return [folder for folder in found if folder.name.rpartition("-")[2] in older]


def _of_model(weights: str, settings: str) -> str:
    return f"{weights[:16]}-{settings[:8]}"


def find_compiled(model: LocatedModel, cache: Path) -> Path | None:
    """The compiled folder of exactly these files, if it lies ready to be opened."""
    try:
        pointer = json.loads(pointer_file(model, cache).read_text(encoding="utf-8"))
        folder = compiled_folder(pointer["weights"], pointer["settings"], cache)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return folder if is_compiled(folder) else None


def is_compiled(folder: Path) -> bool:
    """Whether a folder holds all that a model needs to be opened by this onnxruntime."""
    try:
        if read_manifest(folder).bert:
            return True
    except (OSError, ValueError, KeyError, TypeError):
        return False
    from memcli.embedding.graphs import graph_file

    return graph_file(folder).exists()


def pointer_file(model: LocatedModel, cache: Path) -> Path:
    """Remembers the hash of the weights, so that 90 MB need not be read at every start."""
    return cache / "models" / f"{model.fingerprint()}.json"
