"""Schema of a store in PostgreSQL: its tables, and the migrations from older versions.

Each migration is one transaction, is never edited once released, and is recorded in `memcli.migrations`;
the highest number there is the version.

Every table but the store-wide ones (`migrations`, `writes`, `damage`, `models`) has its space, first in its
primary key: hash partitions by space, or Citus's `create_distributed_table(…, 'space')`, need no other
columns and no other keys. Texts sort by their bytes (COLLATE "C"), as ids and instants must.
"""

from __future__ import annotations

import re

from memcli.named_tuple import NamedTuple

SCHEMA_VERSION = 4
# The least supported versions: PostgreSQL's server_version_num, and pgvector's (before 0.8.2 a parallel
# build of an index reads beyond its memory, CVE-2026-3172).
LEAST_SERVER, LEAST_VECTOR = 160000, (0, 8, 2)

_SEQUENCES = ("memory_numbers", "history_numbers", "vector_numbers", "model_numbers")

# Store-wide tables.
_GLOBAL = (
    """
    CREATE TABLE memcli.migrations (
      number     integer PRIMARY KEY,
      name       text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )
    """,
    # A single row, which every write updates first, so that writers exclude each other until they commit.
    """
    CREATE TABLE memcli.writes (
      one    boolean PRIMARY KEY DEFAULT true CHECK (one),
      number bigint NOT NULL               -- counts transactions that wrote
    )
    """,
    "INSERT INTO memcli.writes (number) VALUES (0)",
    # Damage that `mem doctor` found; while this has rows, nothing is written.
    'CREATE TABLE memcli.damage (found text COLLATE "C" PRIMARY KEY)',
    """
    CREATE TABLE memcli.models (
      number     integer PRIMARY KEY DEFAULT nextval('memcli.model_numbers'),
      name       text COLLATE "C" NOT NULL,
      weights    text COLLATE "C" NOT NULL,  -- SHA-256 of the weights
      dimensions integer NOT NULL,
      in_use     boolean NOT NULL,
      UNIQUE (name, weights, dimensions)
    )
    """,
)

