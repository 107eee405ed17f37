"""Related memories: those in the store that a new memory may repeat, update or contradict."""
