"""Config: settings from defaults < config file < `MEMCLI_*` environment < flags.

    settings   the table: every setting, how its text is read, its default, a line for people
    readers    how the text of a setting is read
    file       the config file: read, and written with the comments kept
    location   where a store is: a file, or the address of a database
    config     the settings in force, each with its origin

Nothing is read from the working directory, so that a cloned repository cannot influence a memory. Flags are
not seen here; a command gives its own flag precedence.
"""
