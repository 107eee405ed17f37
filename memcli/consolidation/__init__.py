"""Consolidation: the nightly maintenance that keeps the store relevant, small and consistent.

Each step (`step`, `steps/`, in the order of `registry`) *proposes*: it reads, and says what should be done
and why. `carry_out` does it, a few proposals in each short transaction; `run` enforces the limits and
`report` collects the results. So a dry run and a plan are the same proposals, written down instead of
carried out.
"""
