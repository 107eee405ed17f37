"""Skills in versions: their text, how they worked, the folder in which people edit them."""
