"""Origins: through which door something came in, and who signed for it.

An origin is a door (`cli`, `mcp:claude`, `import:notes.txt`), which is what a program says of itself. On a
server whoever writes signs behind it, `mcp:claude@ann`, which is the server's word: it takes nothing from a
role under another's signature. Of several the last is that of who wrote: what `ann` imports of `cli@ben`
is `cli@ben@ann`.
"""


def signed(origin: str, signature: str) -> str:
    """An origin, with a signature behind it once; as it is where nobody signs (an empty one)."""
    return origin if is_signed(origin, signature) else origin + signature


def is_signed(origin: str, signature: str) -> bool:
    """Whether an origin bears a signature; the empty one they all do."""
    return origin.endswith(signature)


def is_through(origin: str, door: str) -> bool:
    """Whether it came in through a door, whoever it was."""
    return origin == door or origin.startswith(f"{door}@")
