"""Replacing the file of a store: by one under another key or none, or by a restored copy."""
