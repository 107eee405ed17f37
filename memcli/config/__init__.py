"""Settings: defaults < config file < `MEMCLI_*` environment < flags.

    settings   the table: every setting, how its text is read, its default, a line for people
    readers    how the text of a setting is read
    file       the config file: read, and written with the comments kept
    config     the settings in force, each with its origin

Nothing is read from the working directory: a cloned repository must not steer
a memory. Flags are not seen here; a command lets its own flag win.
"""
