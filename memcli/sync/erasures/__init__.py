"""Erasures across machines: propagated as keyed hashes, and carried out on each machine."""
