"""Forgetting: soft and restorable, or erased from every byte with a receipt that is true."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest

from memcli.changes import revision
from memcli.changes.forgetting.receipt import ErasureReceipt
from memcli.changes.forgetting.selection import choose_memories, preview_code
from memcli.changes.forgetting.snapshot import Snapshot
from memcli.changes.forgetting.targets import Targets, find_targets
from memcli.changes.forgetting.unfinished import finish_erasure, is_unfinished, what_is_left
from memcli.errors import BadInput, ErasureUnfinished, NotFound
from memcli.graph.link_changes import link_entities
from memcli.memories import Memories
from memcli.model import Filter, Link, State
from memcli.recall.results import CLEAR_SCORE
from memcli.storage import areas
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run, TickingClock, make_memories
from tests.erasure import erase_memories

BY_WORDS = "searched by words only: no model 'no-such-model'"
ALL = Filter(spaces=None, live=False)
SECRETIVE = "Quentin's zanzibarian wedding happened in Ouagadougou"
WORDS = ("zanzibar", "nzibarian", "uagadougou", "Quentin", "quentin")


def bytes_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file())


def filled(memories: Memories) -> None:
    for n in range(60):
        memories.remember(
            Draft(text=f"note {n} about {['cats', 'dogs', 'cows', 'hens'][n % 4]} and wedding cakes {n}")
        )


def test_nothing_is_left_in_any_file_or_index(memories: Memories, own_home: Path) -> None:
    filled(memories)
    kept = memories.remember(Draft(text=SECRETIVE, tags=("zanzibar",)))
    vector = memories.store.vectors(list(memories.store.refs_by_id([kept.id]).values()))
    [[window]] = vector.values()
    revision.edit_memory(memories, kept, tags=["zanzibari"], reason="because")
    receipt = erase_memories(memories, [memories.find(kept.id)])
    assert receipt.verified and receipt.memories == [kept.id] and not receipt.traces
    assert receipt.rows["memories"] == receipt.rows["vectors"] == 1 and receipt.rows["history"] == 2
    files = b"".join(file.read_bytes() for file in own_home.glob("memory.db*"))
    for word in WORDS:
        assert word.encode() not in files, word
    assert window[:64] not in files and b"wedding" in files
    with sqlite3.connect(own_home / "memory.db") as plain:
        terms = {row[0] for row in plain.execute("SELECT term FROM word_counts")}
    assert not {term for term in terms if term.startswith(("zanz", "ouaga", "quent"))}
    with pytest.raises(NotFound):
        memories.find(kept.id)
    [event] = memories.store.history(kept.id)
    assert (event.action, event.before, list(event.after or ())) == ("erase", None, ["space_hash"])


def test_an_older_state_kept_open_by_nobody_is_not_in_the_log(memories: Memories, own_home: Path) -> None:
    """The write-ahead log held the text; it is truncated."""
    kept = memories.remember(SECRETIVE)
    assert b"zanzibarian" in b"".join(file.read_bytes() for file in own_home.glob("memory.db*"))
    erase_memories(memories, [kept])
    assert b"zanzibarian" not in b"".join(file.read_bytes() for file in own_home.glob("memory.db*"))


def test_versions_quotes_links_states_and_logs_go_too(memories: Memories, own_home: Path) -> None:
    old = memories.remember(SECRETIVE)
    new = revision.correct_memory(memories, old, "The zanzibarian wedding was in Lome", WriteOptions()).memory
    summary = memories.remember(
        Draft(
            text=f"Summary. {new.text}. They danced.",
            kind="episode",
            data={"cites": [new.id], "role": "summary"},
        )
    )
    judged = memories.remember(Draft(text="Somebody married", data={"cites": [new.id]}))
    now = memories.now()
    link = Link(
        memories.new_id(now), "default", "Q", "married_in", "Lome", new.id, 1.0, None, None, now, None, {}
    )
    memories.store.put_links([link])
    memories.store.put_state(State("default", areas.RECALL_LOG.name, "k", {"hits": {new.id: 1}}, 1, now, now))
    memories.store.put_state(State("default", "held", "h", {"memory": {"text": new.text}}, 1, now, now))
    memories.store.put_state(State("default", "task", "t", {"goal": "bake"}, 1, now, now))
    receipt = erase_memories(memories, [new], reason="the zanzibarian wedding is off")
    assert receipt.earlier_versions == [old.id] and receipt.derived == [summary.id]
    assert sorted(receipt.states) == ["held/h", f"{areas.RECALL_LOG.name}/k"] and receipt.rows["links"] == 1
    assert receipt.verified
    files = b"".join(file.read_bytes() for file in own_home.glob("memory.db*"))
    assert b"zanzibarian" not in files and memories.find(judged.id)


def test_a_link_with_other_evidence_rests_on_that(memories: Memories) -> None:
    one, two = memories.remember("Ann works at Acme"), memories.remember("Bob says that Ann is at Acme")
    link_entities(memories, "Ann", "works_at", "Acme", evidence=one)
    link_entities(memories, "Ann", "works_at", "Acme", evidence=two)
    erase_memories(memories, [one])
    [kept] = memories.store.links()
    assert kept.evidence == two.id and one.id not in str(kept)
    erase_memories(memories, [two])
    assert not list(memories.store.links())


def test_what_others_say_too_stays_and_is_named(memories: Memories) -> None:
    one = memories.remember("Ann's birthday is in May")
    two = memories.remember(Draft(text="Ann's birthday is in May", space="work"))
    receipt = erase_memories(memories, [one])
    assert receipt.shared == [] and receipt.shared_outside and receipt.verified
    assert memories.store.get([two.id]) == [two]


def test_a_lie_in_the_receipt_would_be_found(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check looks for itself: with the cleaning taken out it finds what was left."""
    filled(memories)
    kept = memories.remember(SECRETIVE)
    monkeypatch.setattr(memories.store, "scrub", lambda thoroughly=False, patience=None: None)
    receipt = erase_memories(memories, [kept])
    assert not receipt.verified and receipt.traces


