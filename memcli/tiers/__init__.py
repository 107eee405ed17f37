"""What an agent works with: sessions, tasks, procedures, policies, and one context made of all.

Plain Python over memories and keyed values; no backend pays for them.
"""
