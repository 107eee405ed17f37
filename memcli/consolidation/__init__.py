"""Consolidation: what keeps the store relevant, small and true while nobody looks.

Each step (`step`, `steps/`, in the order of `registry`) *proposes*: it reads, and
says what should be done and why. `carry_out` does it, a few proposals in each short
transaction; `run` knows the limits and `report` what came of it. So a dry run and
a plan are the same proposals, written down instead of carried out.
"""
