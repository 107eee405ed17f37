"""File of a store: opened, plain or with its key, migrated, copied, checked for damage."""
