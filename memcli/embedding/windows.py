"""Windows: cut a text that is longer than a model can read into overlapping parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# A quarter of a window, so that a sentence cut by one border is whole in the next window.
OVERLAP = 0.25


def cut_windows(text: str, spans: Sequence[tuple[int, int]], size: int) -> list[str]:
    """Return the windows of `text`, each of at most `size` tokens, together all of it.

    `spans` are the tokens' (start, end) positions in `text`. Borders are between words if these are shorter
    than a window.
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
    """Return the number of tokens of a text by a `tokenizers.Tokenizer`, unknown ones counted by bytes.

    A model may read a whole page of Thai as one unknown word; a token per three bytes is about what the
    vocabularies of current LLMs need.
    """
    encoded = tokenizer.encode(text, add_special_tokens=False)
    unknown = {tokenizer.token_to_id(name) for name in ("[UNK]", "<unk>")}
    return sum(
        max(1, len(text[start:end].encode("utf-8")) // 3) if token in unknown else 1
        for token, (start, end) in zip(encoded.ids, encoded.offsets, strict=True)
    )


def _word_border(spans: Sequence[tuple[int, int]], token: int, lowest: int) -> int:
    """Return the last token at or before `token` that begins a word (with a gap before it)."""
    for candidate in range(token, lowest, -1):
        if spans[candidate][0] > spans[candidate - 1][1]:
            return candidate
    return token
