"""Schema of a store: the tables, as the statements that migrations run, with the meaning of columns."""

from __future__ import annotations

import re

# "memc" in ASCII, by which `file(1)` and memcli recognise a store.
APPLICATION_ID = 0x6D656D63
SCHEMA_VERSION = 9

CORE = (
    # The memories. The columns that searches filter by come first: SQLite
    # reads a row from its start, and the text may be long.
    """
    CREATE TABLE memories (
      seq           INTEGER PRIMARY KEY,     -- joins the derived tables; means nothing outside this file
      id            TEXT NOT NULL UNIQUE,    -- ULID: globally unique, sorts by time
      space         TEXT NOT NULL,           -- a walled part of the store
      kind          TEXT NOT NULL,           -- fact, preference, …: memcli.model.KINDS
      ended_at      TEXT,                    -- no longer true or wanted; still restorable
      expires_at    TEXT,                    -- time to live
      valid_from    TEXT,                    -- when it was true in the world
      valid_until   TEXT,
      happened_at   TEXT NOT NULL,           -- when it happened, or was said
      session       TEXT,                    -- episodes of one session, in order of happened_at
      source        TEXT NOT NULL,           -- explicit, inferred, learned, imported, merged
      confidence    REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
      importance    REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
      trusted       INTEGER NOT NULL,        -- 0: what it says came from an untrusted place
      created_at    TEXT NOT NULL,           -- when the store learned it
      updated_at    TEXT NOT NULL,
      access_count  INTEGER NOT NULL DEFAULT 0,
      accessed_at   TEXT,
      confirm_count INTEGER NOT NULL DEFAULT 0,
      confirmed_at  TEXT,
      supersedes    TEXT,                    -- id of the memory that this one replaces
      ended_why     TEXT,                    -- for people, in any words; the program reads ended_as
      origin        TEXT NOT NULL,           -- cli, batch, import:FILE, mcp:CLIENT, consolidation
      tags          TEXT NOT NULL,           -- JSON array, sorted; memory_tags is derived from it
      text          TEXT NOT NULL,
      data          TEXT NOT NULL            -- JSON object: what only this kind has
    )
    """,
    "CREATE INDEX memories_by_space ON memories (space, ended_at, kind)",
    "CREATE INDEX memories_by_session ON memories (space, session, happened_at) WHERE session IS NOT NULL",
    "CREATE INDEX memories_by_supersedes ON memories (supersedes) WHERE supersedes IS NOT NULL",
    "CREATE INDEX memories_by_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL",
    # A typed edge between entities, or between memories, with validity and provenance.
    """
    CREATE TABLE links (
      id          TEXT PRIMARY KEY,
      space       TEXT NOT NULL,
      subject     TEXT NOT NULL,             -- an entity's name, or a memory's id
      relation    TEXT NOT NULL,
      object      TEXT NOT NULL,
      evidence    TEXT,                      -- id of the memory that says so
      confidence  REAL NOT NULL,
      valid_from  TEXT,
      valid_until TEXT,
      created_at  TEXT NOT NULL,
      ended_at    TEXT,
      data        TEXT NOT NULL              -- JSON object
    ) WITHOUT ROWID
    """,
    "CREATE INDEX links_by_subject ON links (space, subject, relation)",
    "CREATE INDEX links_by_object ON links (space, object, relation)",
    # Keyed state with expiry: checkpoints, tasks at hand, blocks, the recall log.
    """
    CREATE TABLE states (
      space      TEXT NOT NULL,
      area       TEXT NOT NULL,              -- the subject that owns it
      key        TEXT NOT NULL,
      value      TEXT NOT NULL,              -- JSON
      version    INTEGER NOT NULL,           -- counts changes; a writer may insist on the one it read
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      expires_at TEXT,
      PRIMARY KEY (space, area, key)
    ) WITHOUT ROWID
    """,
    # Every change of a memory, append-only: who, when, what, before, after, why.
    """
    CREATE TABLE history (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      at     TEXT NOT NULL,
      memory TEXT NOT NULL,                  -- id
      action TEXT NOT NULL,                  -- add, edit, end, restore, erase, …
      actor  TEXT NOT NULL,                  -- the door it came through, as in memories.origin
      reason TEXT,
      before TEXT,                           -- JSON object of the fields that changed; NULL: it was not there
      after  TEXT
    )
    """,
    "CREATE INDEX history_by_memory ON history (memory, number)",
)

