"""Cutting a text that is longer than a model reads into overlapping windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# A quarter of a window: a sentence cut by one border stands whole in the next window.
OVERLAP = 0.25


def cut_windows(text: str, spans: Sequence[tuple[int, int]], size: int) -> list[str]:
    """The windows of `text`, each of at most `size` tokens, together all of it.

    `spans` are the tokens' (start, end) positions in `text`. Borders fall
    between words where the words are shorter than a window.
    """
    if len(spans) <= size:
        return [text]
    windows = []
    start = 0
    while True:
        end = min(start + size, len(spans))
        if end < len(spans):
            end = _word_border(spans, end, start + size // 2)
        windows.append(text[spans[start][0] : spans[end - 1][1]])
        if end == len(spans):
            return windows
        start = max(_word_border(spans, end - int(size * OVERLAP), start + 1), start + 1)


def count_tokens(tokenizer: Any, text: str) -> int:
    """The tokens of a text by a `tokenizers.Tokenizer`, what its vocabulary lacks by its bytes.

    A model may read a whole page of Thai as one unknown word; a token for three
    bytes is about what the vocabularies of current LLMs make of it.
    """
    encoded = tokenizer.encode(text, add_special_tokens=False)
    unknown = {tokenizer.token_to_id(name) for name in ("[UNK]", "<unk>")}
    return sum(
        max(1, len(text[start:end].encode("utf-8")) // 3) if token in unknown else 1
        for token, (start, end) in zip(encoded.ids, encoded.offsets, strict=True)
    )


def _word_border(spans: Sequence[tuple[int, int]], token: int, lowest: int) -> int:
    """The last token at or before `token` that begins a word (there is a gap before it)."""
    for candidate in range(token, lowest, -1):
        if spans[candidate][0] > spans[candidate - 1][1]:
            return candidate
    return token
