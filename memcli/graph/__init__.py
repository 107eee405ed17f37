"""Links between entities: read by a lens of space and time, written with evidence, drawn as data."""
