"""Text analysis: everything that can be told from a text alone, without store, clock or settings.

English only where a module says so.
"""
