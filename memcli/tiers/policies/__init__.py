"""Policies: rules with exceptions; their text, what they decide, and where they contradict each other."""
