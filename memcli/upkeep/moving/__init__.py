"""Moving a whole store to another place, a file or a server, through the contract of every store.

- whole_store: the copy from one to the other: begun, continued, proven, put in place
- parts: what a store holds, part by part, each with its order of reading and writing
- verification: digests that tell if two stores hold the same
"""
