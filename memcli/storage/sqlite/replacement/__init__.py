"""Replacement of a store's file: by one with another key or none, or by a restored copy."""
