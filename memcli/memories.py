"""Memories: the facade of a store for commands, servers and libraries: open, write by the policy, recall."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from memcli import times
from memcli.config.config import Config
from memcli.config.location import Location, read_location
from memcli.errors import BadInput, ModelUnusable, StoreUnusable
from memcli.model import Change, Ending, Filter, Memory, without_lapsed_end
from memcli.recall import session_and_task
from memcli.scope import Scope, distrusts
from memcli.storage import Store
from memcli.storage.stores import open_store

if TYPE_CHECKING:
    from memcli.embedding import Embedder
    from memcli.embedding.bound_model import BoundModel
    from memcli.recall.results import RankingSettings, Recall
    from memcli.recall.scoring import SecondLook
    from memcli.write_policy.decision import Decision
    from memcli.write_policy.drafts import Draft


def open_memories(
    path: str | Location | None = None,
    *,
    space: str | None = None,
    config: Config | None = None,
    create: bool = True,
    notify: Callable[[str], None] = lambda line: None,
    force: bool = False,
) -> Memories:
    """Open the store at `path`, a file or an address, else the configured one.

    `notify` gets a line if something takes long, falls back, or is skipped. With `force`, a store that was
    found damaged is written all the same, except by an untrusted origin. Raises StoreUnusable; with
    `create=False`, NotFound if there is no store.
    """
    config = config or Config()
    if space is not None:
        from memcli.text.checks import check_space

        space = check_space(space)
    location = (read_location(path) if isinstance(path, str | Path) else path) or config["db"]
    force = force and not distrusts(config, config["origin"])
    store = open_store(location, create=create, busy_timeout=config["busy_timeout"], force=force)
    space = _stored_spelling(store, space or config["space"])

    def embedder(name: str) -> Embedder:
        from memcli.embedding import open_embedder

        return open_embedder(name, config["cache_dir"], notify)

    again = _second_look(config, notify)
    return Memories(store, config, embedder, space=space, second_look=again, notify=notify)


def _stored_spelling(store: Store, space: str) -> str:
    """Return a space's name in NFC, or in NFD if only that exists, stored by an older version."""
    if space.isascii():
        return space
    from memcli.storage.lookup import is_in_use
    from memcli.text.checks import spellings

    names = spellings(space)
    return next((each for each in names if is_in_use(store, each)), names[0])


def _second_look(config: Config, notify: Callable[[str], None]) -> SecondLook | None:
    """Return the reranker for the top of a ranking, if one is configured; if it fails, one line says so."""
    name = config["rerank"]
    if not name:
        return None
    failed = False

    def scores(question: str, texts: Sequence[str]) -> list[float] | None:
        nonlocal failed
        from memcli.embedding.cross_encoder import open_cross_encoder

        if failed:
            return None
        try:
            return open_cross_encoder(name, config["cache_dir"], notify).scores(question, texts)
        except ModelUnusable as error:
            failed = True
            notify(f"warning: the cross-encoder did not reorder the results: {error}")
            return None

    return scores


