"""BERT encoders: described by the files of their folder, and run by numpy or as a graph, without torch."""
