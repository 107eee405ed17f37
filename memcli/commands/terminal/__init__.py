"""Terminal: shared parts of commands, namely options, stdin, stdout, tables, progress, the editor."""
