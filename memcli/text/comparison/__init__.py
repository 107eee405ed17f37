"""Whether two texts say the same: aligned word by word, with what differs weighed."""
