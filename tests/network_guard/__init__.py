"""Nothing memcli does opens an internet socket: watched in every process that the suite starts.

`watch()` sets an audit hook (PEP 578), which sees whatever Python opens, through any library, and cannot be
taken back. It runs in the suite's own process and, by the `sitecustomize.py` beside this file, in each Python
that a test starts. What is caught is refused there and then, and written to a file of the test's, so that a
program which swallows the refusal is found out as well. What native code opens without Python, strace sees:
tests/test_network.py.
"""
