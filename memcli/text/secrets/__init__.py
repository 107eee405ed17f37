"""Secrets and personal numbers in a text: where they stand, and the text without them.

What counts as one is told by three kinds of rules: the forms that providers
publish (`provider_forms`), what surrounds a value (`credentials`, `arguments`,
`codes`, `passwords`, `tokens`) and numbers that check (`national_ids`, `payment`).
Nothing here keeps, logs or raises anything of a text.
"""