def test_backups_are_erased_too(memories: Memories, own_home: Path) -> None:
    from memcli.storage.sqlite.file.database_file import back_up

    kept = memories.remember(SECRETIVE)
    other = memories.remember("the cat is black")
    backup = own_home / "memory.db.before-schema-2.77"
    back_up(memories.store._db, backup)  # type: ignore[attr-defined]
    assert b"zanzibarian" in backup.read_bytes()
    broken = own_home / "memory.db.before-schema-2.78"
    broken.write_bytes(b"no database at all" * 100)
    receipt = erase_memories(memories, [kept])
    assert receipt.backups[str(backup)] == "erased" and b"zanzibarian" not in backup.read_bytes()
    assert "not a memcli store" in receipt.backups[str(broken)] and not receipt.verified
    with sqlite3.connect(backup) as plain:
        assert plain.execute("SELECT id FROM memories").fetchall() == [(other.id,)]


@pytest.mark.parametrize(
    "text", ['with "quotes" and \\ and\nlines', "只有中文的秘密记忆在这里", "x", "é" * 9000, "🙂🙃"]
)
def test_any_text_can_be_erased(memories: Memories, own_home: Path, text: str) -> None:
    filled(memories)
    receipt = erase_memories(
        memories,
        [admit_drafts(memories, memories.model, [Draft(text=text)], WriteOptions(force=True))[0].memory],
    )
    assert receipt.verified, receipt.traces


def test_what_is_chosen(memories: Memories) -> None:
    one = memories.remember(Draft(text="the cat is black", tags=("pets",)))
    two = memories.remember(Draft(text="Bob plays chess", kind="preference"))
    assert choose_memories(memories, memories.within(), [one.id, one.id[-8:]]) == [one]
    assert choose_memories(memories, memories.within(tags=("pets",))) == [one]
    assert choose_memories(memories, memories.within(), query="who plays chess") == [two]
    assert choose_memories(memories, memories.within()) == [one, two]
    assert (
        preview_code(Targets([one, two])) == preview_code(Targets([two, one])) != preview_code(Targets([one]))
    )
    assert choose_memories(memories, memories.within()._replace(spaces=("work",))) == []


