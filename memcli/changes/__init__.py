"""Changing what is remembered, on record and undoable; and forgetting for good, which is neither.

Every function takes who asks and may raise Refused.
"""