# Derived: everything below can be rebuilt from the tables above (`mem reindex`).
DERIVED = (
    """
    CREATE TABLE memory_tags (
      tag    TEXT NOT NULL,
      memory INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
      PRIMARY KEY (tag, memory)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX memory_tags_by_memory ON memory_tags (memory)",
    # The words of each memory after analysis (memcli/text/words.py), and their index.
    """
    CREATE TABLE memory_words (
      memory INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
      words  TEXT NOT NULL
    )
    """,
    # Words arrive folded and split: the tokenizer only has to leave them whole
    # (marks are letters in Indic scripts) and to stem English.
    """
    CREATE VIRTUAL TABLE word_index USING fts5(
      words, content='memory_words', content_rowid='memory',
      tokenize="porter unicode61 remove_diacritics 0 categories 'L* N* Co M*'"
    )
    """,
    "CREATE VIRTUAL TABLE word_counts USING fts5vocab(word_index, row)",
    """
    CREATE TRIGGER memory_words_added AFTER INSERT ON memory_words BEGIN
      INSERT INTO word_index (rowid, words) VALUES (new.memory, new.words);
    END
    """,
    """
    CREATE TRIGGER memory_words_removed AFTER DELETE ON memory_words BEGIN
      INSERT INTO word_index (word_index, rowid, words) VALUES ('delete', old.memory, old.words);
    END
    """,
    """
    CREATE TRIGGER memory_words_changed AFTER UPDATE ON memory_words BEGIN
      INSERT INTO word_index (word_index, rowid, words) VALUES ('delete', old.memory, old.words);
      INSERT INTO word_index (rowid, words) VALUES (new.memory, new.words);
    END
    """,
    # Which models have made vectors here. One is in use; another may be filling up beside it.
    """
    CREATE TABLE models (
      number     INTEGER PRIMARY KEY,
      name       TEXT NOT NULL,
      weights    TEXT NOT NULL,              -- SHA-256 of the weights
      dimensions INTEGER NOT NULL,
      in_use     INTEGER NOT NULL,
      UNIQUE (name, weights, dimensions)
    )
    """,
    # Plain BLOBs of little-endian float32 measured by sqlite-vec's functions, not
    # a vec0 table: on pages of 16 KiB the scan is as fast (100 ms at 100,000 rows
    # of 384), it cascades, erases cleanly, holds several vectors a memory, and any
    # sqlite3 or Datasette opens the file.
    """
    CREATE TABLE vectors (
      number INTEGER PRIMARY KEY,
      memory INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
      model  INTEGER NOT NULL REFERENCES models (number) ON DELETE CASCADE,
      part   INTEGER NOT NULL,               -- a long memory has one vector a window
      vector BLOB NOT NULL
    )
    """,
    "CREATE UNIQUE INDEX vectors_by_memory ON vectors (memory, model, part)",
)

# Derived: the names at both ends of each link, as memcli/text/naming/names.py compares them.
LINK_NAMES = (
    """
    CREATE TABLE link_names (
      space TEXT NOT NULL,
      name  TEXT NOT NULL,                   -- names.key of links.subject or links.object
      link  TEXT NOT NULL REFERENCES links (id) ON DELETE CASCADE,
      PRIMARY KEY (space, name, link)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX link_names_by_link ON link_names (link)",
    # Exact names are no longer searched for.
    "DROP INDEX links_by_subject",
    "DROP INDEX links_by_object",
)

# Until now both were only in texts for people, which anybody may write.
ENDINGS = (
    "ALTER TABLE memories ADD COLUMN ended_as TEXT /* forgotten, superseded, …: memcli.model.ENDINGS */",
    "ALTER TABLE memories ADD COLUMN replaced_by TEXT /* id of the memory that took its place */",
    "CREATE INDEX memories_by_replaced_by ON memories (replaced_by) WHERE replaced_by IS NOT NULL",
    "ALTER TABLE history ADD COLUMN undoes TEXT /* the change that this one takes back */",
)

# Derived: what the model in use has not read yet, or not to its end. Looked at in every recall,
# so it is kept where few rows are, and not found out by comparing two large tables.
WANTING = (
    """
    CREATE TABLE wanting (
      memory INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE  -- or its end has no vector
    )
    """,
    """
    INSERT INTO wanting (memory) SELECT seq FROM memories WHERE seq NOT IN
      (SELECT v.memory FROM vectors v JOIN models o ON o.number = v.model AND o.in_use)
    """,
    """
    CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN
      INSERT OR IGNORE INTO wanting (memory) VALUES (new.seq);
    END
    """,
    # Not if the memory is deleted, too. A writer that replaces all vectors of one takes it off the list
    # afterwards.
    """
    CREATE TRIGGER vectors_removed AFTER DELETE ON vectors
    WHEN EXISTS (SELECT 1 FROM models WHERE number = old.model AND in_use)
    AND EXISTS (SELECT 1 FROM memories WHERE seq = old.memory) BEGIN
      INSERT OR IGNORE INTO wanting (memory) VALUES (old.memory);
    END
    """,
)

# Digests of rows, which show whether anything but memcli has changed one: memcli.storage.digests.
DIGESTS = (
    *(
        f"ALTER TABLE {table} ADD COLUMN digest INTEGER /* of this row: BLAKE2b-64, see docs/schema.md */"
        for table in ("memories", "links", "states", "history", "models", "vectors")
    ),
    "ALTER TABLE memories ADD COLUMN use_digest INTEGER /* of id, access_count, accessed_at */",
)

# Two machines through a folder: beside each record its clock. Nothing here before the first `mem sync`.
CLOCKS = (
    """
    CREATE TABLE clocks (
      kind     TEXT NOT NULL,                -- memory, link, state
      key      TEXT NOT NULL,                -- its id; of a state JSON [space, area, key], gone: a keyed hash
      revision INTEGER NOT NULL,             -- counts what was noted here: what is news to a folder
      via      TEXT NOT NULL,                -- the folder that it came from; '': changed here
      row      TEXT NOT NULL,                -- digest of the row as it was noted; '': it is gone
      clock    TEXT NOT NULL,                -- JSON: when each field was changed, as stamps; no content
      PRIMARY KEY (kind, key)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX clocks_by_revision ON clocks (revision)",
)

# Derived: by their signs the few vectors are chosen that a search in a large store measures.
SIGNS = (
    """
    CREATE TABLE vector_signs (
      model INTEGER NOT NULL REFERENCES models (number) ON DELETE CASCADE,
      block INTEGER NOT NULL,                -- vectors.number / 256
      signs BLOB NOT NULL,                   -- a bit a number, 256 vectors on end; none set: no vector
      PRIMARY KEY (model, block)
    )
    """,
    """
    CREATE TRIGGER vector_signs_removed AFTER DELETE ON vectors BEGIN
      UPDATE vector_signs SET signs = CAST(
        substr(signs, 1, old.number % 256 * (length(signs) / 256)) || zeroblob(length(signs) / 256)
        || substr(signs, (old.number % 256 + 1) * (length(signs) / 256) + 1) AS BLOB)
      WHERE model = old.model AND block = old.number / 256;
    END
    """,
)

# The last migration that changes a view recreates them all.
VIEWS = {
    "facts": """
    CREATE VIEW facts AS
    SELECT id, kind, text, space, confidence, importance, source, trusted, tags, happened_at,
           valid_from, valid_until, access_count, accessed_at, supersedes, created_at, ended_at,
           ended_as, replaced_by
    FROM memories WHERE kind IN ('fact', 'preference', 'outcome', 'constraint')
    """,
    "episodes": """
    CREATE VIEW episodes AS
    SELECT id, session, json_extract(data, '$.role') AS role, text, space, happened_at, importance,
           source, trusted, tags, expires_at, created_at, ended_at, ended_as
    FROM memories WHERE kind = 'episode'
    """,
    "procedures": """
    CREATE VIEW procedures AS
    SELECT id, json_extract(data, '$.name') AS name, text, space, confidence, tags, data,
           access_count, accessed_at, supersedes, created_at, ended_at, ended_as, replaced_by
    FROM memories WHERE kind = 'procedure'
    """,
}


def column_notes() -> dict[str, dict[str, str]]:
    """Return the comments on columns in the statements above, by table or view; the file has them, too."""
    notes: dict[str, dict[str, str]] = {}
    table = ""
    for statement in (*CORE, *DERIVED, *LINK_NAMES, *ENDINGS, *WANTING, *DIGESTS, *CLOCKS, *SIGNS):
        for line in statement.splitlines():
            if made := re.search(r"(?:CREATE|ALTER) TABLE (\w+)", line):
                table = made[1]
            column = re.search(r"(?:^\s+|ADD COLUMN )([a-z_]+)\s+[A-Z]+.*?(?:-- |/\* )(.*?)(?: \*/)?$", line)
            if column:
                notes.setdefault(table, {})[column[1]] = column[2]
    for view, statement in VIEWS.items():
        shown = set(re.findall("[a-z_]+", re.sub(r"json_extract\(.*?\)", "", statement.partition("FROM")[0])))
        notes[view] = {name: note for name, note in notes["memories"].items() if name in shown}
    return notes
