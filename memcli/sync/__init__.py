"""Sync of stores on several machines through a shared folder of change files, until all stores agree.

A *replica* is one store that takes part. What it knows of a record is its fields, each with the *stamp* of
its last change; merging two replicas takes the later value of each field (`records.merge`, which knows no
file and no store). A replica writes *segments*, files of records that never change except to remove what
was erased, into a folder of its own, and reads the segments of the others.
"""
