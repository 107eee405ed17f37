"""Repair of a damaged file: in place if a digest proves the content, else by salvage into a new file."""
