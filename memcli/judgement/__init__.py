"""Judgement of statements by small trained classifiers (*judges*), for what word lists cannot tell.

A *judge* is a set of weights, trained on labelled sentences of several authors in seven languages
(`benchmarks/labels`, by `python -m benchmarks.judges`). Its features are the embedding model's output and
hashed pieces of the words. It is linear for a statement, and has one hidden layer for a pair. It returns
probabilities and decides nothing: the caller compares them with a threshold, which is a setting.

- `statements`: the kind of a statement, whether it lasts, whom it is about, whether it is due or tells of a
  change.
- `notes`: which of that is noted with a memory when it is written.
- `pairs`: whether two statements say the same, or the newer gives a new value.
- `thresholds`: from which probability on a judge is believed.
- `scripts`: which texts they were taught to read.

Three modules stand between them and the rules of words in `memcli.text.semantics`: `pair_forms` says what the
form of two statements tells for certain, whatever a judge makes of it, `kind_check` what speaks against the
kind that one was judged, `losses` what an update that was judged one would take with it.
"""
