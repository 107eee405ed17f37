"""Looking a file over: its integrity, its digests, what is derived against what it derives from."""
