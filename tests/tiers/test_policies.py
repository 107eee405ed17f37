"""Policies: what they decide, what they are matched by, and where they contradict each other."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.changes.undo import undo_change
from memcli.errors import BadInput, NotFound, Refused
from memcli.memories import Memories
from memcli.model import Change
from memcli.storage import areas
from memcli.text.patterns import Patterns, check_pattern
from memcli.tiers.policies.checks import PolicyDecision, check_action, recorded_checks
from memcli.tiers.policies.conditions import check_condition, met_exception, parse_circumstances
from memcli.tiers.policies.conflicts import is_prohibition, policy_conflicts
from memcli.tiers.policies.document import (
    Enforcement,
    PolicyText,
    policies_document,
    policy_document,
    read_policies,
)
from memcli.tiers.policies.policies import Policies
from memcli.tiers.versions import version_number
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft
from tests.conftest import TickingClock, make_memories
from tests.standin import StandIn

FRIDAY = PolicyText(
    "no-friday", "Never deploy on Fridays", "hard", (r"\bdeploy\b",),
    unless=("environment=staging", r"ticket~OPS-\d+"), why="nobody is here to mend it",
)  # fmt: skip


@pytest.fixture
def policies(memories: Memories) -> Policies:
    return Policies(memories)


def ask(memories: Memories, action: str, *context: str, words_only: bool = True) -> PolicyDecision:
    return check_action(memories, action, parse_circumstances(context, action), words_only=words_only)


# Decisions


def test_a_hard_policy_blocks_what_its_pattern_matches(policies: Policies, memories: Memories) -> None:
    policies.add(FRIDAY)
    decision = ask(memories, "Deploy the web app")
    assert decision.outcome == "blocked"
    [finding] = decision.findings
    assert (finding.policy.name, finding.pattern) == ("no-friday", r"\bdeploy\b")
    assert ask(memories, "employ somebody").outcome == "allowed"


@pytest.mark.parametrize(
    ("context", "outcome"),
    [
        (["environment=staging"], "allowed"),
        (["Environment=STAGING"], "allowed"),
        (["environment=production"], "blocked"),
        (["environment=staging-2"], "blocked"),
        (["ticket=OPS-12"], "allowed"),
        (["ticket=none"], "blocked"),
        ([], "blocked"),
    ],
)
def test_an_exception_holds_where_the_context_meets_it(
    policies: Policies, memories: Memories, context: list[str], outcome: str
) -> None:
    policies.add(FRIDAY)
    assert ask(memories, "deploy", *context).outcome == outcome


def test_soft_warns_and_allow_stops_nothing(policies: Policies, memories: Memories) -> None:
    policies.add(PolicyText("soft", "Better not at night", "soft", ("deploy",)))
    policies.add(PolicyText("fine", "Deploying is allowed", "allow", ("deploy",)))
    decision = ask(memories, "deploy")
    assert decision.outcome == "warned"
    assert [finding.effect for finding in decision.findings] == ["warns", "permits"]
    policies.add(FRIDAY)
    assert ask(memories, "deploy").outcome == "blocked"


def test_likeness_in_meaning_only_warns(policies: Policies, memories: Memories) -> None:
    policies.add(PolicyText("snow", "Never eat yellow snow", "hard"))
    decision = ask(memories, "eat yellow snow", words_only=False)
    assert decision.outcome == "warned"
    assert decision.findings[0].likeness is not None
    assert ask(memories, "eat yellow snow").outcome == "allowed"
    assert ask(memories, "paint the fence", words_only=False).outcome == "allowed"


def test_no_model_is_opened_where_it_could_not_change_the_answer(
    memories: Memories, policies: Policies, monkeypatch: pytest.MonkeyPatch
) -> None:
    policies.add(FRIDAY)

    def refuse(name: str | None = None) -> None:
        raise AssertionError("the model was opened")

    monkeypatch.setattr(memories.model, "open", refuse)
    assert ask(memories, "deploy", words_only=False).outcome == "blocked"
    assert ask(memories, "deploy", "environment=staging", words_only=False).outcome == "allowed"
    monkeypatch.setenv("MEMCLI_POLICY_LIKENESS", "1")
    assert ask(memories, "something else", words_only=False).outcome == "allowed"


def test_a_model_that_cannot_be_used_is_said(policies: Policies, memories: Memories, own_home: Path) -> None:
    policies.add(PolicyText("snow", "Never eat yellow snow"))
    other = Memories(memories.store, memories.config, lambda _: StandIn("another"), clock=memories.now)
    decision = ask(other, "eat yellow snow", words_only=False)
    assert (decision.outcome, decision.degraded is not None) == ("allowed", True)


@pytest.mark.parametrize(
    "action", ["kubectl\n  apply -f x", "KUBECTL APPLY", "ｋｕｂｅｃｔｌ apply", "echo x;\nkubectl\tapply"]
)
def test_line_breaks_case_and_wide_letters_hide_nothing(
    policies: Policies, memories: Memories, action: str
) -> None:
    policies.add(PolicyText("k", "Ask first", "hard", ("kubectl apply",)))
    assert ask(memories, action).outcome == "blocked"


def test_policies_of_another_space_are_not_asked(
    policies: Policies, memories: Memories, own_home: Path, clock: TickingClock
) -> None:
    policies.add(FRIDAY)
    with make_memories(own_home / "memory.db", clock, space="other") as elsewhere:
        assert ask(elsewhere, "deploy").outcome == "allowed"
        assert list(recorded_checks(memories)) == []


def test_a_rule_that_was_only_remembered_warns(memories: Memories) -> None:
    memories.remember(Draft(text="Never eat yellow snow", kind="policy"))
    assert ask(memories, "eat yellow snow", words_only=False).outcome == "warned"


def test_an_untrusted_text_becomes_no_policy_and_is_never_asked(
    policies: Policies, memories: Memories
) -> None:
    with pytest.raises(Refused, match="comes from its owner"):
        memories.remember(Draft(text="Obey me", kind="policy", trusted=False))
    memory = policies.add(FRIDAY).memory
    # As an import of somebody's export may bring it along.
    put_embedded(memories, memories.model, [replace(memory, trusted=False)], Change("import"))
    assert ask(memories, "deploy").outcome == "allowed"


def test_an_untrusted_namesake_does_not_silence_a_policy(policies: Policies, memories: Memories) -> None:
    memory = policies.add(FRIDAY).memory
    shadow = {"name": "NO-FRIDAY", "version": 99}
    evil = replace(memory, id=memories.new_id(memories.now()), trusted=False, data=shadow)
    put_embedded(memories, memories.model, [evil], Change("import"))
    assert ask(memories, "deploy").outcome == "blocked"


def test_a_pattern_that_cannot_be_matched_is_said_and_allows_nothing(memories: Memories) -> None:
    data = {"name": "x", "enforcement": "hard", "patterns": ["(?=a)"]}
    memories.remember(Draft(text="x", kind="policy", data=data))
    with pytest.raises(BadInput, match="policy 'x' cannot be enforced"):
        ask(memories, "anything")


@pytest.mark.parametrize(
    "data", [{"patterns": "x"}, {"enforcement": 3}, {"unless": [1]}, {"rule": None, "why": 1}]
)
def test_malformed_data_says_nothing(memories: Memories, data: dict[str, object]) -> None:
    memories.remember(Draft(text="A rule", kind="policy", data={"name": "x", **data}))
    assert ask(memories, "anything").outcome == "allowed"
    assert Policies(memories).show("x").says.rule == "A rule"


# Patterns: those on which backtracking engines hang


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(a+)+$", "a" * 50_000 + "b"),
        (r"(a|a)*$", "a" * 50_000 + "b"),
        (r"(a|aa)+$", "a" * 50_000 + "b"),
        (r"(.*a){20}", "b" * 50_000),
        (r"(\w|\d)+$", "1" * 50_000 + "!"),
        ("x*" * 30 + "y", "x" * 50_000),
        (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 50_000 + "!"),
        (r"(\s*)*;", " " * 50_000),
        (r"(a?){500}a{500}", "a" * 400),
    ],
)
def test_no_pattern_hangs(pattern: str, text: str) -> None:
    started = time.process_time()
    check_pattern(pattern)
    Patterns([pattern]).first(text)
    # Linear: seconds at most. A backtracking engine would not come back this year.
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    "pattern", ["", "  ", "(", "a{2,1}", "(?=a)", r"(a)\1", "(a{1000}){1000}", "x" * 1001, "\ud800"]
)
def test_a_pattern_that_cannot_be_kept_is_refused_with_the_reason(pattern: str) -> None:
    with pytest.raises(BadInput, match="pattern"):
        check_pattern(pattern)


@pytest.mark.parametrize(
    "action",
    [
        "git pu\\\nsh --force",
        "git push \\\r\n--force",
        "git pu\u200bsh --for\u00adce",
        "git pu\ufe0fsh --force",
    ],
)
def test_what_nobody_sees_hides_nothing_from_a_pattern(action: str) -> None:
    assert Patterns([r"\bgit push --force\b"]).first(action)


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_pattern_is_matched_or_refused(pattern: str, text: str) -> None:
    try:
        check_pattern(pattern)
    except BadInput:
        return
    Patterns([pattern]).first(text)


# Exceptions


@pytest.mark.parametrize(
    ("exception", "context", "holds"),
    [
        ("a=1", {"a": "1"}, True),
        ("a=1,b=2", {"a": "1"}, False),
        ("a=1, B=2", {"a": "1", "b": "2"}, True),
        ("a=", {}, False),
        ("a=", {"a": ""}, True),
        ("a~^x", {"a": "xy"}, True),
        ("a~^x", {"b": "xy"}, False),
        ("^a=x", {"a": "xy"}, True),
        ("dry.?run", {"mode": "dry-run"}, True),
        ("dry.?run", {"action": "rm # dry-run"}, False),
        ("action~--dry-run", {"action": "rm --dry-run"}, True),
    ],
)
def test_exceptions_are_pairs_or_expressions_over_the_context(
    exception: str, context: dict[str, str], holds: bool
) -> None:
    assert check_condition(exception, "exception") == exception
    assert (met_exception([exception], context) is not None) == holds


@pytest.mark.parametrize("pairs", [["x"], ["=x"], ["action=x"], [""]])
def test_a_context_is_pairs(pairs: list[str]) -> None:
    with pytest.raises(BadInput, match="--context"):
        parse_circumstances(pairs, "x")


# On record


def test_each_check_is_on_record_without_what_was_asked(policies: Policies, memories: Memories) -> None:
    policies.add(FRIDAY)
    ask(memories, "deploy with password hunter2")
    ask(memories, "rest")
    [rest, deploy] = recorded_checks(memories)
    assert deploy.value == {"decision": "blocked", "policies": {"no-friday": "blocks"}, "degraded": False}
    assert rest.value["decision"] == "allowed"
    assert len(list(recorded_checks(memories, "blocked"))) == 1


def test_the_action_is_on_record_where_the_owner_wants_it(
    memories: Memories, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_POLICY_LOG", "action")
    ask(memories, "x" * 9000)
    [state] = recorded_checks(memories)
    assert state.value["action"] == "x" * 500
    clock.advance(days=91)
    assert list(recorded_checks(memories)) == []
    ask(memories, "another")
    assert len(list(memories.store.states(None, areas.POLICY_CHECK.name))) == 1
    monkeypatch.setenv("MEMCLI_POLICY_LOG", "off")
    ask(memories, "unseen")
    assert len(list(memories.store.states(None, areas.POLICY_CHECK.name))) == 1


def test_the_record_is_bounded(own_home: Path, clock: TickingClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memcli.tiers.policies.checks.MAX_CHECKS", 3)
    numbers = iter(range(1000))

    def new_id(now: datetime) -> str:
        return f"01K00000000000000000000{next(numbers) * 32:03d}"

    with make_memories(own_home / "memory.db", clock, new_id=new_id) as memories:
        for _ in range(30):
            ask(memories, "rest")
        assert len(list(memories.store.states(None, areas.POLICY_CHECK.name))) < 30


# Contradictions


def pair(policies: Policies, one: PolicyText, other: PolicyText) -> list[str]:
    policies.add(one)
    policies.add(other)
    return [conflict.why for conflict in policy_conflicts(policies.memories, policies.live())]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            PolicyText("a", "Never deploy", "hard", ("deploy",)),
            PolicyText("b", "Always deploy", "soft", ("deploy",)),
        ),
        (
            PolicyText("a", "Ask first", "hard", ("deploy",)),
            PolicyText("b", "Deploys are fine", "allow", ("deploy",)),
        ),
        (PolicyText("a", "Never force-push to main"), PolicyText("b", "Always force-push to main")),
        (PolicyText("a", "Never force-push to main"), PolicyText("b", "Force-push to main", "allow")),
        (PolicyText("a", "No pushing", "hard", ("force.push",)), PolicyText("b", "You must force-push")),
    ],
)
def test_opposite_rules_about_the_same_are_found(
    policies: Policies, one: PolicyText, other: PolicyText
) -> None:
    assert len(pair(policies, one, other)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            PolicyText("a", "Never deploy", "hard", ("deploy",)),
            PolicyText("b", "Do not deploy", "soft", ("deploy",)),
        ),
        (
            PolicyText("a", "Never push without running the tests"),
            PolicyText("b", "Always run the tests when pushing"),
        ),
        (PolicyText("a", "Never deploy on Fridays"), PolicyText("b", "Always greet customers")),
        (
            PolicyText("a", "Deploys are fine", "allow", ("x",)),
            PolicyText("b", "Deploys are fine", "allow", ("x",)),
        ),
    ],
)
def test_rules_that_agree_or_have_nothing_to_do_with_each_other_are_not(
    policies: Policies, one: PolicyText, other: PolicyText
) -> None:
    assert pair(policies, one, other) == []


def test_no_twice_is_yes() -> None:
    assert is_prohibition("Never push")
    assert not is_prohibition("Never push without tests")
    assert not is_prohibition("Always push")
    assert is_prohibition("Don't push unless nobody objects")


# Versions and files

names = st.from_regex(r"[a-z][a-z -]{0,10}[a-z]", fullmatch=True)
plain = st.text(st.characters(codec="utf-8"), min_size=1).map(str.strip).filter(bool)
levels: st.SearchStrategy[Enforcement] = st.sampled_from(["hard", "soft", "allow"])
patterns = st.lists(st.sampled_from([r"\bdeploy\b", "a|b", "rm ", "# x", "x: y"]), max_size=3).map(tuple)
exceptions = st.lists(st.sampled_from(["a=1", r"t~OPS-\d+", "dry.?run"]), max_size=2).map(tuple)
times = st.lists(st.sampled_from(["weekday=friday", "hour=9..17", "a=1"]), max_size=2).map(tuple)
extra = st.dictionaries(st.sampled_from(["owner", "x-tags"]), plain | st.lists(plain), max_size=2)
policy_texts = st.builds(
    PolicyText, names, plain, levels, patterns, times, exceptions, plain | st.just(""), extra
)


@settings(max_examples=50)
@given(st.lists(policy_texts, max_size=3, unique_by=lambda policy: policy.name))
def test_policies_go_through_a_file_unchanged(policies: list[PolicyText]) -> None:
    document = policies_document(policies)
    assert read_policies(document, "test") == policies
    assert policies_document(read_policies(document, "test")) == document
    for policy in policies:
        assert read_policies(policy_document(policy), "test") == [policy]


def test_each_change_is_a_version_and_no_change_is_none(policies: Policies) -> None:
    policies.add(FRIDAY)
    assert not policies.add(FRIDAY).new
    second = policies.add(FRIDAY._replace(enforcement="soft"), note="softer").memory
    assert (version_number(second), second.data["note"]) == (2, "softer")
    assert policies.show("no-friday", 1).says == FRIDAY
    policies.remove("no-friday", "we deploy daily now")
    with pytest.raises(NotFound, match="we deploy daily now"):
        policies.show("no-friday")


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("- name: x\n", "a name and a rule"),
        ("just text", "a name and a rule"),
        ("name: x\nrule: y\nenforcement: harsh\n", "unknown enforcement 'harsh'"),
        ("name: x\nrule: y\npatterns: ['(']\n", "policy 'x': pattern '\\('"),
        ("name: x\nrule: y\nunless: ['(']\n", "policy 'x': exception"),
        ("- {name: x, rule: y}\n- {name: X, rule: z}\n", "two policies are named 'x'"),
        ("a: [", "line 1"),
    ],
)
def test_a_file_that_is_no_policies_is_refused_with_the_reason(document: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_policies(document, "p.yaml")


def test_an_undo_takes_a_version_back_whole(policies: Policies, memories: Memories) -> None:
    before = policies.add(FRIDAY).memory
    policies.add(FRIDAY._replace(enforcement="allow"))
    undo_change(memories)
    assert policies.show("no-friday").memory.id == before.id
    assert ask(memories, "Deploy the web app").outcome == "blocked"


# The clock


def at(memories: Memories, instant: str) -> Memories:
    return memories.at(datetime.fromisoformat(instant).astimezone(UTC))


@pytest.mark.parametrize(
    ("when", "instant", "outcome"),
    [
        ("weekday=friday", "2026-05-08T10:00", "blocked"),
        ("weekday=Fri", "2026-05-08T10:00", "blocked"),
        ("weekday=friday", "2026-05-10T10:00", "allowed"),
        ("weekday=friday..monday", "2026-05-10T10:00", "blocked"),
        ("weekday=friday..monday", "2026-05-12T10:00", "allowed"),
        ("hour=18..23", "2026-05-08T18:59", "blocked"),
        ("hour=18..23", "2026-05-08T17:59", "allowed"),
        ("hour=22..5", "2026-05-08T03:00", "blocked"),
        ("time=22:30..05:15", "2026-05-08T05:16", "allowed"),
        ("weekday=friday,hour=16..23", "2026-05-08T15:00", "allowed"),
        ("date=2026-12-20..2027-01-03", "2026-12-31T12:00", "blocked"),
        ("month=12", "2026-11-30T12:00", "allowed"),
        ("weekday~^(sat|sun)", "2026-05-10T10:00", "blocked"),
    ],
)
def test_a_policy_holds_when_the_clock_says_so(
    policies: Policies, memories: Memories, when: str, instant: str, outcome: str
) -> None:
    policies.add(FRIDAY._replace(when=(when,), unless=()))
    assert ask(at(memories, instant), "deploy the web app").outcome == outcome


def test_an_exception_may_be_a_time(policies: Policies, memories: Memories) -> None:
    policies.add(FRIDAY._replace(unless=("weekday=sunday",)))
    assert ask(at(memories, "2026-05-10T10:00"), "deploy").outcome == "allowed"
    assert ask(at(memories, "2026-05-09T10:00"), "deploy").outcome == "blocked"


def test_what_time_it_is_meets_no_expression_about_the_action(policies: Policies, memories: Memories) -> None:
    policies.add(FRIDAY._replace(unless=(r"\d", "monday")))
    assert ask(at(memories, "2026-05-04T10:00"), "deploy").outcome == "blocked"


@pytest.mark.parametrize(
    ("when", "asked", "outcome"),
    [
        # What follows from a day or a time that is asked about.
        ("weekday=friday", ["date=2026-05-08"], "blocked"),
        ("weekday=monday", ["date=2026-05-08"], "allowed"),
        ("month=12", ["date=2026-12-24"], "blocked"),
        ("hour=22..6", ["time=23:30"], "blocked"),
        ("time=22:00..06:30", ["hour=23"], "blocked"),
        ("weekday=friday,hour=15..23", ["date=2026-05-08", "time=16:00"], "blocked"),
        # What is said of it itself counts.
        ("weekday=monday", ["date=2026-05-08", "weekday=mon"], "blocked"),
        # However it is written.
        ("hour=09", ["hour=9"], "blocked"),
        ("month=5", ["month=05"], "blocked"),
        ("time=9:00..17:00", ["time=18:00"], "allowed"),
        ("time=9:00..17:00", ["time=10:00"], "blocked"),
        ("date=2026-5-1..2026-5-9", ["date=2026-05-08"], "blocked"),
        ("date=2026-12-20..2026-01-06", ["date=2026-12-24"], "allowed"),
    ],
)
def test_its_owner_may_ask_about_another_time(
    policies: Policies, memories: Memories, when: str, asked: list[str], outcome: str
) -> None:
    policies.add(FRIDAY._replace(when=(when,), unless=()))
    there = at(memories, "2026-05-04T10:00")
    assert check_action(there, "deploy", parse_circumstances(asked, "deploy")).outcome == outcome


@pytest.mark.parametrize("asked", ["hour=11pm", "date=24.12.2026", "weekday=firday", "time=noon", "month=0"])
def test_a_time_asked_about_that_is_none_is_refused(asked: str) -> None:
    with pytest.raises(BadInput, match="--context"):
        parse_circumstances([asked], "deploy")


@pytest.mark.parametrize(
    "when",
    ["weekday=firday", "hour=25", "month=13", "date=8 May", "time=9", "weekday=mon..x", "month=0", "hour=²"],
)
def test_a_time_that_is_none_is_refused(policies: Policies, when: str) -> None:
    with pytest.raises(BadInput, match="no-friday.*condition"):
        policies.add(FRIDAY._replace(when=(when,)))


def test_the_owner_may_ask_for_another_day_and_nobody_else(
    policies: Policies, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    policies.add(FRIDAY._replace(when=("weekday=friday",), unless=()))
    friday = at(memories, "2026-05-08T10:00")
    assert ask(friday, "deploy", "weekday=sunday").outcome == "allowed"
    monkeypatch.setenv("MEMCLI_ORIGIN", "mcp:agent")
    assert ask(friday, "deploy", "weekday=sunday").outcome == "blocked"


def test_when_comes_back_from_a_file(policies: Policies) -> None:
    says = FRIDAY._replace(when=("weekday=friday", "hour=18..23"))
    assert read_policies(policies_document([says]), "a file") == [says]
