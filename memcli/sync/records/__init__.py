"""The records of a sync: memories, links, keyed values as registers, merged by the stamps of their fields."""
