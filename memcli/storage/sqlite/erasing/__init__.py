"""Erasing for good: from the file and each copy of it, proven by a search afterwards."""
