"""Errors of memcli, as a small tree of exceptions with exit statuses.

    MemcliError                 exit status
    ├── NotFound                1   nothing by that id, or nothing found
    ├── Declined                1   consent was asked before something was lost, and refused
    ├── BadInput                2   wrong usage, or input that cannot be stored
    │   └── BadAddress              an address of a store that is not well-formed
    ├── Refused                 3   a policy, or the rights of an untrusted origin, forbid it
    ├── StoreUnusable           4   the file cannot be used at all
    │   ├── ReadOnlyStore           it can be read here, but not written
    │   │   ├── FlaggedStore            … because `mem doctor` found it damaged
    │   │   ├── DamagedRow              … because this row is damaged
    │   │   └── StoreFull               … because there is no room for what would be written
    │   ├── ErasureUnfinished       erased from the store, and not yet proven gone from every file
    │   ├── StoreBusy               another process holds it longer than we wait
    │   ├── StoreUnreachable        its server cannot be reached now
    │   ├── StoreDamaged            SQLite says it is malformed, or it is not a store
    │   │   └── StoreCut                … less than a header is left of it
    │   ├── NoKey                   encrypted, and no key is available, or safe to use
    │   ├── WrongKey                encrypted, and the key does not open it
    │   └── NewerStore              written by a newer memcli
    ├── ModelUnusable           5   no embeddings: model missing, refused or another one
    └── LlmFailed               5   the LLM that was asked gave no answer
        ├── AnswerRejected          it answered, and the answer fails the checks
        └── LimitReached            the owner's limit leaves no room for the question
            ├── OutOfTokens         … of tokens
            └── OutOfTime           … of seconds

Every message names the thing (path, id, variable) and the remedy. Errors of a library are wrapped only if the
owner can act on them, with the cause chained. What a reader may want separately is a field of its own, so
that nobody has to search the text.
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
    """Any error that memcli reports in one line instead of a traceback; str() is that line.

    `what` happened, and to which thing (`about`, if `what` does not name it); what state is `left`, if the
    command ends with this error; then the remedy: `advice` for anybody, and `by_hand` what somebody with a
    shell can do: a command, an option, a variable.
    """

    code = "error"
    exit_status = 1

    def __init__(
        self, what: str = "", *, about: object = "", left: str = "", advice: str = "", by_hand: str = ""
    ) -> None:
        self.what, self.about, self.left, self.advice, self.by_hand = what, str(about), left, advice, by_hand
        super().__init__(self._line())

    def _line(self, *, about: bool = True, left: bool = True, by_hand: bool = True) -> str:
        """Return the parts as a line, some left out; after `left`, the remedy is a sentence of its own."""
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
        # The Message itself, which `Exception` would turn into a plain `str`.
        return str(self.args[0]) if self.args else ""

    @property
    def told(self) -> ErrorFields:
        """Return all parts except `what`, for an error that replaces this one."""
        return {"about": self.about, "left": self.left, "advice": self.advice, "by_hand": self.by_hand}

    def rename(self, thing: object, name: object) -> None:
        """Replace the name of a thing in the message: that of a copy by that of its store."""
        for part in ("what", "about", "left", "advice", "by_hand"):
            setattr(self, part, getattr(self, part).replace(str(thing), str(name)))
        self.args = (self._line(),)

    def name_store(self, store: object) -> None:
        """Let the commands in the message name the store that it is about, instead of the call's."""
        for part in ("what", "about", "left", "advice", "by_hand"):
            if isinstance(said := getattr(self, part), Message):
                setattr(self, part, said.on_store(str(store)))
        self.args = (self._line(),)

    def say_left(self, left: str) -> None:
        """Set the state that is left, by a caller who knows it better."""
        self.left = left
        self.args = (self._line(),)

    def beside(self, name: object) -> str:
        """Return the line for a place where this name is already printed before it."""
        return self._line(about=self.about != str(name))

    def in_passing(self) -> str:
        """Return the line without the state `left`, because the command goes on and may still change it."""
        return self._line(left=False)

    def without_shell(self) -> str:
        """Return the line for somebody without a shell."""
        return self._line(by_hand=False)


