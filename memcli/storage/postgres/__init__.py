"""The store in a PostgreSQL database: tsvector and GIN for words, pgvector for meaning; psycopg 3.

Nothing is kept in a session: every setting ends with its transaction, nothing is prepared, so a pooler in
transaction mode may stand between; `mem watch` listens, and looks all the same. All that is memcli's is in
the schema `memcli`. Whoever writes updates the one row of `memcli.writes` first, and so waits for whoever
wrote before: numbers of history come in the order in which they can be seen.
"""
