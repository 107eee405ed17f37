"""The context that a pipe gets.

What `context` writes `echoes` knows again; no text can close it; never more tokens than asked for.
"""
