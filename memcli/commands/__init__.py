"""One verb a file: parse, open, one call on the domain, print. Nothing here asks the store.

Typer reads the annotations of a command. Where they are texts (`from __future__ import annotations`) it
compiles each, in every call: 3 ms of `mem recall`. So a module that has options does without, and a helper
in it quotes a type that is imported for checking alone.
"""
