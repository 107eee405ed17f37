"""Upkeep of a whole store: audit, doctor, statistics, reindexing, spaces, backups, export and import.

Nothing in a lower layer calls it.
"""
