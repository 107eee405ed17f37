"""The wire protocol of a caller and a keeper: one-byte signs, and one request.

1. The keeper sends `HELLO` as soon as a caller connects.
2. The caller sends a request, and with it (SCM_RIGHTS) its working directory, its terminal if it has one, and
   every descriptor that it was started with. A child of the keeper answers `READY` and its process id, or
   `COLD`.
3. The caller says `GO`, the child `BEGUN`, and from there on the call is never run again.
4. `ENDED` and a status by the child; or by the keeper, if the child has died: `KILLED` and a signal.

A child writes to its keeper, by a pipe (`pulse`): `CARRIES_OUT` when the call has begun for good; `DONE`
and its process id when the call is over, and the rest of its work needs no caller. A process id has four
bytes.

A request is its length (four bytes, big-endian) and its parts, separated by NUL bytes; the first part is
its kind.
"""

from __future__ import annotations

HELLO, READY, COLD, GO, BEGUN, ENDED, KILLED = b"H", b"R", b"C", b"G", b"B", b"E", b"K"
CARRIES_OUT, DONE = b".", b"!"
CALL, STATUS, STOP = b"call", b"status", b"stop"
# Timeouts in seconds: for the keeper's hello; and for a child to take on its caller's state after it.
HELLO_WITHIN, READY_WITHIN = 0.05, 10.0
LENGTH = 4
PROCESS_ID = 4
# Descriptors that are sent at most, all together; Linux passes no more than 253 at once (SCM_MAX_FD).
MOST_DESCRIPTORS = 250