# Tables keyed by space first; each may be partitioned.
_TABLES = {
    "memories": """
      space         text COLLATE "C" NOT NULL,  -- a walled part of the store
      seq           bigint NOT NULL DEFAULT nextval('memcli.memory_numbers'), -- means nothing outside
      id            text COLLATE "C" NOT NULL,  -- ULID: globally unique, sorts by time
      kind          text COLLATE "C" NOT NULL,
      ended_at      text COLLATE "C",
      expires_at    text COLLATE "C",
      valid_from    text COLLATE "C",
      valid_until   text COLLATE "C",
      happened_at   text COLLATE "C" NOT NULL,
      session       text COLLATE "C",
      source        text COLLATE "C" NOT NULL,
      confidence    double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
      importance    double precision NOT NULL CHECK (importance BETWEEN 0 AND 1),
      trusted       smallint NOT NULL,
      created_at    text COLLATE "C" NOT NULL,
      updated_at    text COLLATE "C" NOT NULL,
      access_count  bigint NOT NULL DEFAULT 0,
      accessed_at   text COLLATE "C",
      confirm_count bigint NOT NULL DEFAULT 0,
      confirmed_at  text COLLATE "C",
      supersedes    text COLLATE "C",
      ended_as      text COLLATE "C",
      ended_why     text COLLATE "C",
      replaced_by   text COLLATE "C",
      origin        text COLLATE "C" NOT NULL,
      tags          text COLLATE "C" NOT NULL,  -- JSON array, sorted
      text          text COLLATE "C" NOT NULL,
      data          text COLLATE "C" NOT NULL,  -- JSON object: what only this kind has
      digest        bigint,                     -- of this row: BLAKE2b-64, see docs/schema.md
      use_digest    bigint,                     -- of id, access_count, accessed_at
      -- Derived from those above.
      tag_names     text[] COLLATE "C" NOT NULL,
      words         tsvector NOT NULL,          -- stemmed words, and =SPACE
      word_order    text COLLATE "C" NOT NULL,  -- the same as they follow each other, for phrases
      PRIMARY KEY (space, seq),
      UNIQUE (space, id)
    """,
    # Several vectors a memory: one for each window of its text.
    "vectors": """
      space  text COLLATE "C" NOT NULL,
      memory bigint NOT NULL,
      model  integer NOT NULL REFERENCES memcli.models (number) ON DELETE CASCADE,
      part   integer NOT NULL,
      number bigint NOT NULL DEFAULT nextval('memcli.vector_numbers'),
      vector halfvec NOT NULL,
      PRIMARY KEY (space, memory, model, part),
      FOREIGN KEY (space, memory) REFERENCES memcli.memories (space, seq)
        ON DELETE CASCADE ON UPDATE CASCADE
    """,
    # Memories that the model in use has not embedded completely.
    "wanting": """
      space  text COLLATE "C" NOT NULL,
      memory bigint NOT NULL,
      PRIMARY KEY (space, memory),
      FOREIGN KEY (space, memory) REFERENCES memcli.memories (space, seq)
        ON DELETE CASCADE ON UPDATE CASCADE
    """,
    # How many memories of a space hold a word; '' counts all memories.
    "word_counts": """
      space  text COLLATE "C" NOT NULL,
      word   text COLLATE "C" NOT NULL,
      number bigint NOT NULL,
      PRIMARY KEY (space, word)
    """,
    "links": """
      space       text COLLATE "C" NOT NULL,
      id          text COLLATE "C" NOT NULL,
      subject     text COLLATE "C" NOT NULL,
      relation    text COLLATE "C" NOT NULL,
      object      text COLLATE "C" NOT NULL,
      evidence    text COLLATE "C",
      confidence  double precision NOT NULL,
      valid_from  text COLLATE "C",
      valid_until text COLLATE "C",
      created_at  text COLLATE "C" NOT NULL,
      ended_at    text COLLATE "C",
      data        text COLLATE "C" NOT NULL,
      digest      bigint,
      names       text[] COLLATE "C" NOT NULL,  -- derived: both ends as text/naming/names.py compares them
      PRIMARY KEY (space, id)
    """,
    "states": """
      space      text COLLATE "C" NOT NULL,
      area       text COLLATE "C" NOT NULL,
      key        text COLLATE "C" NOT NULL,
      value      text COLLATE "C" NOT NULL,     -- JSON
      version    bigint NOT NULL,
      created_at text COLLATE "C" NOT NULL,
      updated_at text COLLATE "C" NOT NULL,
      expires_at text COLLATE "C",
      digest     bigint,
      PRIMARY KEY (space, area, key)
    """,
    # The space is the memory's current or last one; '*' if unknown.
    "history": """
      space  text COLLATE "C" NOT NULL,
      number bigint NOT NULL DEFAULT nextval('memcli.history_numbers'),
      at     text COLLATE "C" NOT NULL,
      memory text COLLATE "C" NOT NULL,         -- id
      action text COLLATE "C" NOT NULL,
      actor  text COLLATE "C" NOT NULL,
      reason text COLLATE "C",
      before text COLLATE "C",                  -- JSON object of the fields that changed
      after  text COLLATE "C",
      change text COLLATE "C",
      undoes text COLLATE "C",
      digest bigint,
      PRIMARY KEY (space, number)
    """,
    "clocks": """
      space    text COLLATE "C" NOT NULL,
      kind     text COLLATE "C" NOT NULL,
      key      text COLLATE "C" NOT NULL,
      revision bigint NOT NULL,
      via      text COLLATE "C" NOT NULL,
      row      text COLLATE "C" NOT NULL,
      clock    text COLLATE "C" NOT NULL,
      PRIMARY KEY (space, kind, key)
    """,
    # Spaces so large that they have a vector index of their own; see `near`.
    "near_indexes": """
      space    text COLLATE "C" NOT NULL,
      model    integer NOT NULL REFERENCES memcli.models (number) ON DELETE CASCADE,
      name     text COLLATE "C" NOT NULL,       -- of the index, in the schema memcli
      built_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (space, model)
    """,
}

_INDEXES = (
    "memories_by_id ON memcli.memories (id)",
    "memories_by_seq ON memcli.memories (seq)",
    "memories_by_space ON memcli.memories (space, ended_at, kind, expires_at, valid_until)",
    "memories_by_session ON memcli.memories (space, session, happened_at) WHERE session IS NOT NULL",
    "memories_by_supersedes ON memcli.memories (supersedes) WHERE supersedes IS NOT NULL",
    "memories_by_replaced_by ON memcli.memories (replaced_by) WHERE replaced_by IS NOT NULL",
    "memories_by_expiry ON memcli.memories (expires_at) WHERE expires_at IS NOT NULL",
    # Without a pending list, which every search would have to read from its start.
    "memories_by_words ON memcli.memories USING gin (words) WITH (fastupdate = off)",
    "memories_by_tags ON memcli.memories USING gin (tag_names) WITH (fastupdate = off)",
    "vectors_by_memory ON memcli.vectors (memory, model)",
    "vectors_by_number ON memcli.vectors (number)",
    "wanting_by_memory ON memcli.wanting (memory)",
    "word_counts_by_word ON memcli.word_counts (word)",
    "links_by_id ON memcli.links (id)",
    "links_by_names ON memcli.links USING gin (names) WITH (fastupdate = off)",
    "states_by_area ON memcli.states (area, key)",
    "history_by_number ON memcli.history (number)",
    "history_by_memory ON memcli.history (memory, number)",
    "history_by_change ON memcli.history (change) WHERE change IS NOT NULL",
    "clocks_by_key ON memcli.clocks (kind, key)",
    "clocks_by_revision ON memcli.clocks (revision)",
)

