"""One answer from all tiers: what answers a question, what always comes along, what to know at the start.

`gather` finds everything before anything is printed; what prints an answer looks for nothing more.
Blocks, what falls due and the owner's profile stand here too.
"""
