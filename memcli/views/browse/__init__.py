"""A full screen for the terminal: recall as you type, all about each memory, and keys to change it.

- The store is opened for each look and each change, and closed again (`desk`): while somebody reads,
  thinks or types a text, nothing is held, and another process may write, encrypt or restore.
- All that asks the store runs in a thread, one thing after the other; the screen never waits.
- What is shown is data first (`listings`, `detail`), without a terminal, and drawn then (`drawing`).
  Texts are never markup, and nothing in them hides or reorders.
- What is changed goes through the rooms of the commands (`deeds`): the same rules, origin and record.

Textual (extra `memcli[browse]`) is imported by `app`, `dialogs`, `drawing` and `panes` alone.
"""
