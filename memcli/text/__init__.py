"""What can be told of a text alone: no store, no clock, no settings. English where it says so."""
