"""What keeps a whole store well, and takes it elsewhere.

Audit, doctor, statistics, reindexing, spaces, export and import. Nothing below calls it.
"""
