"""Names of people and things: where a text has one, when two are the same, and how each is written."""
