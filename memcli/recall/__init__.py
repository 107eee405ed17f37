"""Recall: search a store for the memories that answer a question, and rank them. Read-only.

If a model fails, the answer is degraded (by words alone, say) instead of refused.
"""
