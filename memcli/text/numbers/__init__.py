"""Numbers in a text: their values, the things that they designate, and which value replaces which."""
