"""Sureness rules: what in a note makes an answer certain, or rules it out; called by `ranking.sureness`."""
