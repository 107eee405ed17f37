"""The rules of writing, one subject a file; `memcli.write_policy.gate` says in which order they are asked.

A rule takes a case and its grounds and gives the case back: as it was, noted,
changed, or decided. It asks the reader, never the store, and writes nothing.
"""
