"""What comes along whatever is asked: blocks, profile, what is due, and one context of all tiers."""
