"""Forgetting: softly (ended, restorable) or for good (erased and proven gone).

`erase` first reads while others may write (snapshot, plan), then deletes in one short transaction, provided
nobody has written since, proves the erasure (proof) and returns a receipt. The next command finishes an
interrupted erasure (unfinished).
"""
