"""Keys of encrypted stores: find, make and keep them; never in an argument, a variable or a message.

- A key is 32 random bytes (AES-256), or derived from a passphrase by scrypt. A *secret* is
  the text that a source holds: 64 hex digits are the key itself, anything else is a passphrase.
- Sources are asked in this order: `key_command`, `key_file`, the OS keyring, the terminal. The
  first whose key opens the file wins.
- A key that is missing or whose source is not safe raises NoKey; keys that all fail to open the file raise
  WrongKey. Either is told in one line.
"""
