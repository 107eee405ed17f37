"""Erasing for good: what quotes the erased, what was cut off, and a receipt that is true."""
