"""Rules of the write policy, one subject a file; `memcli.write_policy.gate` defines their order.

A rule takes a case and its grounds and returns the case: unchanged, noted, changed, or decided. It queries
the reader, never the store, and writes nothing.
"""
