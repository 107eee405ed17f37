"""Files of a sync: the folder, the segments in it, and their encryption key."""