class Memories(Scope):
    """A scope with a model: writing by the policy, and recall. Close it, or use `with`."""

    def __init__(
        self,
        store: Store,
        config: Config,
        open_model: Callable[[str], Embedder],
        *,
        space: str = "default",
        clock: times.Clock = times.now,
        new_id: Callable[[datetime], str] | None = None,
        second_look: SecondLook | None = None,
        notify: Callable[[str], None] = lambda line: None,
    ) -> None:
        super().__init__(store, config, space=space, clock=clock, new_id=new_id)
        self._second_look = second_look
        self._notify = notify
        self._open_model = open_model
        # At most one; shared with the copies made by `_with`.
        self._bound: list[BoundModel] = []

    def __enter__(self) -> Memories:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    @property
    def model(self) -> BoundModel:
        """Return the model that computes the store's vectors, opened on first use."""
        if not self._bound:
            from memcli.embedding.bound_model import BoundModel

            self._bound.append(BoundModel(self.store, self.config, self._open_model))
        return self._bound[0]

    @property
    def count_tokens(self) -> Callable[[str], int] | None:
        """Return a function that counts tokens by the model's tokenizer if it is loaded; else None."""
        return self._bound[0].count_tokens if self._bound else None

    def on(self, store: Store) -> Self:
        """Return these memories on another view of their store, such as an earlier state."""
        return self if store is self.store else self._with(store=store, _bound=[])

    # Writing

    def remember(self, draft: Draft | str) -> Memory:
        """Keep one memory and return it; or the known one that says the same, or the one held for review.

        Raises Refused if the write policy refuses it, BadInput, ModelUnusable, StoreUnusable.
        """
        from memcli.write_policy.drafts import Draft

        return self.remember_all([Draft(text=draft) if isinstance(draft, str) else draft])[0]

    def remember_all(self, drafts: Sequence[Draft]) -> list[Memory]:
        """Keep memories in one transaction: all of them or, on any error or refusal, none."""
        from memcli.write_policy.admission import admit_drafts

        def check(decisions: Sequence[Decision]) -> None:
            for decision in decisions:
                decision.check()

        return [each.memory for each in admit_drafts(self, self.model, drafts, then=check)]

    def end(
        self,
        memory_ids: Sequence[str],
        why: str,
        how: Ending = "forgotten",
        replaced_by: str | None = None,
    ) -> list[Memory]:
        """Forget memories softly: out of every recall, restorable. Ended ones are left as they are."""
        fields = {"ended_at": self.now(), "ended_as": how, "ended_why": why, "replaced_by": replaced_by}
        return self._amend(memory_ids, self.change("end", why), **fields)

    def restore(self, memory_ids: Sequence[str]) -> list[Memory]:
        """Restore ended memories, and expired ones; a time to live or validity that has passed is lifted."""
        fields = dict.fromkeys(("ended_at", "ended_as", "ended_why", "replaced_by"))
        return self._amend(memory_ids, self.change("restore"), **fields)

    def _amend(self, memory_ids: Sequence[str], change: Change, **fields: Any) -> list[Memory]:
        now = self.now()
        with self.store.writing():
            here = self.store.get(memory_ids)
            if fields["ended_at"] is None:
                lives = [without_lapsed_end(each, now) for each in here]
                after = [new for new, old in zip(lives, here, strict=True) if old.ended_at or new is not old]
            else:
                after = [memory for memory in here if memory.ended_at is None]
            after = [replace(memory, updated_at=now, **fields) for memory in after]
            for memory in after:
                if memory.kind == "policy":
                    from memcli.doors import POLICY, Deed

                    self.require(POLICY, Deed.END, f"the policy {memory.id}")
            self.store.put(after, change, now)
        return after

    # Reading

    def recall(
        self,
        query: str,
        where: Filter | None = None,
        *,
        words_only: bool = False,
        touch: bool = True,
        settings: RankingSettings | None = None,
        explain: bool = False,
    ) -> Recall:
        """Find what answers `query`: see `memcli.recall`. Without `touch`, no use is recorded.

        An empty query asks for what there is in the time that `where` names, and raises BadInput if it names
        none; of a long query, the two ends are used.
        """
        from memcli.recall.recall import recall
        from memcli.text.printable import is_blank
        from memcli.text.question import long_question, looked_at

        if is_blank(query):
            query = ""
            if not (where and (where.since or where.until or where.past)):
                raise BadInput("the query is empty; say what to look for, or in which time")
        if "\0" in query:
            raise BadInput("the query holds a NUL byte; it is binary, not text")
        started, now = time.perf_counter(), self.now()
        left_off, query = long_question(query), looked_at(query)
        if left_off:
            self._notify(left_off)
        where = (where or self.within())._replace(at=now)
        # A query for a time alone needs no vector search.
        gap = None if words_only or not query else self.fill_gaps(where)
        answer = recall(
            self.store,
            None if words_only else self.model.open_bound,
            query.encode("utf-8", "replace").decode("utf-8"),
            where,
            now,
            settings or self.settings(),
            explain=explain,
            second_look=None if words_only else self._second_look,
        )
        if gap and answer.inquiry and answer.degraded is None:
            answer = answer._replace(degraded=gap, partly=True)
        if left_off:
            answer = answer._replace(left_off=left_off)
        if touch:
            from memcli.recall.log import note_recall

            note_recall(self, answer, time.perf_counter() - started)
        return answer

    def similar(
        self, memory: Memory, where: Filter | None = None, settings: RankingSettings | None = None
    ) -> Recall:
        """Find the memories most similar to one; no use is recorded."""
        from memcli.recall.likeness import similar_memories

        where = (where or self.within())._replace(at=self.now())
        gap = self.fill_gaps(where, memory)
        answer = similar_memories(self.store, memory, where, settings or self.settings(min_score=0.0))
        return answer._replace(degraded=gap, partly=True) if gap and not answer.degraded else answer

    def fill_gaps(self, where: Filter, first: Memory | None = None) -> str | None:
        """Before a vector search, embed a few of the texts that have no vectors yet.

        These are texts that the filter selects, and before them that of one memory. Returns why the selected
        texts are not all in the vector index; None if they are.
        """
        refs = list(self.store.refs_by_id([first.id]).values()) if first else []
        unread = [ref for ref in refs if ref not in self.store.vectors(refs)]
        if not (unread or self.store.wanting(where, 1)):
            return None
        from memcli.embedding import gaps

        wanting = list(dict.fromkeys([*unread, *self.store.wanting(where, gaps.TEXTS)]))
        with suppress(ModelUnusable, StoreUnusable):
            gaps.fill_gaps(self.store, self.model, wanting)
        return gaps.remaining_gap(self.store, where)

    def settings(self, **changes: Any) -> RankingSettings:
        """Return the ranking settings, configured and calibrated; `changes` take precedence unless None.

        With a `limit` among them, up to that many hits are shown, however far behind the best.
        """
        from memcli.recall.model_floor import floor_settings
        from memcli.recall.results import RankingSettings

        config = self.config
        chosen: dict[str, Any] = {
            "limit": config["limit"], "min_score": config["min_score"], "min_sure": config["min_sure"]
        }  # fmt: skip
        if changes.get("tasks") is None:
            chosen["tasks"] = session_and_task.task_tags(self, config["task"])
        chosen["whole"] = changes.get("limit") is not None
        bound = self.store.model()
        if bound:
            chosen |= floor_settings(self.store, bound)
        return RankingSettings(**{**chosen, **{k: v for k, v in changes.items() if v is not None}})
