"""The owner's own rules of writing: patterns that cannot hang, conditions that must all hold, one store."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.errors import BadInput, NotFound
from memcli.memories import Memories
from memcli.model import Memory
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.decision import Decision
from memcli.write_policy.drafts import Draft
from memcli.write_policy.owner_rules import OwnerRule, check_rule
from memcli.write_policy.settings import WriteOptions
from memcli.write_policy.stored_rules import drop_rule, put_rule, rules_in_force
from tests.conftest import Run


def keep(memories: Memories, text: str, **fields: object) -> Decision:
    return admit_drafts(memories, memories.model, [Draft(text=text, **fields)])[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*)*x", "(x+x+)+y", r"(\w+\s?)+!"])
def test_a_pattern_that_backtracks_for_ever_elsewhere_answers(memories: Memories, pattern: str) -> None:
    put_rule(memories, OwnerRule("r", "never", pattern=pattern))
    assert keep(memories, "a" * 5000 + "b " + "x" * 5000).action in ("take", "refuse")


@pytest.mark.parametrize(
    "pattern", ["(", "a{9999999}", "(?=a)", r"(a)\1", "(?<!a)b", "x" * 1001, "", "\udcff"]
)
def test_a_pattern_that_cannot_be_kept_is_told_when_it_is_given(memories: Memories, pattern: str) -> None:
    with pytest.raises(BadInput):
        put_rule(memories, OwnerRule("r", "never", pattern=pattern))
    assert [rule.name for rule in rules_in_force(memories.store)] == ["financial", "medical"]


@pytest.mark.parametrize(
    "rule",
    [
        OwnerRule("r", "never"), OwnerRule("r", "never", kind="rumour"),
        OwnerRule("r", "never", topic="weather"), OwnerRule("medical", "never", tag="x"),
        OwnerRule("a\nb", "never", tag="x"), OwnerRule("r", "sometimes", tag="x"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_a_rule_that_says_nothing_is_told(memories: Memories, rule: OwnerRule) -> None:
    with pytest.raises(BadInput):
        put_rule(memories, rule)


def test_every_condition_must_hold(memories: Memories) -> None:
    put_rule(memories, OwnerRule("r", "never", pattern="^quokka", tag="zoo", kind="fact"))
    assert keep(memories, "quokkas hop", tags=("zoo",), kind="fact").rule == "rule:r"
    assert keep(memories, "the QUOKKA hops", tags=("zoo",), kind="fact").action == "take"
    assert keep(memories, "quokkas hop high", kind="fact").action == "take"
    assert keep(memories, "quokkas hop low", tags=("zoo",), kind="outcome").action == "take"
    assert keep(memories, "first line\nQuokka on the second", tags=("zoo",), kind="fact").action == "refuse"


def test_a_rule_holds_in_every_space_until_it_is_dropped(memories: Memories) -> None:
    put_rule(memories, OwnerRule("r", "never", pattern="quokka"))
    assert keep(memories, "quokkas hop", space="elsewhere").action == "refuse"
    assert admit_drafts(memories, memories.model, [Draft(text="quokkas hop")], WriteOptions(force=True))[
        0
    ].overrides == ("rule:r",)
    drop_rule(memories, "r")
    assert keep(memories, "quokkas sleep").action == "take"
    with pytest.raises(NotFound):
        drop_rule(memories, "r")


def test_never_wins_over_always_and_always_passes_no_secret(memories: Memories) -> None:
    put_rule(memories, OwnerRule("a", "always", pattern="key"))
    put_rule(memories, OwnerRule("n", "never", pattern="attic"))
    assert keep(memories, "the key is in the attic").rule == "rule:n"
    secret = "the key is ghp_" + "a1B2" * 9
    assert str(keep(memories, secret).rule).startswith("secret:")
    assert keep(memories, "maybe the key is under the mat").memory.kind == "fact"


@settings(max_examples=60)
@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=200))
def test_any_pattern_is_kept_or_told_and_never_more(memories: Memories, pattern: str, text: str) -> None:
    rule = OwnerRule("r", "never", pattern=pattern)
    try:
        check_rule(rule)
    except BadInput:
        return
    now = memories.now()
    memory = Memory(id="0" * 26, kind="fact", text=text, happened_at=now, created_at=now, updated_at=now)
    assert rule.fits(memory, inferred=False) in (True, False)
    empty = rule.fits(replace(memory, text=""), inferred=False)
    assert not empty or rule.fits(memory, inferred=False) in (True, False)


def test_by_hand(mem: Run) -> None:
    assert mem("rule", "add", "never", "q", "--pattern", "quokka", "--why", "shy").returncode == 0
    refused = mem("remember", "a Quokka hops")
    assert refused.returncode == 3 and "shy" in refused.stderr
    for bad in (("--pattern", "("), ("--kind", "rumour"), ("--topic", "weather"), ()):
        done = mem("rule", "add", "never", "bad", *bad)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, bad
    assert "quokka" in mem("rule", "list").stdout
    assert mem("rule", "remove", "q").returncode == 0 and mem("rule", "remove", "q").returncode == 1


@pytest.mark.parametrize("inferred", [True, False])
def test_what_waits_says_whether_it_does_because_a_program_inferred_it(
    memories: Memories, inferred: bool
) -> None:
    put_rule(memories, OwnerRule("r", "review", pattern="quokka", inferred=inferred))
    decision = keep(memories, "the quokka hops", source="inferred")
    assert (decision.action, decision.rule) == ("hold", "rule:r")
    assert ("a program inferred it" in decision.reason) is inferred


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        (OwnerRule("r", "never", topic="medical"), "says never: private medical details ("),
        (OwnerRule("r", "never", topic="medical", why="mine alone"), "says never: mine alone ("),
        (OwnerRule("r", "never", pattern="diabetes"), "diabetes"),
    ],
)
def test_a_refusal_says_what_the_rule_is_about(memories: Memories, rule: OwnerRule, says: str) -> None:
    put_rule(memories, rule)
    decision = keep(memories, "I was diagnosed with diabetes")
    assert (decision.action, decision.rule) == ("refuse", "rule:r") and says in decision.reason
    assert ("private" in decision.reason) is (rule.topic is not None and not rule.why)
