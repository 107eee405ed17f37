"""Extraction from a text: facts about its speaker, relations of entities, the gist of a program's output."""
