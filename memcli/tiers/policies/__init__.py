"""Rules with exceptions: their text, what they decide, where they contradict each other."""
