"""The block that a pipe gets.

What `block` writes `echoes` knows again; no text can close it; never more tokens than asked for.
"""
