"""Hard forgetting: erase memories everywhere, search every file for remains, and return a receipt.

Slow work comes before the lock: the store is read and the erasure planned while others write. The erasing
transaction only checks whether anybody has written; then the changes are read and the plan is made again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from memcli.changes.foreign_lines import note_rewritten
from memcli.changes.forgetting.erasure_plan import ErasurePlan, plan_erasure
from memcli.changes.forgetting.proof import traces_left
from memcli.changes.forgetting.receipt import ERASED, ErasureReceipt
from memcli.changes.forgetting.snapshot import Snapshot
from memcli.changes.forgetting.targets import Targets, removal_commands, value_address
from memcli.changes.forgetting.unfinished import Cleaning, clean_files, erasure_lock, record_unfinished
from memcli.changes.space_history import erasure_marks, events_in_space
from memcli.doors import MEMORY, REVIEW, Deed
from memcli.memory_data import FOLDED, without_fold
from memcli.model import Change, Memory
from memcli.scope import Scope
from memcli.storage import Store
from memcli.storage.ledger import state_key
from memcli.storage.reports import ErasedRows, Erasure

# After so many attempts overtaken by other writers, the plan is made with the lock held.
_ATTEMPTS = 5


def erase(
    scope: Scope,
    targets: Targets,
    reason: str | None = None,
    *,
    space: str | None = None,
    held: bool = False,
) -> ErasureReceipt:
    """Erase the targets from every table, index, log and copy of the store, and prove it.

    What else is erased with them is described in `memcli.changes.forgetting.erasure_plan`. The texts are
    not taken in again unless forced; an import is also refused what quotes them, names a forgotten person,
    or is the erased link or value (keyed hashes recognise these without keeping their content). With
    `space` everything in that space goes too: its memories, links and keyed values, such as blocks, tasks,
    checkpoints or logs. With `held` everything that waits for review in the current space, or was rejected
    there, goes too. Raises Refused; StoreUnusable if nothing was erased. Once the rows are gone nothing is
    raised: what is not proven gone from the files is in the receipt, and every command tries it again.
    """
    from memcli.text.secrets.redaction import refuse_secrets

    if held:
        scope.require(REVIEW, Deed.END, "forgetting all that is here, with what waits for review")
    scope.require(MEMORY, Deed.ERASE, "erasing")
    refuse_secrets(reason or "", "the reason")
    with erasure_lock(scope, patience=scope.config["busy_timeout"]):
        plan, rows = _carry_out(
            scope, lambda snapshot: plan_erasure(scope, snapshot, targets, reason, space, held=held)
        )
        cleaning = clean_files(
            scope, _from_copies(plan),
            lambda: traces_left(scope.store, plan.needles, plan.terms, thoroughly=space is not None),
        )  # fmt: skip
    return _receipt(scope, plan, rows, cleaning)


def _carry_out(
    scope: Scope, planned: Callable[[Snapshot], ErasurePlan]
) -> tuple[ErasurePlan, list[ErasedRows]]:
    """Plan without a lock and erase in one short transaction; if somebody wrote meanwhile, again."""
    store = scope.store
    snapshot = Snapshot(store)
    plan = planned(snapshot)
    for _ in range(_ATTEMPTS):
        with store.writing():
            if store.revision() == snapshot.revision:
                return plan, _erase_rows(scope, plan)
        if snapshot.refresh():
            plan = planned(snapshot)
    with store.writing():
        if snapshot.refresh():
            plan = planned(snapshot)
        return plan, _erase_rows(scope, plan)


def _erase_rows(scope: Scope, plan: ErasurePlan) -> list[ErasedRows]:
    """Write what is planned, in the caller's transaction, which reads nothing beyond the rows it rewrites."""
    store, now = scope.store, scope.now()
    change = scope.change("erase", plan.reason)
    store.drop_links([link.id for link in plan.links])
    store.drop_clocks("link", [link.id for link in plan.links])
    for state in (*plan.values.of_space, *plan.dropped):
        store.drop_state(state.space, state.area, state.key)
        # The clocks of a sync are named after the value, too.
        store.drop_clocks("state", [state_key(state.space, state.area, state.key)])
    for state in plan.values.trimmed:
        store.put_state(state.changed(state.value, now))
    store.put_links(plan.kept_links)
    # Without a change: a line of history would hold the removed reason.
    store.put(plan.cleaned_memories, None, now)
    store.rewrite_history(plan.cleaned_events)
    note_rewritten(scope, plan.cleaned_events)
    rows = store.erase(sorted(plan.doomed.ids), change, now, erasure_marks(scope, plan.doomed.all))
    _refold(scope, plan, change._replace(action="fold", reason="rebuilt"))
    record_unfinished(scope, _from_copies(plan))
    _remember(store, plan, now)
    return rows


