"""Changes to memories: recorded and undoable edits, and erasure, which is neither.

Every function takes the scope of whoever asks, and may raise Refused.
"""
