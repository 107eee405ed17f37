"""Tables of a store: their schema and migrations, the digests of rows, and the signs of vectors."""
