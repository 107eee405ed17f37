"""Forgetting, softly or for good.

`erase` reads first, while others write (snapshot, plan), then takes away in one short
transaction what nobody has touched since, proves it (proof) and gives a receipt that
is true. What was cut off, the next command finishes (unfinished).
"""
