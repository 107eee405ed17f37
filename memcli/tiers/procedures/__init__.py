"""Procedures (skills) in versions: their text, how they worked, and the folder in which people edit them."""
