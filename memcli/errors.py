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
What a reader may want without the rest is a field of its own, and no part of
a text that he would have to look for.
"""

from __future__ import annotations

from memcli.messages import Message, message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    class ErrorFields(TypedDict, total=False):
        """What an error may say beside what happened."""

        about: object
        left: str
        advice: str
        by_hand: str


class MemcliError(Exception):
    """Anything that memcli tells its user in one line instead of a traceback; str() is that line.

    `what` happened, and of which thing (`about`, where `what` does not name it); how all is `left`, true
    where the command ends with this; then the way out: `advice` to anybody, and what is done `by_hand` by
    who has a shell: a command, an option, a variable.
    """

    code = "error"
    exit_status = 1

    def __init__(
        self, what: str = "", *, about: object = "", left: str = "", advice: str = "", by_hand: str = ""
    ) -> None:
        self.what, self.about, self.left, self.advice, self.by_hand = what, str(about), left, advice, by_hand
        super().__init__(self._line())

    def _line(self, *, about: bool = True, left: bool = True, by_hand: bool = True) -> str:
        """The parts in a line, some left out; after how all is left the way out is a sentence of its own."""
        line = message(f"{self.about}: " if about and self.about else "", self.what)
        ways = [way for way in (self.advice.strip(), self.by_hand if by_hand else "") if way]
        if left and self.left:
            line = message(line, "; ", self.left)
            if ways:
                first = ways.pop(0)
                begun = first.capitalized() if isinstance(first, Message) else first[0].upper() + first[1:]
                line = message(line, ". ", begun)
        for way in ways:
            line = message(line, " " if line.endswith("?") else "; ", way)
        return line

    def __str__(self) -> str:
        # The message itself, which `Exception` would make a plain text of.
        return str(self.args[0]) if self.args else ""

    @property
    def told(self) -> ErrorFields:
        """All but what happened, for an error that takes the place of this one."""
        return {"about": self.about, "left": self.left, "advice": self.advice, "by_hand": self.by_hand}

    def rename(self, thing: object, name: object) -> None:
        """Call a thing by another name: a copy of a store by that of the store."""
        for part in ("what", "about", "left", "advice", "by_hand"):
            setattr(self, part, getattr(self, part).replace(str(thing), str(name)))
        self.args = (self._line(),)

    def name_store(self, store: object) -> None:
        """Have the commands of the way out look into the store that it is about, not that of the call."""
        for part in ("what", "about", "left", "advice", "by_hand"):
            if isinstance(said := getattr(self, part), Message):
                setattr(self, part, said.on_store(str(store)))
        self.args = (self._line(),)

    def say_left(self, left: str) -> None:
        """Say how all is left by who knows it better than where it failed."""
        self.left = left
        self.args = (self._line(),)

    def beside(self, name: object) -> str:
        """The line where this name stands before it already."""
        return self._line(about=self.about != str(name))

    def in_passing(self) -> str:
        """The line where the command goes on, and may change the store yet: not how all is left."""
        return self._line(left=False)

    def without_shell(self) -> str:
        """The line for who has no shell."""
        return self._line(by_hand=False)


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
    given: str | None = None
    """A text that is not what it was given as, where that is all: whoever knows of what names it `about`."""

    def name(self, thing: object) -> None:
        """Say of which thing it is, where the error did not know it."""
        self.about = str(thing)
        self.args = (self._line(),)


class BadAddress(BadInput):
    """An address of a store cannot be read. It is never quoted, for it may hold a password."""

    code = "bad_address"


class Refused(MemcliError):
    """A policy refuses; the message says why, and how to override; `rule` is the policy's name."""

    code = "refused"
    exit_status = 3

    def __init__(self, what: str, rule: str | None = None, **told: Unpack[ErrorFields]) -> None:
        super().__init__(what, **told)
        self.rule = rule


class StoreUnusable(MemcliError):
    """The store's file cannot be used."""

    code = "store_unusable"
    exit_status = 4


class ReadOnlyStore(StoreUnusable):
    """The store may be read here and not written; `why` says it without its name."""

    code = "read_only"

    def __init__(self, what: str, why: str = "", **told: Unpack[ErrorFields]) -> None:
        super().__init__(what, **told)
        self.why = why or str(self)


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

    def __init__(self, what: str, *, salvageable: bool, **told: Unpack[ErrorFields]) -> None:
        super().__init__(what, **told)
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

    def __init__(self, what: str, tokens_out: int = 0, **told: Unpack[ErrorFields]) -> None:
        super().__init__(what, **told)
        self.tokens_out = tokens_out


class AnswerRejected(LlmFailed):
    """It answered twice, and neither answer keeps to its contract; the message says why.

    `claims` are what the last answer claimed, each with the reason against it.
    """

    code = "answer_rejected"

    def __init__(self, what: str, claims: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(what)
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
