"""The programs whose data is imported, a file each: how its files are told, and what records they hold.

`SOURCE` in each is its row of `memcli.importers.register`.
"""
