"""The knowledge graph: links between entities, read through a lens, stated with evidence, and drawn."""