class NotFound(MemcliError):
    """Nothing matches: an unknown id, an empty result."""

    code = "not_found"
    exit_status = 1


class Declined(MemcliError):
    """The person asked for consent said no; nothing was changed."""

    code = "declined"
    exit_status = 1


class BadInput(MemcliError):
    """The request cannot be carried out as written."""

    code = "bad_input"
    exit_status = 2
    given: str | None = None
    """The text that was not accepted, if that is all that is known: the caller then sets `about`."""

    def name(self, thing: object) -> None:
        """Set the thing that the error is about, if it did not know it."""
        self.about = str(thing)
        self.args = (self._line(),)


class BadAddress(BadInput):
    """An address of a store cannot be parsed. It is never quoted, because it may hold a password."""

    code = "bad_address"


class Refused(MemcliError):
    """A policy refuses; the message says why, and how to override it; `rule` is the policy's name."""

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
    """The store can be read here but not written; `why` is the reason without the store's name."""

    code = "read_only"

    def __init__(self, what: str, why: str = "", **told: Unpack[ErrorFields]) -> None:
        super().__init__(what, **told)
        self.why = why or str(self)


class StoreFull(ReadOnlyStore):
    """There is no room to write: the disk, a quota, or the size of a file."""

    code = "store_full"


class ErasureUnfinished(StoreUnusable):
    """Rows were erased, but it is not proven yet that they are gone from every file and copy."""

    code = "erasure_unfinished"


class FlaggedStore(ReadOnlyStore):
    """`mem doctor` found damage, so nothing is written until it is mended or its owner insists."""

    code = "store_flagged"


class DamagedRow(ReadOnlyStore):
    """A row does not hold what was written, and is not overwritten."""

    code = "row_damaged"


class StoreBusy(StoreUnusable):
    """Another process held the store for longer than the busy timeout."""

    code = "store_busy"


class StoreUnreachable(StoreUnusable):
    """The store's server cannot be reached now; it may be later."""

    code = "store_unreachable"


class StoreDamaged(StoreUnusable):
    """SQLite reports a malformed file, or the file is not a memcli store."""

    code = "store_damaged"


class StoreCut(StoreDamaged):
    """Less than a header is left of the file; `salvageable`: its log may still hold the contents."""

    code = "store_cut"

    def __init__(self, what: str, *, salvageable: bool, **told: Unpack[ErrorFields]) -> None:
        super().__init__(what, **told)
        self.salvageable = salvageable


class WrongKey(StoreUnusable):
    """The file is encrypted (or not a database at all) and the key does not open it."""

    code = "wrong_key"


class NoKey(StoreUnusable):
    """A key is needed and none is available, or others could read the one there is."""

    code = "no_key"


class NewerStore(StoreUnusable):
    """The file's schema is newer than this program."""

    code = "newer_store"


class ModelUnusable(MemcliError):
    """The embedding model is missing, refused, or not the one that filled the store."""

    code = "model_unusable"
    exit_status = 5


class LlmFailed(MemcliError):
    """An LLM gave no usable answer; nothing was changed.

    `tokens_out` is the approximate length of what it said all the same.
    """

    code = "llm_failed"
    exit_status = 5

    def __init__(self, what: str, tokens_out: int = 0, **told: Unpack[ErrorFields]) -> None:
        super().__init__(what, **told)
        self.tokens_out = tokens_out


class AnswerRejected(LlmFailed):
    """An LLM answered twice, and neither answer keeps to its contract; the message says why.

    `claims` are the claims of the last answer, each with the reason against it.
    """

    code = "answer_rejected"

    def __init__(self, what: str, claims: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(what)
        self.claims = claims


class LimitReached(LlmFailed):
    """A limit set by the owner is reached; the LLM itself is fine."""

    code = "limit_reached"


class OutOfTime(LimitReached):
    """A question was not asked, or its answer not waited for, because the time limit is reached."""

    code = "time_spent"


class OutOfTokens(LimitReached):
    """A question was not asked, because it would exceed the limit of tokens."""

    code = "tokens_spent"
