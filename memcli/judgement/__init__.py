"""Judging what people write: small learned judges where forms of words do not reach.

A *judge* is linear: weights, learned from labelled sentences of several authors in six
languages (`benchmarks/labels`, by `python -m benchmarks.judges`), on what the embedding
model makes of a text anyway and on hashed pieces of its words. It says how likely
something is, and decides nothing: what follows from a probability is a threshold, which
is a setting, and whose rule it is that asks.

- `statements`: what kind a statement is, whether it lasts, whom it is about.
- `pairs`: whether two statements say the same, or the newer gives a new value.
"""
