"""The keys of encrypted stores: found, made and kept, and never in an argument, a variable or a message.

- A key is 32 random bytes (AES-256), or derived from a passphrase by scrypt. A *secret* is
  the text that a source holds: 64 hex digits are the key itself, anything else is a passphrase.
- Sources are asked in this order: `key_command`, `key_file`, the OS keyring, the terminal. The
  first whose key opens the file wins.
- What cannot be had, or may not be trusted, raises NoKey; what opens nothing WrongKey: one line.
"""
