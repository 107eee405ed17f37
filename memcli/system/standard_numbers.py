"""Standard numbers: the descriptors 0, 1 and 2, which are closed if the caller closed them (`>&-`)."""

import os


def hold_closed() -> None:
    """Occupy the descriptors of closed streams, so that no file opened later gets one of these numbers.

    Otherwise whatever writes to stdout or stderr by number (a library, the interpreter when it crashes) would
    write into that file. The replacement neither takes nor gives data: it fails like a closed descriptor.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            # This gets the lowest free number, which is this one: those below are in use by now.
            os.open(os.devnull, os.O_RDONLY if number else os.O_WRONLY)
