"""Plain BERT encoders: told from their folder, run by numpy alone or as a graph; torch is never asked."""
