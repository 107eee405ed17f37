"""The doors through which LLM agents come in: a protocol server, hooks, and a line in their settings.

An agent is told of by what it asks for, never by what it says it is: what comes in here
is untrusted by the table of doors (`memcli.doors`), unless its owner's settings trust its origin.
"""
