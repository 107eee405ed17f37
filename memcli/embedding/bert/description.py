"""Description of a plain BERT encoder: whether the model in a folder is one, read from its own files.

Nothing is guessed. A file, key or value that is not known for certain raises InDoubt, and the model is left
to sentence-transformers. Plain means all-MiniLM, bge, gte, e5 and the like: BERT as of 2018 in float32, with
mean or CLS pooling, normalised or not.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memcli.named_tuple import NamedTuple

# The allowed values of keys in config.json; the first is the default for a missing key.
_CONFIG: dict[str, tuple[Any, ...]] = {
    "model_type": ("bert",),
    "hidden_act": ("gelu",),
    "position_embedding_type": ("absolute",),
    "is_decoder": (False,),
    "add_cross_attention": (False,),
    "chunk_size_feed_forward": (0,),
    "dtype": ("float32",),
    "torch_dtype": ("float32",),
}
_SIZES = ("hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
# Keys that make no difference to inference.
_INDIFFERENT = frozenset(
    """
    _name_or_path architectures attention_probs_dropout_prob bos_token_id classifier_dropout
    directionality eos_token_id finetuning_task gradient_checkpointing hidden_dropout_prob id2label
    initializer_range intermediate_size label2id layer_norm_eps model_max_length output_past
    pad_token_id pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head
    pooler_type problem_type sep_token_id tie_word_embeddings transformers_version type_vocab_size
    use_cache vocab_size
    """.split()  # noqa: SIM905 - words read as words
)
_MODULES = (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
# The keys of the file's older and newer format.
_TRANSFORMER = (
    {"max_seq_length", "do_lower_case"},
    {"transformer_task", "modality_config", "module_output_name", "max_seq_length", "do_lower_case"},
)
_FORWARD = {
    "transformer_task": "feature-extraction",
    "modality_config": {"text": {"method": "forward", "method_output_name": "last_hidden_state"}},
    "module_output_name": "token_embeddings",
    "do_lower_case": False,
}
_POOLING = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
_BERT_TOKENIZERS = ("BertTokenizer", "BertTokenizerFast")
_READY_TOKENIZERS = ("PreTrainedTokenizerFast", "TokenizersBackend")


class InDoubt(Exception):
    """The model is no plain BERT encoder, or cannot be shown to be one."""


class Bert(NamedTuple):
    """The shape of a plain BERT encoder, and how the token states are pooled."""

    layers: int
    heads: int
    width: int
    epsilon: float
    """What layer normalization adds to a variance."""
    pooling: str
    """`mean` of all tokens, or `cls`: the first token."""
    normalised: bool
    """True if the vectors are scaled to length 1."""


class BertModel(NamedTuple):
    """A plain BERT encoder as its folder describes it."""

    bert: Bert
    weights: Path
    max_tokens: int
    pad_id: int
    query_prompt: str
    document_prompt: str


def describe_bert(folder: Path) -> BertModel:
    """Describe the plain BERT encoder in a folder of sentence-transformers. Raises InDoubt."""
    config = _config(folder)
    pooling, normalised = _modules(folder, config["hidden_size"])
    weights = folder / "model.safetensors"
    if len(list(folder.glob("*.safetensors"))) != 1 or not weights.is_file():
        raise InDoubt("its weights are not one model.safetensors")
    query, document = _prompts(folder)
    return BertModel(
        Bert(
            layers=config["num_hidden_layers"],
            heads=config["num_attention_heads"],
            width=config["hidden_size"],
            epsilon=float(config.get("layer_norm_eps", 1e-12)),
            pooling=pooling,
            normalised=normalised,
        ),
        weights,
        _max_tokens(folder, config["max_position_embeddings"]),
        _check_tokenizer(folder, config),
        query,
        document,
    )


def _config(folder: Path) -> dict[str, Any]:
    config: dict[str, Any] = _read(folder / "config.json")
    if config.get("architectures") != ["BertModel"]:
        raise InDoubt("its architecture is not BertModel")
    for key, value in config.items():
        if value is None or key in _INDIFFERENT or key in _SIZES:
            continue
        if value not in _CONFIG.get(key, ()):
            raise InDoubt(f"config.json: {key} is {value!r:.40}")
    if config.get("model_type") != "bert" or not all(_is_size(config.get(key)) for key in _SIZES):
        raise InDoubt("config.json says not enough")
    if config["hidden_size"] % config["num_attention_heads"]:
        raise InDoubt("its heads do not divide its width")
    return config


def _modules(folder: Path, width: int) -> tuple[str, bool]:
    """Return the pooling mode, and True if the vectors are normalised."""
    modules = _read(folder / "modules.json", list)
    names = [str(each.get("type", "")) for each in modules if isinstance(each, dict)]
    kinds = [name.rpartition(".")[2] for name in names]
    ours = all(name.startswith("sentence_transformers.") for name in names)
    if kinds not in _MODULES or not ours or len(names) != len(modules) or modules[0].get("path") != "":
        raise InDoubt("modules.json: other modules than transformer, pooling and normalisation")
    for module in modules[2:]:
        if any((folder / str(module.get("path"))).glob("*.json")):
            raise InDoubt("its normalisation is configured")
    pooling = _read(folder / str(modules[1].get("path")) / "config.json")
    if pooling.pop("include_prompt", True) is not True:
        raise InDoubt("it leaves prompts out of pooling")
    size = pooling.pop("embedding_dimension", None) or pooling.pop("word_embedding_dimension", None)
    mode = pooling.pop("pooling_mode", None)
    modes = [mode] if mode else [_POOLING.get(key, key) for key, value in pooling.items() if value]
    if modes not in (["mean"], ["cls"]) or size != width:
        raise InDoubt(f"its pooling is {modes!r:.60}")
    return modes[0], len(modules) == 3


def _max_tokens(folder: Path, positions: int) -> int:
    given = _read(folder / "sentence_bert_config.json")
    if not any(set(given) <= keys for keys in _TRANSFORMER):
        raise InDoubt("sentence_bert_config.json: unknown keys")
    if any(given[key] != value for key, value in _FORWARD.items() if key in given):
        raise InDoubt("sentence_bert_config.json: it is not simply run")
    limit = given.get("max_seq_length") or _read(folder / "tokenizer_config.json").get("model_max_length")
    if not (_is_size(limit) and limit <= positions):
        raise InDoubt("how much it reads is not said")
    return int(limit)


def _prompts(folder: Path) -> tuple[str, str]:
    """Return the prompts of queries and documents, as `encode_query` and `encode_document` choose them."""
    config = _read(folder / "config_sentence_transformers.json")
    if config.get("truncate_dim") is not None:
        raise InDoubt("its vectors are cut")
    if config.get("model_type", "SentenceTransformer") != "SentenceTransformer":
        raise InDoubt("it is no SentenceTransformer")
    given = config.get("prompts") or {}
    if not isinstance(given, dict) or not all(isinstance(each, str | None) for each in given.values()):
        raise InDoubt("its prompts are no texts")
    return chosen_prompts(given, config.get("default_prompt_name"))


def chosen_prompts(prompts: dict[str, str | None], default_name: str | None) -> tuple[str, str]:
    """Return the prompts for queries and documents, from a model's prompts by name."""
    default = prompts.get(default_name or "") or ""
    # The names that SentenceTransformer.encode_document looks for, in that order.
    document = next(
        (text for key in ("document", "passage", "corpus") if (text := prompts.get(key))), default
    )
    return prompts.get("query") or default, document


