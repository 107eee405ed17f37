"""System: what memcli needs of the operating system, such as private files, locks and other programs.

Nothing here knows what a memory is. Failures are raised as OSError or an error of `memcli.errors`.
"""
