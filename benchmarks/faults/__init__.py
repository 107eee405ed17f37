"""Faults: a command is cut off, its disk fills up or fails, at any call that it makes; what is lost? Nothing.

    python -m benchmarks.faults [--seconds 3600 | --faults 10000] [--seed 1] [--workers 2] [--only COMMAND]
                                [--kinds kill,full] [--keep DIR]

Linux with gcc. A store of some fifty memories with links, blocks, tasks, sessions and backups stands in a
folder. Each round copies it, runs one command of `commands.TABLE` there in a process of its own, and does one
of these to it: SIGKILL at its n-th call that writes (`kill`), after half of it was written (`torn`), or at a
random instant (`instant`); ENOSPC at the n-th and ever after (`full`), EIO at the n-th (`broken`), or at the
n-th that opens or reads (`unread`). n is drawn among the calls that the command makes when it is left alone.
Beside these: a bit flipped (`flip`), and eight writers beside consolidate, export and a killed one (`crowd`).
`check.py` says what must hold.
"""
