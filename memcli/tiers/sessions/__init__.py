"""What was said and done, in time order: sessions, their turns, summaries and messages."""
