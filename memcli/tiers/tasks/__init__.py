"""Work at hand: goals, notes, checkpoints, and steps that run once."""
