"""Blocks: small labelled texts with a size limit that are part of every context.

Who the owner is, how they like things done, what an agent is here for. The last few texts of a block are
kept, a deleted block's too, so that a mistake can be seen and taken back; `erase_block` leaves nothing.
"""

from __future__ import annotations

import shlex
from datetime import datetime
from typing import Any

from memcli.doors import BLOCK, Deed
from memcli.errors import BadInput, NotFound
from memcli.messages import Command, message
from memcli.model import State
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import areas, states
from memcli.text.checks import check_name, check_text
from memcli.text.printable import value_without_escapes
from memcli.times import from_iso, to_iso


class BlockVersion(NamedTuple):
    """A text that a block had, from `at` on; `text` is None if it was deleted then."""

    number: int
    at: datetime
    text: str | None

    def to_record(self) -> dict[str, Any]:
        """Return the version as JSON types."""
        return {"version": self.number, "at": to_iso(self.at), "text": self.text}


class Block(NamedTuple):
    """One block. `versions` are the kept texts, oldest first, the current one last."""

    label: str
    description: str
    max_chars: int
    created_at: datetime
    versions: tuple[BlockVersion, ...]

    @property
    def text(self) -> str | None:
        """The current text; None if it was deleted."""
        return self.versions[-1].text

    def to_record(self) -> dict[str, Any]:
        """Return the block as JSON types, without its earlier texts."""
        now = self.versions[-1]
        return {
            "label": self.label,
            "text": now.text,
            "description": self.description,
            "chars": len(now.text or ""),
            "max_chars": self.max_chars,
            "version": now.number,
            "created_at": to_iso(self.created_at),
            "updated_at": to_iso(now.at),
        }


def blocks(scope: Scope, *, deleted: bool = False) -> list[Block]:
    """Return the blocks of the space by label; with `deleted` including deleted ones."""
    found = [_from_state(state) for state in scope.store.states((scope.space,), areas.BLOCK.name)]
    return [block for block in found if deleted or block.text is not None]


def find_block(scope: Scope, label: str, *, deleted: bool = False) -> Block:
    """Return the block with that label, a deleted one only with `deleted`; raise NotFound if none."""
    label = check_name("label", label)
    block = _block(scope, label)
    if block is None:
        from memcli.text.spelling import did_you_mean

        meant = did_you_mean(label, (each.label for each in blocks(scope, deleted=True)))
        raise NotFound(
            f"no block {label!r} in space {scope.space!r}",
            advice=meant,
            by_hand=message(Command("block list"), " shows all"),
        )
    if block.text is None and not deleted:
        raise NotFound(
            f"block {label!r} was deleted", by_hand=message(Command("block restore"), " brings it back")
        )
    return block


def put_block(
    scope: Scope,
    label: str,
    text: str | None,
    *,
    append: bool = False,
    max_chars: int | None = None,
    description: str | None = None,
) -> Block:
    """Set a block's text, or with `append` add a line to it; created if there is none.

    None leaves a text, limit or description as it is. Raises BadInput, and changes nothing, if the text
    would exceed the limit, in characters; Refused for an untrusted origin (blocks are always trusted), for
    a secret, and if the new text is memcli's own output.
    """
    from memcli.text.secrets.redaction import refuse_secrets

    scope.require(BLOCK, Deed.CHANGE, f"block {label!r:.60}")
    label = check_name("label", label)
    text, description = value_without_escapes([text, description])
    with scope.store.writing():
        here = _block(scope, label)
        before = here.text if here else None
        if text is None and before is None:
            raise BadInput(f"block {label!r} is not there yet; give it a text")
        whole = f"{before}\n{text}" if append and before and text is not None else text or before or ""
        for each in (whole, text if append and text is not None else whole):
            check_text(each, scope.config["max_text"])
        cap = max_chars or (here.max_chars if here else scope.config["block_max_chars"])
        if len(whole) > cap:
            raise BadInput(
                f"block {label!r} would have {len(whole):,} characters, its cap is {cap:,}",
                advice="shorten it",
                by_hand=message(
                    Command(f"block set {shlex.quote(label)} --max-chars {len(whole)}"), " raises it"
                )
                if here
                else "--max-chars raises it",
            )
        if whole != before:
            refuse_secrets(whole, f"block {label!r}")
        # An earlier text of the block is accepted unchecked.
        if text is not None and text not in {each.text for each in (here.versions if here else ())}:
            _refuse_own_words(scope, text, label)
        refuse_secrets(f"{label}\n{description or ''}", "the block's label or description")
        now = scope.now()
        block = Block(
            label=label,
            description=(here.description if here else "") if description is None else description,
            max_chars=cap,
            created_at=here.created_at if here else now,
            versions=here.versions if here else (),
        )
        if whole != before:
            block = _with_version(scope, block, whole, now)
        _write(scope, block, now)
    return block


def delete_block(scope: Scope, label: str) -> Block:
    """Take a block out of use; `restore_block` restores it. Raises NotFound, Refused."""
    scope.require(BLOCK, Deed.END, f"block {label!r:.60}")
    with scope.store.writing():
        now = scope.now()
        block = _with_version(scope, find_block(scope, label), None, now)
        _write(scope, block, now)
    return block


def restore_block(scope: Scope, label: str, version: int | None = None) -> Block:
    """Give a block an earlier text again: that version's, or the last one before the current.

    Raises NotFound if there is no such block or version.
    """
    with scope.store.writing():
        block = find_block(scope, label, deleted=True)
        for earlier in reversed(block.versions[:-1]):
            if earlier.text is not None and version in (None, earlier.number):
                return put_block(scope, label, earlier.text)
    kept = ", ".join(str(each.number) for each in block.versions[:-1] if each.text is not None)
    wanted = "earlier text" if version is None else f"earlier version {version}"
    raise NotFound(f"block {block.label!r} has no {wanted}; kept are {kept or 'none'}")


def erase_block(scope: Scope, label: str) -> None:
    """Delete a block with all its texts, for good. Raises NotFound, Refused."""
    scope.require(BLOCK, Deed.ERASE, f"block {label!r:.60}")
    with scope.store.writing():
        block = find_block(scope, label, deleted=True)
        scope.store.drop_state(scope.space, areas.BLOCK.name, block.label)


def _refuse_own_words(scope: Scope, text: str, label: str) -> None:
    from memcli.prompt.traces import may_echo

    if may_echo(text):
        from memcli.write_policy.own_words import refuse_own_words

        refuse_own_words(scope, text, f"block {label!r:.60}")


def _with_version(scope: Scope, block: Block, text: str | None, now: datetime) -> Block:
    number = block.versions[-1].number + 1 if block.versions else 1
    versions = (*block.versions, BlockVersion(number, now, text))
    return block._replace(versions=versions[-scope.config["block_versions"] - 1 :])


def _block(scope: Scope, label: str) -> Block | None:
    state = states.read_state(scope.store, scope.space, areas.BLOCK.name, label)
    return _from_state(state) if state else None


def _from_state(state: State) -> Block:
    value = state.value
    return Block(
        label=state.key,
        description=value["description"],
        max_chars=value["max_chars"],
        created_at=state.created_at,
        versions=tuple(
            BlockVersion(each["version"], from_iso(each["at"]), each["text"]) for each in value["versions"]
        ),
    )


def _write(scope: Scope, block: Block, now: datetime) -> None:
    value = {
        "description": block.description,
        "max_chars": block.max_chars,
        "versions": [each.to_record() for each in block.versions],
    }
    states.write_state(scope.store, scope.space, areas.BLOCK.name, block.label, value, now)
