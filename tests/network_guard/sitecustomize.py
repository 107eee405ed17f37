"""Refuses every internet socket in a Python process, and notes the attempt. See the package's docstring."""

import os
import sys

# Where attempts are noted: a file that the test looks at when it ends.
NOTES = "MEMCLI_TEST_NETWORK_NOTES"
# socket.AF_UNIX and socket pairs stay on the machine; the module itself is not imported for two numbers.
_LOCAL = {0, 1}
_EVENTS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "urllib.Request"}


def watch() -> None:
    """From now on until this process ends, raise PermissionError where the network is reached for."""

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in _EVENTS or (event == "socket.__new__" and arguments[1] not in _LOCAL):
            if notes := os.environ.get(NOTES):
                descriptor = os.open(notes, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
                os.write(descriptor, f"{sys.argv[0]}: {event} {arguments[1:]}\n".encode())
                os.close(descriptor)
            raise PermissionError(f"a test reached for the network: {event}")

    sys.addaudithook(hook)


if __name__ == "sitecustomize":
    watch()
