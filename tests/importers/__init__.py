"""Importers: one file a source, each with files of its own making in the shape that its program writes."""
