"""Steps of consolidation, a file each: a step reads and proposes; it writes nothing and knows no run.

Only upkeep, which proposes nothing, maintains derived data by itself.
"""
