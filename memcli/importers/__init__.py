"""Importing other programs' data: one source per file, one carrier that takes all of them through the gate.

A source reads a path and yields records (`memcli.importers.records`), one at a time and never more of a
file than one conversation; what cannot be read is a `Problem` that names file and line, and costs the others
nothing. `memcli.importers.sources` is the register; `memcli.importers.carrier` decides, embeds and writes.
"""
