"""Before a command runs: which commands there are, and the one that is called, imported."""
