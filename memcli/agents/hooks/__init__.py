"""Hooks: what an agent is told without having asked, at the start, at a prompt, before it compacts.

- Whatever happens, a hook ends with exit status 0 and within its deadline: an agent takes another
  status for a refusal, and its user waits.
- What it prints is one envelope that the agent's schema knows, or nothing; never more than the agent
  takes in whole (`agents`).
- What comes on stdin is data: bounded, of any shape, and no path or name in it is trusted.
"""
