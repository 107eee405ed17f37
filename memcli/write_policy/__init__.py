"""Whether and how a memory is kept: one decision, made of pure rules, each in a module of its subject."""
