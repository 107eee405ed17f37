"""A store's memories as a file: the format, writing it, checking and taking in what it brings."""
