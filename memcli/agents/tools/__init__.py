"""What an agent can ask for, whoever carries the call: `mem mcp`, or a plug-in of `llm`.

- A tool says when to call it and what it takes, reads its arguments, and does one thing to a store.
- A call opens the store and closes it before it is answered (`desk`): between calls nothing is held.
- What comes in so came through the origin of its desk, and may do what the table of doors says.
"""
