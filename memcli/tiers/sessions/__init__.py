"""Sessions: what was said and done, in time order; their turns, summaries and messages."""
