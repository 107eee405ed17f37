"""Settings files of other programs, changed in one entry and nothing else.

What is not ours stays byte for byte: order, comments, indentation, unknown keys. Before a file is changed it
is copied beside itself (`files`). Our entries are recognised by the command that they run, or by their name.
"""
