"""What a store knows of the words and names of a question, before anything is ranked."""
