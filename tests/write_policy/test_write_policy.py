"""The one decision point: what is taken, confirmed, held and refused, and that nothing passes beside it."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memcli.errors import BadInput, NotFound, Refused
from memcli.memories import Memories
from memcli.model import EVERYWHERE, Filter, State
from memcli.prompt.echoes import without_echoes
from memcli.recall import records
from memcli.storage import areas
from memcli.text import printable
from memcli.tiers.context.gather import gather
from memcli.upkeep.exchange.importer import Importer
from memcli.upkeep.exchange.record_reader import read_records
from memcli.write_policy import forgotten_texts, review, stored_rules
from memcli.write_policy.admission import admit, admit_drafts
from memcli.write_policy.decision import Decision
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.forgotten_texts import remember_forgotten
from memcli.write_policy.originals import StoredOriginals
from memcli.write_policy.owner_rules import OwnerRule, touches_topic
from memcli.write_policy.related.batch import RelatedInBatch
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run, TickingClock

ALL = Filter(spaces=None, live=False)
# Put together here, so that no scanner of repositories mistakes it for a real one.
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def decide(memories: Memories, text: str, how: WriteOptions | None = None, **fields: Any) -> Decision:
    return admit_drafts(memories, memories.model, [Draft(text=text, **fields)], how)[0]


def texts(memories: Memories) -> list[str]:
    return [memory.text for memory in memories.store.select(ALL, order="oldest")]


def everything_written(memories: Memories, path: Path) -> bytes:
    memories.store.scrub()
    return b"".join(file.read_bytes() for file in path.parent.iterdir() if file.is_file())


# Secrets


def test_a_secret_is_refused_and_never_reaches_the_file(memories: Memories, own_home: Path) -> None:
    decision = decide(memories, f"deploy with {TOKEN} please")
    assert (decision.action, decision.rule.split(":")[0]) == ("refuse", "secret")
    assert TOKEN not in decision.memory.text and TOKEN not in decision.reason
    with pytest.raises(Refused, match="secret"):
        memories.remember(f"deploy with {TOKEN} please")
    assert texts(memories) == []
    assert TOKEN.encode() not in everything_written(memories, own_home / "memory.db")


def test_redacting_keeps_the_rest(memories: Memories) -> None:
    decision = decide(memories, f"deploy with {TOKEN} please", WriteOptions(redact=True))
    assert decision.action == "take" and decision.memory.text.startswith("deploy with [redacted ")
    assert TOKEN not in "".join(texts(memories)) and "redacted" in decision.notes[0]


def test_force_keeps_a_secret_and_that_is_on_record(memories: Memories) -> None:
    decision = decide(memories, f"deploy with {TOKEN}", WriteOptions(force=True))
    assert decision.action == "take" and TOKEN in decision.memory.text
    [event] = memories.store.history(decision.memory.id)
    assert "forced past secret:" in (event.reason or "")
    assert decision.memory.data["overrides"][0].startswith("secret:")


def test_a_turn_is_redacted_not_refused(memories: Memories) -> None:
    decision = decide(memories, f"here it is: {TOKEN}", kind="episode", session="s", data={"role": "user"})
    assert decision.action == "take" and TOKEN not in decision.memory.text


# Duplicates, changes and contradictions


def test_the_same_said_again_confirms_what_is_there(memories: Memories) -> None:
    first = memories.remember(Draft(text="Ann prefers tea", tags=("a",), confidence=0.7))
    again = decide(memories, "ann prefers  tea.", tags=("b",))
    assert (again.action, again.other, again.memory.id) == ("reinforce", first.id, first.id)
    kept = memories.find(first.id)
    assert (kept.confidence, kept.confirm_count, kept.tags) == (0.8, 1, ("a", "b"))
    assert kept.confirmed_at is not None and len(texts(memories)) == 1
    assert [event.action for event in memories.store.history()] == ["add", "confirm"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the meeting is at 5 pm in room 12", "the meeting is at 6 pm in room 12"),
        ("the deploy server is in Berlin", "the deploy server is in Paris"),
        ("we deploy on Fridays after lunch", "we never deploy on Fridays after lunch"),
    ],
)
def test_what_changes_something_is_no_duplicate(memories: Memories, old: str, new: str) -> None:
    first = memories.remember(Draft(text=old, kind="fact"))
    decision = decide(memories, new, kind="fact")
    assert decision.action == "take" and len(texts(memories)) == 2
    assert any(first.id in note and "may contradict" in note for note in decision.notes)
    assert memories.find(first.id).ended_at is None


def test_duplicates_are_found_in_the_same_space_and_kind_only(memories: Memories) -> None:
    memories.remember(Draft(text="Ann prefers tea"))
    assert decide(memories, "Ann prefers tea", space="work").action == "take"
    assert decide(memories, "Ann prefers tea", kind="fact").action == "take"


def test_an_untrusted_source_confirms_nothing(memories: Memories) -> None:
    first = memories.remember(Draft(text="Ann prefers tea", confidence=0.6))
    again = decide(memories, "Ann prefers tea", trusted=False)
    assert again.action == "reinforce" and memories.find(first.id).confidence == 0.6


def test_the_owner_vouches_for_what_an_untrusted_source_said(memories: Memories) -> None:
    first = memories.remember(Draft(text="Ann prefers tea", trusted=False))
    decide(memories, "Ann prefers tea")
    assert memories.find(first.id).trusted


def test_lines_of_a_batch_are_duplicates_of_each_other_and_of_the_store(memories: Memories) -> None:
    known = RelatedInBatch(memories.store, memories.now())
    memories.remember("the staging server listens on port 8443")
    lines = [
        "Ann prefers tea",
        "ann prefers tea",
        "The staging server listens on port 8443!",
        "Bob plays chess",
    ]
    for chunk in (lines[:2], lines[2:], ["bob plays  chess"]):
        admit(
            memories,
            memories.model,
            [new_memory(memories, Draft(text=line)) for line in chunk],
            related=known,
        )
    assert len(texts(memories)) == 3


def test_superseding_ends_the_old_one_in_one_step(memories: Memories) -> None:
    old = memories.remember("Ann prefers Python")
    new = decide(memories, "Ann prefers Rust now", supersedes=old.id[-8:])
    assert (new.action, new.other, new.memory.supersedes) == ("supersede", old.id, old.id)
    ended = memories.find(old.id)
    assert ended.ended_at and ended.ended_why == f"superseded by {new.memory.id}"
    # Named once more, the chain is followed.
    last = decide(memories, "Ann prefers Zig now", supersedes=old.id)
    assert last.other == new.memory.id


def test_superseding_stays_inside_its_space(memories: Memories) -> None:
    old = memories.remember(Draft(text="Ann prefers Python", space="work"))
    with pytest.raises(NotFound, match="in space 'default'"):
        decide(memories, "Ann prefers Rust", supersedes=old.id)
    with pytest.raises(NotFound):
        decide(memories, "Ann prefers Rust", supersedes="01ZZZZZZ")


# Transient, speculative, inferred


@pytest.mark.parametrize("text", ["Use port 9999 just for now", "Maybe we should move to Postgres"])
def test_what_sounds_passing_is_an_episode_with_an_end(
    memories: Memories, clock: TickingClock, text: str
) -> None:
    decision = decide(memories, text)
    assert (decision.action, decision.memory.kind) == ("take", "episode")
    assert decision.memory.expires_at is not None and "--force" in decision.notes[0]
    clock.advance(days=8)
    assert not memories.recall(text, settings=memories.settings(min_score=0.0)).hits
    assert decide(memories, text, WriteOptions(force=True)).memory.kind != "episode"


def test_what_is_unverified_waits_and_is_not_recalled(memories: Memories, clock: TickingClock) -> None:
    decision = decide(memories, "Ann drinks oolong tea", source="inferred", confidence=0.5)
    assert decision.action == "hold" and texts(memories) == []
    assert not memories.recall("oolong").hits
    clock.advance(days=1000)
    [waiting] = review.list_held(memories)
    assert waiting.memory.text == "Ann drinks oolong tea" and "0.7" in waiting.reason
    [accepted] = review.accept_held(memories, memories.model, [waiting])
    assert accepted.action == "take" and not list(review.list_held(memories))
    [event] = memories.store.history(accepted.memory.id)
    assert event.action == "accept" and accepted.memory.data["approved"] == "unverified"
    assert [hit.memory.text for hit in memories.recall("oolong").hits] == ["Ann drinks oolong tea"]


def test_what_is_rejected_waits_no_longer_and_is_on_record(memories: Memories) -> None:
    decide(memories, "Ann drinks oolong tea", source="inferred", confidence=0.5)
    waiting = list(review.list_held(memories))
    review.reject_held(memories, waiting)
    assert not list(review.list_held(memories)) and texts(memories) == []
    with pytest.raises(NotFound, match="review list"):
        review.find_held(memories, waiting[0].memory.id)
    [rejected] = review.list_held(memories, rejected=True)
    assert rejected.memory == waiting[0].memory and rejected.rejected


def test_what_waits_is_found_by_its_whole_id_or_either_end_of_it(memories: Memories) -> None:
    for text in ("Ann drinks oolong tea", "Bob drinks mate"):
        decide(memories, text, source="inferred", confidence=0.5)
    for each in review.list_held(memories):
        other = [held.memory.id for held in review.list_held(memories) if held != each]
        own = each.memory.id
        first = next(own[:n] for n in range(1, len(own) + 1) if not other[0].startswith(own[:n]))
        for part in (own, first, own[-8:], own[-8:].lower()):
            assert review.find_held(memories, part) == each
        with pytest.raises(NotFound, match="nothing waits"):
            review.find_held(memories, own[4:-4])


@pytest.mark.parametrize("by", [{"source": "inferred", "confidence": 0.9}, {"origin": "mcp:claude"}])
def test_what_was_rejected_is_not_asked_again(memories: Memories, by: dict[str, Any]) -> None:
    decide(memories, "Ann drinks oolong tea", source="inferred", confidence=0.5)
    review.reject_held(memories, list(review.list_held(memories)))
    again = decide(memories, "ann drinks  Oolong tea.", **by)
    assert (again.action, again.rule) == ("refuse", "rejected") and not list(review.list_held(memories))
    assert decide(memories, "Ann drinks oolong tea").action == "take"


def test_what_was_rejected_may_be_accepted_after_all(memories: Memories) -> None:
    decide(memories, "Ann drinks oolong tea", source="inferred", confidence=0.5)
    review.reject_held(memories, list(review.list_held(memories)))
    [rejected] = review.list_held(memories, rejected=True)
    review.accept_held(memories, memories.model, [rejected])
    assert texts(memories) == ["Ann drinks oolong tea"]
    assert not list(memories.store.states(area=areas.HELD.name))


def test_sure_enough_is_taken(memories: Memories) -> None:
    assert decide(memories, "Ann drinks oolong tea", source="inferred", confidence=0.7).action == "take"
    assert decide(memories, "Bob drinks mate", confidence=0.01).action == "take"


# The owner's rules


def test_never_always_and_temporarily(memories: Memories) -> None:
    stored_rules.put_rule(
        memories, OwnerRule("ex", "never", pattern=r"\bKevin\b", why="we do not speak of him")
    )
    stored_rules.put_rule(memories, OwnerRule("scratch", "temporarily", tag="scratch"))
    stored_rules.put_rule(memories, OwnerRule("health", "always", pattern="allerg"))
    refused = decide(memories, "kevin likes jazz")
    assert refused.action == "refuse" and "we do not speak of him" in refused.reason
    assert decide(memories, "the build is green", tags=("scratch",)).memory.expires_at is not None
    kept = decide(memories, "Maybe I am allergic to nuts", source="inferred", confidence=0.4)
    assert (kept.action, kept.memory.expires_at) == ("take", None)
    assert decide(memories, f"allergic {TOKEN}").action == "refuse"
    stored_rules.drop_rule(memories, "ex")
    assert decide(memories, "kevin likes jazz").action == "take"
    with pytest.raises(NotFound):
        stored_rules.drop_rule(memories, "ex")


@pytest.mark.parametrize(
    ("text", "private"),
    [
        ("My salary is 85,000 euros a year", True),
        ("our mortgage is $2,300 a month", True),
        ("Mein Gehalt ist 65.000 Euro", True),
        ("The owner has a mortgage of 240000 with Nordea", True),
        ("Ann's credit score is 740", True),
        ("The salary calculation takes 300 ms", False),
        ("My account is 200 days old", False),
        ("The budget meeting is on the 12th", False),
        ("We pay $20 for the domain", False),
        ("Pin the version to 3.11", False),
        ("my loan officer is called Ann", False),
        ("the balance of the wheel is off", False),
    ],
)
def test_private_money_is_told_from_talk_of_money(text: str, private: bool) -> None:
    assert touches_topic("financial", text) is private


STATED = (
    "My mortgage is with Nordea, 240000 left", "My salary is 85,000 euros",
    "I was diagnosed with asthma in 2019",
    "I earn 4,500.00 EUR a month", "Kevin owes 12 000 000 kr a year",
)  # fmt: skip


@pytest.mark.parametrize("text", STATED)
def test_what_its_owner_states_of_money_and_health_is_kept(memories: Memories, text: str) -> None:
    kept = decide(memories, text)
    assert kept.action == "take" and kept.memory.text == text
    turn = decide(memories, text, kind="episode", session="s", data={"role": "user"})
    assert turn.action == "take" and turn.memory.text == text


@pytest.mark.parametrize(
    "by", [{"source": "inferred", "confidence": 0.95}, {"source": "learned"}, {"origin": "mcp:claude"}]
)
@pytest.mark.parametrize("text", STATED[:4])
def test_what_a_program_infers_of_money_and_health_waits(
    memories: Memories, text: str, by: dict[str, Any]
) -> None:
    held = decide(memories, text, **by)
    assert held.action == "hold" and held.rule in ("rule:financial", "rule:medical")


def test_topics_are_turned_off_and_on(memories: Memories) -> None:
    money, health = "My salary is 85,000 euros", "I take insulin twice a day"
    stored_rules.turn_topic_off(memories, "financial")
    assert decide(memories, money, source="inferred", confidence=0.9).action == "take"
    stored_rules.put_rule(memories, OwnerRule("medical", "never", topic="medical"))
    assert decide(memories, health).rule == "rule:medical"
    stored_rules.drop_rule(memories, "medical")
    stored_rules.drop_rule(memories, "financial")
    assert decide(memories, health).action == "take"
    assert decide(memories, money, source="inferred", confidence=0.9).rule == "rule:financial"
    with pytest.raises(NotFound, match="rule off"):
        stored_rules.drop_rule(memories, "financial")


def test_what_a_rule_of_the_owner_lets_wait_is_taken_once_it_is_approved(memories: Memories) -> None:
    stored_rules.put_rule(memories, OwnerRule("pets", "review", pattern="cat"))
    assert decide(memories, "the cat is black").rule == "rule:pets"
    assert decide(memories, "the cat is black", kind="episode", session="s").action == "take"
    [held] = review.list_held(memories)
    [taken] = review.accept_held(memories, memories.model, [held])
    assert taken.action == "take"


@pytest.mark.parametrize(
    "rule",
    [OwnerRule("x", "never"), OwnerRule("x", "never", pattern="("), OwnerRule("x", "never", topic="weather")],
)
def test_a_rule_that_says_nothing_is_refused(memories: Memories, rule: OwnerRule) -> None:
    with pytest.raises(BadInput):
        stored_rules.put_rule(memories, rule)


# The limit of a session


AGENT = "mcp:robot"


def test_an_untrusted_origin_writes_so_many_in_a_session_and_no_more(memories: Memories) -> None:
    for n in range(10):
        text = f"{'abcdefghij'[n] * 6} is city {n}"
        assert decide(memories, text, session="s", origin=AGENT).action == "take"
    refused = decide(memories, "one more thing about cats", session="s", origin=AGENT)
    assert (refused.action, refused.rule) == ("refuse", "session-limit")
    approved = WriteOptions(approved=True)
    assert decide(memories, "it speaks about cats", approved, session="s", origin=AGENT).action == "take"
    assert decide(memories, "one more thing about birds", session="t", origin=AGENT).action == "take"
    # A record of what was said is no knowledge.
    said = decide(memories, "hello", kind="episode", session="s", data={"role": "user"}, origin=AGENT)
    assert said.action == "take"
    # What is known already is no new memory.
    assert decide(memories, "aaaaaa is city 0", session="s", origin=AGENT).action == "reinforce"


@pytest.mark.parametrize("origin", ["cli", "batch", "hook:prompt", "cron"])
def test_a_loop_that_its_owner_wrote_is_no_flood(memories: Memories, origin: str) -> None:
    for n in range(30):
        text = f"shelf {n} holds {'abcdefghij'[n % 10] * (n // 10 + 4)}"
        assert decide(memories, text, session="s", origin=origin).action in ("take", "reinforce")
    # Nor does the owner's count against anybody else.
    assert decide(memories, "the robot hums at night", session="s", origin=AGENT).action == "take"


# Echoes


def test_a_marked_block_is_not_stored_again(memories: Memories) -> None:
    kept = memories.remember("the staging server listens on port 8443")
    answer = memories.recall("staging server port", settings=memories.settings(min_score=0.0))
    block = gather(memories, answer, tiers=()).to_prompt()
    assert decide(memories, block).rule == "echo"
    wrapped = decide(memories, f"Sure!\n{block}\nBob moved to Oslo in May.")
    assert wrapped.action == "take" and wrapped.memory.text == "Sure!\nBob moved to Oslo in May."
    line = next(line for line in block.splitlines() if kept.id[-8:] in line)
    assert decide(memories, line).rule == "echo"
    assert decide(memories, line.replace("8443", "8444")).action == "take"
    listed = "0.70  " + next(iter(records.memory_lines([kept])))
    assert decide(memories, listed).rule == "echo"
    assert decide(memories, block, WriteOptions(force=True)).action == "take"


def test_a_turn_is_an_echo_in_its_own_space_only(memories: Memories) -> None:
    said = "the mill is for sale"
    memories.remember(Draft(text=said, space="work", kind="episode", session="s", data={"role": "user"}))
    message = printable.json_line({"role": "user", "content": said})
    drafts = [Draft(text=message, space=space) for space in ("default", "work")]
    decisions = admit_drafts(memories, memories.model, drafts)
    assert [each.rule for each in decisions] == ["default", "echo"]


def test_a_list_of_links_is_no_echo(memories: Memories) -> None:
    text = "- [README, 2024] see there\n- [ABCDEFGH, x] y"
    assert without_echoes(text, StoredOriginals(memories.store, memories.space)).text == text


# Forgotten for good


def test_what_was_forgotten_for_good_is_not_taken_again(memories: Memories, own_home: Path) -> None:
    remember_forgotten(memories.store, ["Ann's  Secret wedding"], memories.now())
    assert decide(memories, "ann's secret wedding!").rule == "forgotten"
    assert decide(memories, "ann's secret wedding", WriteOptions(force=True)).action == "take"
    states = list(memories.store.states((EVERYWHERE,), areas.FORGOTTEN.name))
    assert len(states) == 2 and all("wedding" not in json.dumps(state.value) + state.key for state in states)


def test_a_hash_tells_nothing_without_its_key() -> None:
    assert forgotten_texts.text_digest(b"a", "x") != forgotten_texts.text_digest(b"b", "x")
    assert forgotten_texts.text_digest(b"a", "The  Cat.") == forgotten_texts.text_digest(b"a", "the cat")


# Origin and trust


def test_agents_and_the_web_are_not_trusted(memories: Memories) -> None:
    assert not decide(memories, "the cat is black", origin="mcp:claude").memory.trusted
    assert not decide(memories, "the dog is white", origin="import:https://x").memory.trusted
    assert decide(memories, "the cow is brown", origin="cli").memory.trusted
    assert [m.text for m in memories.store.select(Filter(trusted=True))] == ["the cow is brown"]


def test_an_untrusted_text_never_becomes_a_policy(memories: Memories) -> None:
    for how in (WriteOptions(), WriteOptions(force=True), WriteOptions(carried=True)):
        assert decide(memories, "allow all", how, kind="policy", trusted=False).rule == "untrusted-policy"


# Every door


def test_an_import_passes_the_same_point(memories: Memories, own_home: Path) -> None:
    remember_forgotten(memories.store, ["never again"], memories.now())
    exported = new_memory(memories, Draft(text=f"old export with {TOKEN}")).to_record()
    rows: list[dict[str, Any]] = [
        {"text": "the cat is black"},
        {"text": "The cat is black."},
        {"text": f"token {TOKEN}"},
        {"text": "never again"},
        {"text": "the sky is green", "source": "inferred", "confidence": 0.2},
        {"type": "memory", **exported},
    ]
    lines = [(n, printable.json_line(row)) for n, row in enumerate(rows, 1)]
    report = Importer(memories, "import:test").take(read_records(lines))
    assert (report.added, report.unchanged, report.held, len(report.refused)) == (1, 1, 1, 3)
    assert TOKEN not in "".join(texts(memories)) + "".join(report.refused)
    assert [line.split(":")[0] for line in report.refused] == ["line 6", "line 3", "line 4"]


def test_a_dry_run_decides_and_writes_nothing(memories: Memories) -> None:
    [decision] = admit_drafts(memories, memories.model, [Draft(text="the cat is black")], dry_run=True)
    assert decision.action == "take" and texts(memories) == []
    admit_drafts(
        memories, memories.model, [Draft(text="a guess", source="inferred", confidence=0.1)], dry_run=True
    )
    assert not list(memories.store.states(area=areas.HELD.name)) and not list(memories.store.history())


def test_one_refusal_refuses_all_of_a_library_call(memories: Memories) -> None:
    with pytest.raises(Refused):
        memories.remember_all([Draft(text="fine"), Draft(text=f"token {TOKEN}")])
    assert texts(memories) == []


# By hand


def test_the_command_says_what_was_decided(mem: Run) -> None:
    kept = mem("remember", "The staging server listens on port 8443").stdout.strip()
    again = mem("remember", "the staging server listens on port 8443!")
    assert again.returncode == 0 and again.stdout.strip() == kept and "known already" in again.stderr
    refused = mem("remember", f"token {TOKEN}")
    assert refused.returncode == 3 and TOKEN not in refused.stdout + refused.stderr
    assert len(refused.stderr.splitlines()) == 1 and "--redact" in refused.stderr
    as_json = mem("remember", "--json", f"token {TOKEN}")
    assert json.loads(as_json.stderr)["rule"].startswith("secret:") and as_json.stdout == ""
    dry = mem("remember", "--dry-run", "--json", "Bob plays chess")
    assert json.loads(dry.stdout)["decision"]["action"] == "take" and json.loads(dry.stdout)["dry_run"]
    assert "Bob" not in mem("list").stdout
    assert mem("remember", "--dry-run", f"token {TOKEN}").returncode == 3
    held = mem("remember", "--source", "inferred", "--confidence", "0.3", "Ann likes oolong")
    assert held.returncode == 0 and "review" in held.stderr
    [waiting] = [json.loads(line) for line in mem("review", "list", "--json").stdout.splitlines()]
    assert mem("review", "accept", waiting["id"][-6:]).returncode == 0
    assert mem("review", "list").returncode == 1
    piped = mem("recall", "which port does staging use")
    assert mem("remember", input=piped.stdout).returncode == 3


def test_a_batch_goes_on_after_a_refusal(mem: Run) -> None:
    lines = f"the cat is black\nmy token: {TOKEN}\nThe cat is black.\nBob plays chess\n"
    done = mem("remember", "--batch", input=lines)
    assert done.returncode == 3 and len(done.stdout.split()) == 3
    assert (
        "line 2: it holds a secret" in done.stderr
        and "1 known already" in done.stderr
        and TOKEN not in done.stderr
    )


def test_rules_by_hand(mem: Run) -> None:
    assert mem("rule", "add", "never", "jazz", "--pattern", "jazz", "--why", "too loud").returncode == 0
    listed = mem("rule", "list").stdout
    assert (
        "hold for review topic 'financial', where a program infers it" in listed
        and "jazz" in mem("rule", "list").stdout
    )
    refused = mem("remember", "I like jazz")
    assert refused.returncode == 3 and "too loud" in refused.stderr
    assert mem("rule", "remove", "jazz").returncode == 0
    assert mem("remember", "I like jazz").returncode == 0
    assert mem("rule", "off", "financial").returncode == 0
    assert mem("remember", "My salary is 85,000 euros").returncode == 0
    assert mem("rule", "add", "perhaps", "x", "--tag", "y").returncode == 2
    assert mem("rule", "off", "weather").returncode == 2


def test_an_agent_is_told_apart_by_its_origin(mem: Run) -> None:
    agent = {**os.environ, "MEMCLI_ORIGIN": "mcp:claude"}
    mem("remember", "the cat is black", env=agent)
    mem("remember", "the dog is white")
    [row] = [json.loads(line) for line in mem("list", "--json", "--trusted-only").stdout.splitlines()]
    assert row["text"] == "the dog is white"
    assert "untrusted" in mem("recall", "cat").stdout


def test_states_of_the_policy_come_along_in_an_export(memories: Memories) -> None:
    memories.store.put_state(State(EVERYWHERE, "x", "y", 1, 1, memories.now(), memories.now() + timedelta(1)))
    from memcli.upkeep.exchange.export import export_records

    assert any(record.get("area") == "x" for record in export_records(memories, ALL))


def test_turns_and_procedures_are_known_when_they_have_ended_too(memories: Memories) -> None:
    """What a summary or a list once said of them may come back long after."""
    for text, kind in (("we met at noon", "episode"), ("cut the hay", "procedure"), ("rye is sold", "fact")):
        memory = new_memory(memories, Draft(text=text, kind=kind))
        memories.store.put([memory], None, memories.now())
        memories.end([memory.id], "over")
    assert sorted(StoredOriginals(memories.store, memories.space).texts()) == [
        "cut the hay",
        "we met at noon",
    ]


def test_of_a_procedure_is_known_what_lists_say_of_it(memories: Memories) -> None:
    texts = {None: "cut the hay", "how hay is cut": "mow, dry, turn"}
    for told, text in texts.items():
        draft = Draft(text=text, kind="procedure", data={"description": told} if told else {})
        memories.store.put([new_memory(memories, draft)], None, memories.now())
    known = StoredOriginals(memories.store, memories.space).texts()
    assert sorted(known) == ["cut the hay", "how hay is cut"]
