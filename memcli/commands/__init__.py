"""Commands: one file for each verb of `mem`, which parses, opens the store, makes one call, and prints.

No command queries the store itself. Typer reads the annotations of a command; if they are strings (`from
__future__ import annotations`), it compiles each of them in every call, which takes 3 ms of `mem recall`. So
modules with options do without that import, and quote types that are imported only for type checking.
"""
