"""Importing other programs' data: one source per file, one carrier that takes all of them through the gate.

A source (`memcli.importers.sources`) reads a path and yields records (`memcli.importers.records`), one at a
time and never more of a file than one conversation; what cannot be read is a `Problem` that names file and
line, and costs the others nothing. `memcli.importers.register` says which source is where, and whose a file
is; `memcli.importers.carrier` decides, embeds and writes.
"""
