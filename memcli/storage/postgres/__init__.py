"""PostgreSQL store: tsvector and GIN for words, pgvector for meaning; psycopg 3.

Nothing is kept in a session: every setting ends with its transaction, nothing is prepared, so a pooler in
transaction mode may be used; `mem watch` listens, and polls all the same. Everything is in the schema
`memcli`. Every writer first updates the one row of `memcli.writes`, and so waits for the writer before it:
history numbers become visible in order.
"""
