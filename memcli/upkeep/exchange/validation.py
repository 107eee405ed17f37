"""Validation of an export's records: memories by field; links, keyed values and history also by policy.

Memories pass the gate afterwards; everything else is decided on here by the same rules: no secret comes in
(unless forced; with `redact` it is removed), nor what was erased for good, and an untrusted source cannot
change what is the owner's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.errors import Refused
from memcli.memory_data import is_forced_past_secrets
from memcli.model import EVERYWHERE, Event, Link, Memory, State, memory_from_record
from memcli.storage import areas
from memcli.storage.records import check_event, check_link, check_memory, check_state
from memcli.text.checks import check_text
from memcli.text.secrets.redaction import (
    keyed_texts_of_value,
    refuse_secret_names,
    secrets_in_value,
    without_secrets,
)
from memcli.upkeep.exchange.links_and_states import as_json
from memcli.write_policy.forgotten_texts import FORGOTTEN_KEY, foreign_key_name
from memcli.write_policy.forgotten_traces import thing_address
from memcli.write_policy.owner_rules import rule_from_record
from memcli.write_policy.reader import StoreReader
from memcli.write_policy.settings import WriteOptions

FORCE = "--force takes it in"


def checked_memory(record: dict[str, Any], max_text: int) -> Memory:
    """Return the memory of an exported record, unchanged.

    Raises BadInput, naming the field, for anything that this store could not hold.
    """
    check_memory(record, "")
    check_text(record["text"], max_text)
    return memory_from_record(record)


def check_link_or_state(noun: Link | State) -> None:
    """Raise BadInput, naming the field, for a link or keyed value that cannot be read later."""
    (check_link if isinstance(noun, Link) else check_state)(as_json(noun._asdict()))


def check_line_of_history(record: dict[str, Any]) -> None:
    """Raise BadInput, naming the field, for a history line (JSON types) that cannot be stored or undone."""
    check_event(record)


class ImportGate:
    """Decides on records other than memories, once their shape is checked; raises Refused.

    `by_force` is how a refusal names --force, empty for whoever may not use it.
    """

    def __init__(
        self,
        options: WriteOptions,
        reader: StoreReader,
        *,
        trusted: bool,
        origin: str,
        by_force: str = FORCE,
    ) -> None:
        self._by_force = by_force
        self._options = options
        self._reader = reader
        self._trusted = trusted
        self._origin = origin
        self._overridden: set[str] = set()

    def memory(self, memory: Memory) -> None:
        """Refuse a memory that was erased; its text is judged by the gate."""
        self._refuse_erased("this memory", "memory", memory.id)

    def link(self, link: Link) -> Link:
        """Return a link as it may come in; one of an untrusted source with its origin.

        Erased evidence is removed; a link that had no other is refused.
        """
        from memcli.graph.links import evidence_of, link_statement, resting_only_on

        self._refuse_erased("this link", "link", link.id)
        told = evidence_of(link)
        left = [each for each in told if not self._was_erased("memory", each)]
        if told and not left:
            raise Refused("what this link rests on was forgotten for good", rule="forgotten")
        link = resting_only_on(link, left) if len(left) < len(told) else link
        # "db password x" is a secret only as a whole, so redacting single names would not help.
        spoken = link_statement(link).replace("_", " ")
        names = [link.subject, link.relation, link.object]
        refuse_secret_names([link.space], "the space")
        self._refuse_secret_labels("the link", [link.id, link.evidence])
        if secrets_in_value(spoken) and not secrets_in_value(names):
            self._refuse_unless_forced("the link", spoken)
        kept = self.cleaned("the link", [*names, link.data])
        data = kept[3] if self._trusted else {**kept[3], "origin": self._origin}
        return link._replace(subject=kept[0], relation=kept[1], object=kept[2], data=data)

    def state(self, state: State, own_key: str | None) -> State:
        """Return a keyed value as it may come in; `own_key` is this store's hash key for erasures.

        Only a trusted source may bring them: blocks, rules, tasks, checkpoints and session state are the
        owner's.
        """
        if not self._trusted:
            raise Refused(
                f"{state.area} {state.key!r:.40}: saved states come from their owner, and this from an "
                "untrusted place",
                rule="untrusted-origin",
            )
        if state.area == areas.WRITE_RULES.name and state.value:
            rule_from_record({"name": state.key, **state.value})
        if not areas.area_named(state.area).travels:
            raise Refused(f"{state.area:.40}: it belongs to the store that noted it", rule="own-store")
        if (state.space, state.area) == (EVERYWHERE, areas.FORGOTTEN_TRACE.name):
            return state
        erased_at = self._reader.traces.erased_at(thing_address(state.space, state.area, state.key))
        if erased_at and state.updated_at <= erased_at and not self._options.force:
            raise Refused(
                f"this {state.area:.40} was forgotten for good", rule="forgotten", by_hand=self._by_force
            )
        if (state.space, state.area) == (EVERYWHERE, areas.FORGOTTEN.name):
            # Two stores have two keys: both are kept, so that what either erased stays erased.
            other = state.key == FORGOTTEN_KEY and own_key not in (None, state.value)
            return state._replace(key=foreign_key_name(state.value)) if other else state
        self._refuse_secret_labels("the space or area", [state.space, state.area])
        [key], value = self.cleaned(f"the {state.area:.40}", [[state.key], state.value])
        return state._replace(key=key, value=value)

    def event(self, event: Event) -> Event:
        """Return a history line as it may come in. A text forced in at its source may hold a secret."""
        if not self._trusted:
            raise Refused(
                "history comes from its owner, and this from an untrusted place", "untrusted-origin"
            )
        self._refuse_erased("a memory of this line of history", "memory", event.memory)
        data = (event.after or {}).get("data")
        if isinstance(data, dict) and is_forced_past_secrets(data):
            self._overridden.add(event.memory)
        if event.memory in self._overridden:
            return event
        self._refuse_secret_labels("the line of history", [event.action, event.actor, event.change])
        [reason] = self.cleaned("the line of history", [event.reason])
        before, after = self._fields(event.before), self._fields(event.after)
        return event._replace(reason=reason, before=before, after=after)

    def _fields(self, fields: dict[str, Any] | None) -> dict[str, Any] | None:
        """Return the cleaned fields of a memory in a history line; names in them may look random."""
        if fields is None:
            return None
        texts = {name: fields[name] for name in ("text", "ended_why", "data") if fields.get(name)}
        [cleaned] = self.cleaned("the line of history", [list(texts.values())])
        if not self._options.force:
            said = [fields.get(name) for name in ("session", "space", "origin")]
            said += fields.get("tags") or []
            names = [name for name in said if isinstance(name, str)]
            self._refuse_secret_labels("the line of history", names)
            self._refuse_quotes("the line of history", names)
        return {**fields, **dict(zip(texts, cleaned, strict=True))}

    def cleaned(self, what: str, values: list[Any]) -> list[Any]:
        """Return JSON values as they may come in; `what` names them in messages. Raises Refused."""
        if not self._options.force:
            self._refuse_quotes(what, list(keyed_texts_of_value(values)))
        if self._options.redact:
            cleaned: list[Any] = without_secrets(values)
            return cleaned
        self._refuse_unless_forced(what, values)
        return values

    def _refuse_secret_labels(self, what: str, labels: Sequence[str | None]) -> None:
        """Refuse secrets in ids and names: nothing can be cut out of these, so `redact` does not help."""
        if not self._options.force:
            refuse_secret_names([each for each in labels if each], what)

    def _refuse_quotes(self, what: str, texts: list[str]) -> None:
        if any(map(self._reader.was_forgotten, texts)) or self._reader.quotes_forgotten(texts):
            raise Refused(
                f"{what} quotes or names what was forgotten for good",
                rule="forgotten",
                by_hand=self._by_force,
            )

    def _was_erased(self, *address: str) -> bool:
        return not self._options.force and self._reader.traces.erased_at(thing_address(*address)) is not None

    def _refuse_erased(self, what: str, *address: str) -> None:
        if self._was_erased(*address):
            raise Refused(f"{what} was forgotten for good", rule="forgotten", by_hand=self._by_force)

    def _refuse_unless_forced(self, what: str, value: Any) -> None:
        if not self._options.force and (found := secrets_in_value(value)):
            names = ", ".join(dict.fromkeys(each.name for each in found))
            raise Refused(
                f"{what} holds a secret ({names})",
                by_hand="; ".join(filter(None, ("--redact keeps the rest", self._by_force))),
                rule=f"secret:{found[0].rule}",
            )
