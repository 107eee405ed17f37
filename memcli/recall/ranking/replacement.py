"""Whether one memory may give what another says another value, and whether a judge said that it does."""

from memcli.model import UPDATE_OF, Memory, is_statement, judged_likely

# So likely is the older said to be updated: as its owner is told when the newer is written (`judge_update`).
SAID = 0.47


def is_told(newer: Memory, older: str) -> bool:
    """Whether a memory was likely enough judged an update of another, by id, for this to be said."""
    return judged_likely(newer, f"{UPDATE_OF}{older}") >= SAID


def may_replace(new: Memory, old: Memory) -> bool:
    """Whether a memory may give what another says another value at all, whatever both say."""
    return (
        new.happened_at > old.happened_at
        and is_statement(old)
        # How something is done is no value of anything but of how it was.
        and (new.kind == "procedure") is (old.kind == "procedure")
        # What an untrusted source says never weakens what a trusted one said.
        and (new.trusted or not old.trusted)
        and new.space == old.space
    )
