"""Maintenance of a whole store, and taking it elsewhere.

Audit, doctor, statistics, reindexing, spaces, export and import. Nothing below calls it.
"""
