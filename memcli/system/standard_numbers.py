"""The numbers 0, 1 and 2, which a program finds closed where its caller closed them (`>&-`)."""

import os


def hold_closed() -> None:
    """Have no file that is opened later come under the number of a stream that was closed.

    Whoever writes to stdout or stderr by its number (a library, the interpreter as it dies) would write into
    that file. What holds the number takes no data and gives none: it fails as the closed one does.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free: those below are taken by now.
            os.open(os.devnull, os.O_RDONLY if number else os.O_WRONLY)
