"""Naming: names of people and things in a text, whether two are the same, and their spellings."""
