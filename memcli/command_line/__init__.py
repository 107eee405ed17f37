"""Command line: the table of commands, and the import of the one that is called."""
