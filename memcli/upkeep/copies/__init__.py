"""Copies of a whole store: backups, snapshots, what differs between two states, and the ways back."""
