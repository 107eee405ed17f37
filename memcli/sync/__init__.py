"""Syncing machines through a folder: what each changed travels in files, and all of them end up the same.

A *replica* is one store that takes part. What it knows of a record is its fields, each with
the *stamp* of its last change; uniting two replicas takes the later of each field (`merging`,
which knows no file and no store). A replica writes *segments*, files of records that are never
changed but where something in them was erased, into a folder of its own; it reads those of the others.
"""