def test_a_query_chooses_what_reaches_just_the_least_score_and_nothing_below_it(
    own_home: Path, clock: TickingClock
) -> None:
    path, query = own_home / "memory.db", "who plays chess"
    with make_memories(path, clock) as memories:
        kept = memories.remember("Bob plays chess")
        [hit] = memories.recall(query).hits
    assert hit.score >= CLEAR_SCORE
    for least, chosen in ((hit.score, [kept.id]), (hit.score + 1e-6, [])):
        with make_memories(path, clock, settings={"min_score": repr(least)}) as memories:
            assert [m.id for m in choose_memories(memories, memories.within(), query=query)] == chosen


# By hand


def test_a_receipt_by_hand(mem: Run) -> None:
    ident = mem("remember", SECRETIVE).stdout.strip()
    keep = mem("remember", "the cat is black").stdout.strip()
    done = mem("forget", ident, "--hard", "--json")
    receipt = json.loads(done.stdout)
    assert done.returncode == 0 and receipt["erased"] == [ident] and receipt["verified"]
    assert not re.search("zanzibar|Quentin", done.stdout)
    assert mem("remember", SECRETIVE).returncode == 3
    assert mem("remember", "--force", SECRETIVE).returncode == 0
    assert mem("undo", json.loads(mem("history", ident, "--json").stdout)["change"]).returncode == 3
    assert mem("list", "--json").stdout.count(keep) == 1


def test_a_query_forgets_no_newer_value_that_merely_came_along(mem: Run) -> None:
    old = mem("remember", "Our CI runs on Jenkins").stdout.strip()
    new = mem("remember", "Moved CI to GitHub Actions last week").stdout.strip()
    shown = map(json.loads, mem("recall", "where does CI run", "--json").stdout.splitlines())
    assert [each["id"] for each in shown] == [new, old]
    assert mem("forget", "--query", "where does CI run", "--yes").stdout.split() == [old]


def test_selecting_by_hand(mem: Run) -> None:
    mem("remember", "the cat is black", "-t", "pets")
    mem("remember", "the dog is white", "-t", "pets")
    mem("remember", "Bob plays chess")
    assert mem("forget").returncode == 2 and mem("forget", "--tag", "none").returncode == 1
    dry = mem("forget", "--query", "a pet cat", "--dry-run")
    code = re.search(r"--preview (\w{8})", dry.stderr)
    assert code and mem("list").stdout.count("\n") == 3
    assert mem("forget", "--query", "a pet cat").returncode == 2
    assert mem("forget", "--query", "a pet cat", "--preview", "00000000").returncode == 2
    gone = mem("forget", "--query", "a pet cat", "--preview", code[1]).stdout.split()
    assert [each[-8:] for each in gone] == [line[:8] for line in dry.stdout.splitlines()]
    assert mem("forget", "--all").returncode == 2
    assert mem("forget", "--tag", "pets", "--hard", "--yes").returncode == 0
    assert "Bob" in mem("list", "--ended").stdout and "dog" not in mem("list", "--ended").stdout
    assert mem("forget", "--all", "--yes").returncode == 0
    assert mem("restore", json.loads(mem("list", "--ended", "--json").stdout)["id"]).returncode == 0


def test_a_reader_of_an_older_state_holds_the_receipt_up(own_home: Path) -> None:
    from memcli.storage.stores import open_store
    from tests.conftest import TickingClock

    path = own_home / "busy.db"
    with make_memories(path, TickingClock()) as memories:
        kept = memories.remember(SECRETIVE)
        memories.store._run("PRAGMA busy_timeout = 100")  # type: ignore[attr-defined]
        memories.remember("the cat is black")
        reader = open_store(path)
        reading = reader.select(ALL)
        next(reading)
        [why] = erase_memories(memories, [kept]).unfinished
        assert "reading an older state" in why and what_is_left(memories) == [why]
        with pytest.raises(ErasureUnfinished, match="older state"):
            finish_erasure(memories)
        reading.close()  # type: ignore[attr-defined]
        reader.close()
        assert is_unfinished(memories)
        assert finish_erasure(memories) and not finish_erasure(memories)
        assert not is_unfinished(memories)
        assert b"zanzibarian" not in b"".join(file.read_bytes() for file in own_home.glob("busy.db*"))


