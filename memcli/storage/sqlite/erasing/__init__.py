"""Forgetting for good: in the file and in each copy of it, proven by a search afterwards."""
