"""What a caller and a keeper say to each other: signs of one byte, and one request.

1. The keeper says `HELLO` as soon as it is called.
2. The caller sends a request, and with it (SCM_RIGHTS) its folder, its terminal where it has one, and every
   descriptor that it was started with. A child of the keeper answers `READY` and its process id, or `COLD`.
3. The caller says `GO`, the child `BEGUN`, and from there on the call is never run again.
4. `ENDED` and a status by the child; or by the keeper, where it cannot speak any more: `KILLED` and a signal.

What a child says to its keeper, by a pipe (`pulse`): `CARRIES_OUT` when the call has begun for good; `DONE`
and its process id when it has ended, and what is left can do without the caller. An id has four bytes.

A request is its length (four bytes, big-endian) and its parts, NUL bytes between; the first says what for.
"""

from __future__ import annotations

HELLO, READY, COLD, GO, BEGUN, ENDED, KILLED = b"H", b"R", b"C", b"G", b"B", b"E", b"K"
CARRIES_OUT, DONE = b".", b"!"
CALL, STATUS, STOP = b"call", b"status", b"stop"
# Seconds in which a keeper that lives says hello; and in which a child then becomes its caller.
HELLO_WITHIN, READY_WITHIN = 0.05, 10.0
LENGTH = 4
PROCESS_ID = 4
# Linux hands over no more descriptors at once (SCM_MAX_FD).
MOST_DESCRIPTORS = 250