# Words of some hundred rows wait in a pending list, 256 kB in each index, and are sorted in together: that
# halves the cost of a bulk write, and a search reads a millisecond longer at most. Set on each partition's
# index.
_WORDS_WAIT = """
DO $$ DECLARE own regclass; BEGIN
  FOR own IN SELECT oid FROM pg_class WHERE relkind = 'i' AND (oid = 'memcli.memories_by_words'::regclass
    OR oid IN (SELECT relid FROM pg_partition_tree('memcli.memories_by_words')))
  LOOP
    EXECUTE format('ALTER INDEX %s SET (fastupdate = on, gin_pending_list_limit = 256)', own);
  END LOOP;
END $$
"""

# Views for people and other programs; the policies of the underlying tables apply.
_SHARED = "space, importance, source, trusted, tags, happened_at, created_at, ended_at, ended_as"
_VIEWS = {
    "facts": f"""
      SELECT id, kind, text, {_SHARED}, confidence, valid_from, valid_until, access_count, accessed_at,
             supersedes, replaced_by
      FROM memcli.memories WHERE kind IN ('fact', 'preference', 'outcome', 'constraint')
    """,
    "episodes": f"""
      SELECT id, session, data::json ->> 'role' AS role, text, {_SHARED}, expires_at
      FROM memcli.memories WHERE kind = 'episode'
    """,
    "procedures": f"""
      SELECT id, data::json ->> 'name' AS name, text, {_SHARED}, confidence, data, access_count,
             accessed_at, supersedes, replaced_by
      FROM memcli.memories WHERE kind = 'procedure'
    """,
}

SPACED = tuple(_TABLES)
"""Every table that has a space."""
GLOBAL = ("migrations", "writes", "damage", "models")
"""Those of the whole store."""
SEQUENCES = _SEQUENCES
VIEWS = tuple(_VIEWS)


class Migration(NamedTuple):
    """One step from a version to the next: its statements run in one transaction."""

    number: int
    name: str
    statements: tuple[str, ...] = ()
    renews_walls: bool = False
    """True if the policies have changed: those of every grant are written anew."""


def migrations(partitions: int = 0) -> tuple[Migration, ...]:
    """Return all migrations in order; `partitions` is into how many a new store's tables are divided."""
    return (
        Migration(1, "memories links states history words vectors clocks", _first(partitions)),
        Migration(2, "words wait to be sorted in", (_WORDS_WAIT,)),
        Migration(3, "a role signs what it writes", renews_walls=True),
        Migration(4, "an untrusted role says what is known again", renews_walls=True),
    )


def _first(partitions: int) -> tuple[str, ...]:
    statements = ["CREATE SCHEMA IF NOT EXISTS memcli"]
    statements += [f"CREATE SEQUENCE memcli.{name}" for name in _SEQUENCES]
    statements += _GLOBAL
    for name, columns in _TABLES.items():
        if not partitions:
            # Room in a page for new row versions, from a use of a memory or a changed word count.
            room = " WITH (fillfactor = 85)" if name in ("memories", "word_counts") else ""
            statements.append(f"CREATE TABLE memcli.{name} ({columns}){room}")
            continue
        statements.append(f"CREATE TABLE memcli.{name} ({columns}) PARTITION BY HASH (space)")
        statements += [
            f"CREATE TABLE memcli.{name}_{number} PARTITION OF memcli.{name} "
            f"FOR VALUES WITH (MODULUS {partitions}, REMAINDER {number})"
            for number in range(partitions)
        ]
    statements += [f"CREATE INDEX {index}" for index in _INDEXES]
    for name, query in _VIEWS.items():
        statements.append(f"CREATE VIEW memcli.{name} WITH (security_invoker = true) AS {query}")
    return tuple(statements)


def vector_version(text: str) -> tuple[int, ...]:
    """Return the version of pgvector as numbers, `0.8.2` as 0, 8, 2."""
    return tuple(int(each) for each in re.findall(r"\d+", text))
