"""Context from all tiers: what answers a question, what always comes along, and the start of a session.

`gather` finds everything before anything is printed; printing an answer searches nothing more. Blocks, due
items and the owner's profile are here, too.
"""
