"""Mutations: are the guards between a memory and its end tested? Each is turned around, and a test must fail.

    pip install coverage
    python -m benchmarks.mutations --record              # which tests run which lines: once, slow
    python -m benchmarks.mutations [--number 300] [--seed 7] [--only memcli/storage] [-o survivors.json]

`memcli/` and its tests are copied to a scratch folder; a condition, a comparison, a `raise`, a word of SQL is
turned around in one line there, and the tests that run this line are run until one fails. A mutant
that no test fails on is printed: its line is a guard without a test, or means the same either way.
"""
