"""Records of a sync: memories, links and keyed values as sets of registers, merged by their stamps."""
