"""Semantics: what a text means by its words and forms: senses, roles, quotations, debts, plan outcomes."""
