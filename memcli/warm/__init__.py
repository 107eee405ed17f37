"""A warm process (keeper): it has imported the program and opened the model, and forks a child for each call.

Off, unless the owner turns it on (`warm`, `mem warm start`). `mem` asks it before it imports anything
(`client`), by a Unix socket in a folder that is checked (`place`), and runs the call itself ("cold") on any
doubt: the keeper is an accelerator, and nothing depends on it.

- A call is carried out by a child of its own (`child`), which takes over the caller's arguments, streams,
  environment, working directory, limits and terminal, and is killed if the caller is. The keeper (`keeper`)
  reads no request: it holds what it has prepared (`preparation`), but no text, no key, no open store.
- A call is done once: the child says that it is ready, and waits for the caller's word to begin. Until then
  the caller may run it itself; from then on it never does: a lost child is reported as a killed process.
- The caller must have the keeper's own authority, as the kernel tells it (`peers`): no other user, no
  sandbox.
- There is one keeper, even if several calls start one at once: its starter (`control`) takes a lock that the
  keeper inherits. It ends when it has been idle too long, when it is told to, or when a file of the program
  has changed. Why there is none, or can be none, is decided in one place (`standing`).

POSIX only; elsewhere every call runs cold.
"""
