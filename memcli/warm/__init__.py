"""A process that is kept warm: it has imported the program and opened the model, and forks for each call.

Off, unless the owner turns it on (`warm`, `mem warm start`). `mem` asks it before it imports anything
(`client`), by a socket in a folder that is checked (`place`), and runs the call itself on any doubt: the
keeper is an accelerator, and nothing depends on it.

- What a call does is done by a child of its own (`child`), which has taken the caller's arguments, streams,
  environment, folder, limits and terminal, and is lost with it. The keeper (`keeper`) reads no request: it
  holds what it was prepared with (`preparation`), no text, no key, no open store.
- A call is done once: the child says that it begins, and waits for the caller's word before. Until then the
  caller may run it itself; from then on it never does, and a lost child is a killed process.
- The caller has the keeper's own authority, by the kernel's word (`peers`): no other user, no sandbox.
- One keeper, whatever starts at once: who starts it (`control`) holds a lock that it inherits. It ends when
  nobody has called for so long, when it is told to, or when a file of the program has changed. Why there is
  none, or can be none, is told in one place (`standing`).

POSIX only; elsewhere every call runs cold.
"""
