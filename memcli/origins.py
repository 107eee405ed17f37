"""Origins: the door through which something came in, and who signed for it.

An origin is a door (`cli`, `mcp:claude`, `import:notes.txt`), which is what a program says about itself. On a
server the role that writes is appended as a signature, `mcp:claude@ann`, which the server vouches for: it
accepts nothing from a role under another's signature. Of several signatures the last is that of the writer:
what `ann` imports of `cli@ben` is `cli@ben@ann`.
"""


def signed(origin: str, signature: str) -> str:
    """Return an origin with a signature appended once; unchanged if the signature is empty."""
    return origin if is_signed(origin, signature) else origin + signature


def is_signed(origin: str, signature: str) -> bool:
    """True if an origin bears a signature; every origin bears the empty one."""
    return origin.endswith(signature)


def is_through(origin: str, door: str) -> bool:
    """True if it came in through a door, whoever it was."""
    return origin == door or origin.startswith(f"{door}@")
