"""Hooks: what an agent is told unasked, at the start, at a prompt, and before it compacts.

- Whatever happens, a hook ends with exit status 0 and within its deadline: an agent takes another status for
  a refusal, and its user waits.
- It prints one envelope that fits the agent's schema, or nothing; never more than the agent accepts as a
  whole (`agents`).
- What comes on stdin is data: bounded, of any shape, and no path or name in it is trusted.
"""
