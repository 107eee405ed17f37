"""Checks of a file: its integrity, its digests, derived data against what it is derived from."""
