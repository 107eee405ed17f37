"""Mutations: are the guards between a memory and its end tested? Each is turned around, and a test must fail.

    pip install coverage
    python -m benchmarks.mutations --record          # which tests run which lines: slow; goes on
    python -m benchmarks.mutations --record --in-process   # of files that changed, the quick tests alone
    python -m benchmarks.mutations [--number 300] [--seed 7] [--only memcli/storage] [-o verdicts.json]
    python -m benchmarks.mutations --survivors verdicts.json   # judged anew, as the code is now
    python -m benchmarks.mutations --guards [-o verdicts.json]   # the list of guards, and calls that refuse
    python -m benchmarks.mutations --guards --only memcli/llm --unrecorded --tests tests/llm   # all of these

A condition, a comparison, a `raise`, a call, a word of SQL is turned around in one line, and the tests that
run this line are run until one fails that passes without it: first those that start no program, in a
fork of a session that has collected them, where the function has the other code (a module's own lines: in
one that takes the module from memory, a second of CPU each); then, but for `--in-process`, the
others, in a scratch copy of the tree. A test has six times its recorded time and 20 s; one that hangs does
so twice. A mutant that no test fails on is printed: its line is a guard without a test, or means the same
either way; then `equivalent.toml` says why, and it counts neither way.

`verdicts.jsonl` keeps what the last runs over the guards found (`-o` it): a guard whose lines say the same
still is not judged again, and `by` names the test that fails. `--guards --confirm` this file runs that test
alone for each, in none of the quick ways: the change stands in a file of a copy, where the test must fail,
and pass without it.
"""
