"""Prompt context: what memcli prints for an LLM in a pipe, and how it recognises its own output later.

`context` writes the context, `echoes` recognises it and all other output about memories; both use the
templates in `formats`. No text in it can close it, and it never has more tokens than asked for.
"""
