"""Consolidation: what keeps the store relevant, small and true while nobody looks.

Each step is a module that *proposes*: it reads, and yields what should be done
and why. `acting` carries proposals out, one by one, in short transactions;
`run` knows the order, the limits and how far each step has come. So a dry run
and a plan are the same proposals, written down instead of carried out.
"""
