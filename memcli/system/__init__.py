"""What memcli asks of the operating system, in one way each: private files, locks, other programs.

Nothing here knows what a memory is. What fails is told as OSError or an error of `memcli.errors`.
"""
