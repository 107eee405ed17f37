"""MCP server: the Model Context Protocol on stdin and stdout for one client, in old and new versions.

- Only messages of the protocol are written to the client, on every path: file descriptor 1 is moved away
  (`wire`) before anything slow is imported, and never put back.
- The handshake and the lists are answered without a store and without a model; a call of a tool
  (`memcli.agents.tools`) opens both.
- Calls are carried out one at a time, in a thread, while the protocol goes on answering.
- It ends when its client closes stdin, or dies.

The protocol itself is the official SDK's (extra `memcli[mcp]`), imported by `server` and `transport` alone.
"""