def test_bad_selections_are_told(memories: Memories) -> None:
    with pytest.raises(NotFound):
        choose_memories(memories, memories.within(), ["ZZZZ"])
    with pytest.raises(BadInput):
        choose_memories(memories, memories.within(), query="  ")
    assert ErasureReceipt(memories=[]).verified


def test_a_link_is_targeted_by_its_beginning_or_its_end(memories: Memories) -> None:
    link = link_entities(memories, "Ann", "works_at", "Acme").link
    for part in (link.id, link.id[:20], link.id[-8:]):
        for named in (part, f"link/{part}"):
            found = find_targets(memories, [named])
            assert found.links == {link.id} and not found.memories
    with pytest.raises(NotFound):
        find_targets(memories, [f"link/{link.id[4:12]}"])


def test_any_one_thing_is_something_to_erase(memories: Memories) -> None:
    kept = memories.remember("the cat is black")
    assert Targets([kept]) and Targets(links=frozenset({"x"}))
    assert Targets(values=frozenset({("default", "task", "t")})) and not Targets()


def test_what_was_written_since_it_was_read_is_in_what_an_erasure_is_planned_from(memories: Memories) -> None:
    kept = memories.remember("the cat is black")
    snapshot = Snapshot(memories.store)
    assert not snapshot.refresh()
    memories.end([kept.id], "the neighbour's cat", "forgotten")
    assert snapshot.refresh() and snapshot.memories[kept.id].ended_at
    assert [each.reason for each in snapshot.remarks.values()] == ["the neighbour's cat"]
    # And once only.
    assert not snapshot.refresh()


def test_what_a_query_selects_by_words_alone_is_told_as_recall_tells_it(
    mem: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem("remember", "the staging server listens on port 8443")
    fine = mem("forget", "--query", "staging port", "--dry-run", "--json")
    assert json.loads(fine.stdout)["degraded"] is False and "searched by" not in fine.stderr
    monkeypatch.setenv("MEMCLI_MODEL", "no-such-model")
    for words in (["--dry-run"], ["--dry-run", "--json"], ["--yes", "--json"]):
        done = mem("forget", "--query", "staging port", *words)
        assert done.returncode == 0 and BY_WORDS in done.stderr
        if "--json" in words:
            said = json.loads(done.stdout)
            assert said["degraded"] and "no-such-model" in said["degraded_reason"]
    # Where nothing fits, it may be for that; and who names ids or a tag has searched nothing.
    gone = mem("forget", "--query", "staging port", "--yes")
    assert gone.returncode == 1 and BY_WORDS in gone.stderr
    assert "searched by" not in mem("forget", "--tag", "none", "--yes").stderr


@pytest.mark.parametrize("hard", [[], ["--hard"]])
def test_a_preview_forgets_what_it_showed_and_nothing_that_was_added_since(mem: Run, hard: list[str]) -> None:
    first = mem("remember", "the cat is black").stdout.strip()
    second = mem("remember", "the dog is old").stdout.strip()
    dry = mem("forget", "--all", "--dry-run", *hard).stderr
    code = dry.split("--preview ")[1].strip()
    third = mem("remember", "the gate is green").stdout.strip()
    done = mem("forget", "--all", "--preview", code, *hard)
    assert (
        done.returncode == 0 and first in done.stdout and second in done.stdout and third not in done.stdout
    )
    assert "1 memory added since the preview: left as it is" in done.stderr
    assert mem("list", "--format", "ids").stdout.split() == [third]
    # What it showed is not there any more: that is another selection.
    assert mem("forget", "--all", "--preview", code, *hard).returncode == 2
