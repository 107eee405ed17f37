"""What a note says, or lacks, by which it surely answers or does not: each is asked by `ranking.sureness`."""
