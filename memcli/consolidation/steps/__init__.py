"""Each step of consolidation reads and proposes; none writes, none knows the run."""
