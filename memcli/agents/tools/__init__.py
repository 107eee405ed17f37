"""Tools that an agent can call, through `mem mcp` or the plug-in of `llm`.

- A tool says when to call it and what it takes, parses its arguments, and does one thing to a store.
- A call opens the store and closes it before it is answered (`desk`): between calls nothing is held open.
- What comes in this way has the origin of its desk, and the rights of that origin in `memcli.doors`.
"""
