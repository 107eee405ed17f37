"""What can go wrong, as a small tree.

    MemcliError                 exit status
    ├── NotFound                1   nothing by that id, or nothing found
    ├── Declined                1   it was asked before anything was lost, and the answer was no
    ├── BadInput                2   wrong usage, or input that cannot be stored
    │   └── BadAddress              an address of a store that is not well-formed
    ├── Refused                 3   a policy says no
    ├── StoreUnusable           4   the file cannot be used at all
    │   ├── ReadOnlyStore           it may be read here, not written
    │   │   ├── FlaggedStore            … for `mem doctor` found it damaged
    │   │   ├── DamagedRow              … this row of it
    │   │   └── StoreFull               … for there is no room for what would be written
    │   ├── ErasureUnfinished       erased from the store, and not yet proven gone from every file
    │   ├── StoreBusy               another process holds it longer than we wait
    │   ├── StoreUnreachable        its server, or the way to it, is gone or not there yet
    │   ├── StoreDamaged            SQLite says it is malformed, or it is no store
    │   │   └── StoreCut                … less than a header is left of it
    │   ├── NoKey                   encrypted, and no key can be had, or trusted
    │   ├── WrongKey                encrypted, and the key does not open it
    │   └── NewerStore              written by a newer memcli
    ├── ModelUnusable           5   no embeddings: model missing, refused or another one
    └── LlmFailed               5   the LLM that was asked gave no answer
        ├── AnswerRejected          it answered, and what it said does not stand up
        └── LimitReached            a limit of its owner's leaves no room for the question
            ├── OutOfTokens         … of tokens
            └── OutOfTime           … of seconds

Every message names the thing (path, id, variable) and the way out. Errors of
a library are wrapped only where the owner can act on them, the cause chained.
"""

from __future__ import annotations

import re

# How a message says that all is as it was; true where the command ends with it.
_AS_IT_WAS = re.compile(r"; nothing was (?:changed|touched)\b")


class MemcliError(Exception):
    """Anything that memcli tells its user in one line instead of a traceback."""

    code = "error"
    exit_status = 1

    def in_passing(self) -> str:
        """The line where the command goes on, and may change the store yet: not that nothing was changed."""
        return _AS_IT_WAS.sub("", str(self))


class NotFound(MemcliError):
    """Nothing matches: an unknown id, an empty result."""

    code = "not_found"
    exit_status = 1


class Declined(MemcliError):
    """Whoever was asked said no: nothing was changed."""

    code = "declined"
    exit_status = 1


class BadInput(MemcliError):
    """The request cannot be carried out as written."""

    code = "bad_input"
    exit_status = 2


class BadAddress(BadInput):
    """An address of a store cannot be read. It is never quoted, for it may hold a password."""

    code = "bad_address"


class Refused(MemcliError):
    """A policy refuses; the message says why, and how to override; `rule` is the policy's name."""

    code = "refused"
    exit_status = 3

    def __init__(self, message: str, rule: str | None = None) -> None:
        super().__init__(message)
        self.rule = rule


class StoreUnusable(MemcliError):
    """The store's file cannot be used; nothing was touched."""

    code = "store_unusable"
    exit_status = 4


class ReadOnlyStore(StoreUnusable):
    """The store may be read here and not written; `why` says it without its name."""

    code = "read_only"

    def __init__(self, message: str, why: str = "") -> None:
        super().__init__(message)
        self.why = why or message


class StoreFull(ReadOnlyStore):
    """There is no room to write: the disk, a quota, or the size of a file."""

    code = "store_full"


class ErasureUnfinished(StoreUnusable):
    """Rows were erased; that they are gone from every file and copy is not proven yet."""

    code = "erasure_unfinished"


class FlaggedStore(ReadOnlyStore):
    """`mem doctor` found damage, so nothing is written until it is mended or its owner insists."""

    code = "store_flagged"


class DamagedRow(ReadOnlyStore):
    """What a row holds is not what was written, and it is not written over."""

    code = "row_damaged"


class StoreBusy(StoreUnusable):
    """Another process held the store for longer than the busy timeout."""

    code = "store_busy"


class StoreUnreachable(StoreUnusable):
    """The store's server cannot be reached, or no longer: later it may be."""

    code = "store_unreachable"


class StoreDamaged(StoreUnusable):
    """SQLite reports a malformed file, or the file is not a memcli store."""

    code = "store_damaged"


class StoreCut(StoreDamaged):
    """Less is left of the file than a header; `salvageable`: its log may still hold what it held."""

    code = "store_cut"

    def __init__(self, message: str, *, salvageable: bool) -> None:
        super().__init__(message)
        self.salvageable = salvageable


class WrongKey(StoreUnusable):
    """The file is encrypted (or no database at all) and the key does not open it."""

    code = "wrong_key"


class NoKey(StoreUnusable):
    """A key is wanted and none can be had, or what there is others could read."""

    code = "no_key"


class NewerStore(StoreUnusable):
    """The file's schema is newer than this program."""

    code = "newer_store"


class ModelUnusable(MemcliError):
    """The embedding model is missing, refused, or not the one that filled the store."""

    code = "model_unusable"
    exit_status = 5


class LlmFailed(MemcliError):
    """An LLM gave no answer that can be used; nothing was changed.

    `tokens_out` is what it said all the same, about.
    """

    code = "llm_failed"
    exit_status = 5

    def __init__(self, message: str, tokens_out: int = 0) -> None:
        super().__init__(message)
        self.tokens_out = tokens_out


class AnswerRejected(LlmFailed):
    """It answered twice, and neither answer keeps to its contract; the message says why.

    `claims` are what the last answer claimed, each with the reason against it.
    """

    code = "answer_rejected"

    def __init__(self, message: str, claims: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(message)
        self.claims = claims


class LimitReached(LlmFailed):
    """A limit that its owner set is reached; nothing is wrong with the LLM."""

    code = "limit_reached"


class OutOfTime(LimitReached):
    """A question was not put, or its answer not waited for, for the limit of seconds is reached."""

    code = "time_spent"


class OutOfTokens(LimitReached):
    """A question was not put, for it would pass the limit of tokens."""

    code = "tokens_spent"
