"""What can be told from a text alone: no store, no clock, no settings. English only where it says so."""
