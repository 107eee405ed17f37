"""Comparison of two texts: aligned word by word, and differences weighed, to find if they say the same."""
