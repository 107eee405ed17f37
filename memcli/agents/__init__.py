"""Agents' ways in: an MCP server, hooks, and entries in the settings of agents.

An agent is identified by the way it came in, never by what it says it is: what it writes is untrusted, as the
table in `memcli.doors` says, unless its owner's settings trust its origin.
"""
