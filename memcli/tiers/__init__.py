"""Tiers of memory that an agent works with: sessions, tasks, procedures, policies, and the context made of
all.

Plain Python over memories and keyed values; no backend has to know them.
"""
