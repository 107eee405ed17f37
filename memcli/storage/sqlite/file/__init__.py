"""The file of a store: opened, plain or by its key, brought up to date, copied, found damaged."""
