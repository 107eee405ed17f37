"""Replacement: whether a newer memory may replace an older one, and whether a judge noted that it does."""

from memcli.model import UPDATE_OF, Memory, is_statement, judged_likely

# The probability of an update from which it is mentioned, here and to the owner at writing (`judge_update`).
SAID = 0.47


def is_told(newer: Memory, older: str) -> bool:
    """True if a memory was judged to update another, by id, with enough probability to be mentioned."""
    return judged_likely(newer, f"{UPDATE_OF}{older}") >= SAID


def may_replace(new: Memory, old: Memory) -> bool:
    """True if a memory may replace another at all, by time, kind, trust and space, whatever the texts say."""
    return (
        new.happened_at > old.happened_at
        and is_statement(old)
        # A procedure replaces only a procedure.
        and (new.kind == "procedure") is (old.kind == "procedure")
        # An untrusted memory never replaces a trusted one.
        and (new.trusted or not old.trusted)
        and new.space == old.space
    )
