"""Importers: read other programs' data, one source per format, and write it through the write policy.

A source (`memcli.importers.sources`) reads a path and yields records (`memcli.importers.records`) one at a
time, and never holds more of a file than one conversation. What cannot be read is a `Problem` that names file
and line; the rest is imported all the same. `memcli.importers.register` lists the sources and guesses which
one a file belongs to; `memcli.importers.carrier` decides what is written, embeds and writes it.
"""
