"""Browse: a full screen for the terminal, with recall as you type, details, and keys to change memories.

- The store is opened for each read and each change, and closed again (`desk`): while somebody reads,
  thinks or types, nothing is locked, and another process may write, encrypt or restore.
- All access to the store runs in a thread, one task after the other; the screen never waits.
- What is shown is first collected as data (`listings`, `detail`), without a terminal, and then drawn
  (`drawing`). Texts are never markup, and invisible or reordering characters are escaped.
- Changes go through the same functions as the commands (`deeds`): the same rules, origin and history.

Textual (extra `memcli[browse]`) is imported by `app`, `dialogs`, `drawing` and `panes` alone.
"""