def _remember(store: Store, plan: ErasurePlan, now: datetime) -> None:
    """Record hashes of what was erased, to recognise it later."""
    from memcli.write_policy.forgotten_texts import remember_forgotten
    from memcli.write_policy.forgotten_traces import remember_traces, thing_address

    remember_forgotten(store, plan.forgotten, now)
    values = (*plan.values.of_space, *plan.values.chosen, *plan.values.notes)
    things = [
        *(thing_address("memory", each.id) for each in plan.doomed.all),
        *(thing_address("link", each.id) for each in plan.links),
        *(thing_address(each.space, each.area, each.key) for each in values),
    ]
    remember_traces(store, now, sentences=plan.sentences, names=plan.names, things=things)


def _refold(scope: Scope, plan: ErasurePlan, change: Change) -> None:
    """Store the rebuilt summaries; turns whose summary is gone are unfolded, and do not expire."""
    now = scope.now()
    scope.store.put(plan.rebuilt.values(), change, now)
    # Read again: their use counts may have changed since the plan.
    turns = scope.store.get(list(plan.turns))
    scope.store.put([_refolded(turn, plan.turns[turn.id]) for turn in turns], change, now)
    into = {new.supersedes: new.id for new in plan.rebuilt.values() if new.supersedes}
    earlier = [each for each in scope.store.get(list(into)) if each.ended_as == "folded"]
    scope.store.put([replace(each, replaced_by=into[each.id]) for each in earlier], change, now)


def _refolded(turn: Memory, summary: str | None) -> Memory:
    if summary:
        return replace(turn, data={**turn.data, FOLDED: summary})
    return replace(turn, data=without_fold(turn), expires_at=None)


def _from_copies(plan: ErasurePlan) -> Erasure:
    return Erasure(
        ids=sorted({*plan.doomed.ids, *(link.id for link in plan.links)}),
        states=[(each.space, each.area, each.key) for each in (*plan.dropped, *plan.values.trimmed)],
        spaces=plan.spaces,
        events=plan.cleaned_events,
        links=plan.kept_links,
        memories=plan.cleaned_memories,
        texts=[*plan.forgotten, *plan.said],
    )


def _receipt(
    scope: Scope,
    plan: ErasurePlan,
    rows: Sequence[ErasedRows],
    cleaning: Cleaning,
) -> ErasureReceipt:
    return ErasureReceipt(
        memories=[each.id for each in plan.doomed.chosen],
        earlier_versions=[each.id for each in plan.doomed.earlier],
        derived=[each.id for each in plan.doomed.derived],
        rebuilt=[each.id for each in plan.rebuilt.values()],
        rows={part.part: part.rows for part in rows if part.rows},
        states=[value_address(each.area, each.key) for each in plan.values.notes],
        values=[value_address(each.area, each.key) for each in plan.values.chosen],
        reasons=list(dict.fromkeys(each.memory for each in events_in_space(scope, plan.cleaned_events))),
        links=[link.id for link in plan.links],
        space=dict(Counter(each.area for each in plan.values.of_space)),
        backups={str(copy.path): copy.error or ERASED for copy in cleaning.copies},
        checks={"texts": len(plan.texts), "words": len(plan.terms), "byte strings": len(plan.needles)},
        shared=plan.shared,
        removal=[*removal_commands(scope, plan.shared, plan.named_spaces)],
        shared_outside=plan.shared_outside,
        traces=list(cleaning.traces),
        unreached=scope.store.unreached,
        unfinished=list(cleaning.left),
    )
