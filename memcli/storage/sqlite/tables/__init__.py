"""The tables: their migrations, rows as nouns of the model and back, and the digests of rows."""
