"""The context that a pipe gets.

What `context` writes `echoes` knows again, and all else that is printed of memories: both by the
templates in `formats`. No text can close it; never more tokens than asked for.
"""
