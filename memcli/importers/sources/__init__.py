"""Sources: the programs whose data can be imported, one module each, with a guess and a reader of records.

`SOURCE` in each module is its entry in `memcli.importers.register`.
"""
