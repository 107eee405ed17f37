"""What an agent at work has: sessions, tasks, procedures, policies, and one context of all.

Plain Python over memories and keyed values; no backend pays for them.
"""
