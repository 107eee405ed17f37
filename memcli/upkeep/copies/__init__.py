"""Copies of a whole store: backups, snapshots, the differences between two states, and restoring."""
