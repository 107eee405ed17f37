"""How commands talk: their shared options, stdin, stdout, tables, progress, the editor."""
