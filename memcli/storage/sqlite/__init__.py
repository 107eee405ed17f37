"""SQLite store in one file: FTS5 for words, sqlite-vec for meaning. `store` combines its parts."""
