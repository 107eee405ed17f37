"""Other programs' settings files, changed by a line and no more.

What is not ours stays as it was, byte by byte: order, comments, indentation, unknown keys. Before a file is
changed it is copied beside itself (`files`). What is ours is known by itself: by the command
that it runs, or by the name that it stands under.
"""
