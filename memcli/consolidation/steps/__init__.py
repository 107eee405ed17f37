"""The steps of consolidation, a file each: a step reads and proposes; none writes, none knows the run.

Only upkeep, which proposes nothing, tends what is derived by itself.
"""
