"""Secrets and personal numbers in a text: find them, and return the text without them.

There are three kinds of rules: published formats of providers (`provider_forms`), the context of a value
(`credentials`, `arguments`, `codes`, `passwords`, `tokens`) and numbers with check digits (`national_ids`,
`payment`). Nothing here stores, logs or raises anything of a text.
"""
