"""Judging what people write: small learned judges for what word lists cannot tell.

A *judge* is weights, learned from labelled sentences of several authors in seven languages
(`benchmarks/labels`, by `python -m benchmarks.judges`), on what the embedding model makes
of a text anyway and on hashed pieces of its words: linear for a statement, with one hidden
layer for a pair. It says how likely something is, and decides nothing: what follows from a
probability is a threshold, which is a setting, and whose rule it is that asks.

- `statements`: what kind a statement is, whether it lasts, whom it is about, what it says of what is ahead,
  whether it tells of a change.
- `notes`: what of that is noted when a text is written.
- `pairs`: whether two statements say the same, or the newer gives a new value.
- `thresholds`: from which probability on a judge is believed.
- `scripts`: which texts they were taught to read.

Three modules stand between them and the rules of words in `memcli.text.semantics`: `pair_forms` says what the
form of two statements tells for certain, whatever a judge makes of it, `kind_check` what speaks against the
kind that one was judged, `losses` what an update that was judged one would take with it.
"""
