"""What a sync tells of: memories, links, keyed values as registers, united by the stamps of their fields."""
