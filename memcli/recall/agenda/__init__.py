"""What is on, due, promised or still to be done: found, listed in order, and what a later note says of it."""