def _check_tokenizer(folder: Path, config: dict[str, Any]) -> int:
    """Return the padding token's id; InDoubt if transformers might build another tokenizer of the files."""
    given, ready = _read(folder / "tokenizer_config.json"), _read(folder / "tokenizer.json")
    name = given.get("tokenizer_class")
    if name in _BERT_TOKENIZERS:
        normalizer = {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": given.get("tokenize_chinese_chars", True),
            "strip_accents": given.get("strip_accents"),
            "lowercase": given.get("do_lower_case"),
        }
        model = {key: value for key, value in (ready.get("model") or {}).items() if key != "vocab"}
        pieces = {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
        }
        template = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
        template.append({"SpecialToken": {"id": "[SEP]", "type_id": 0}})
        if (
            ready.get("normalizer") != normalizer
            or ready.get("pre_tokenizer") != {"type": "BertPreTokenizer"}
            or model != pieces
            or (ready.get("post_processor") or {}).get("single") != template
        ):
            raise InDoubt("tokenizer.json and its configuration differ")
    elif name not in _READY_TOKENIZERS:
        raise InDoubt(f"its tokenizer is {name!r:.40}")
    vocabulary = folder / "vocab.txt"
    if vocabulary.exists():
        lines = vocabulary.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        if {piece: number for number, piece in enumerate(lines)} != ready["model"].get("vocab"):
            raise InDoubt("tokenizer.json and vocab.txt differ")
    padding = given.get("pad_token")
    ids = [each.get("id") for each in ready.get("added_tokens") or () if each.get("content") == padding]
    if len(ids) != 1 or not isinstance(ids[0], int) or config.get("pad_token_id", ids[0]) != ids[0]:
        raise InDoubt("which token pads is not said")
    return ids[0]


def _read(file: Path, kind: type = dict) -> Any:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InDoubt(f"{file.name} cannot be read ({type(error).__name__})") from error
    if not isinstance(found, kind):
        raise InDoubt(f"{file.name} is something else")
    return found


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
