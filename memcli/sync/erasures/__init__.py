"""Erasures across machines: passed on as keyed hashes, and carried out on each."""
