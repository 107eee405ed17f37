"""Vocabulary of a compiled model's tokenizer, in a file of its own, from which it loads in half the time."""

from __future__ import annotations

import json
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordPiece

from memcli.system.files import write_private

# The file beside `tokenizer.json`: one piece per line, in the order of their ids.
_VOCABULARY = "vocab.txt"
_OPTIONS = ("unk_token", "continuing_subword_prefix", "max_input_chars_per_word")


def keep_tokenizer(tokenizer: Tokenizer, folder: Path) -> None:
    """Write a tokenizer into a folder, with a separate vocabulary if that reads back the same."""
    tokenizer.no_padding()
    tokenizer.no_truncation()
    whole = tokenizer.to_str()
    record = json.loads(whole)
    model = record["model"]
    if model.get("type") == "WordPiece":
        pieces = sorted(model["vocab"], key=model["vocab"].__getitem__)
        # Special tokens must be in the tokenizer's own file, because they are needed before the vocabulary.
        named = {each["content"] for each in record["added_tokens"]} | {model["unk_token"]}
        model["vocab"] = {piece: number for piece, number in model["vocab"].items() if piece in named}
        write_private(folder / _VOCABULARY, "".join(f"{piece}\n" for piece in pieces).encode())
        write_private(folder / "tokenizer.json", json.dumps(record).encode())
        if _is_same(folder, whole):
            return
        (folder / _VOCABULARY).unlink()
    write_private(folder / "tokenizer.json", whole.encode())


def kept_tokenizer(folder: Path) -> Tokenizer:
    """Read the tokenizer that was written into a folder."""
    text = (folder / "tokenizer.json").read_text(encoding="utf-8")
    tokenizer: Tokenizer = Tokenizer.from_str(text)
    vocabulary = folder / _VOCABULARY
    if vocabulary.exists():
        options = json.loads(text)["model"]
        given = {name: options[name] for name in _OPTIONS}
        tokenizer.model = WordPiece.from_file(str(vocabulary), **given)
    return tokenizer


def _is_same(folder: Path, whole: str) -> bool:
    try:
        return bool(json.loads(kept_tokenizer(folder).to_str()) == json.loads(whole))
    except Exception:  # whatever the library finds amiss
        return False
