"""Numbers in a text: their values, what they tell apart, and which takes the place of which."""
