"""Tasks: work in progress; goals, notes, checkpoints, and steps that run once."""
