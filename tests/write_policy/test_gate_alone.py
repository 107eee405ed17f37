"""The gate by itself: what each guard refuses, takes out or lets by, wherever in a memory it stands."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from memcli.changes.forgetting.soft import forget_memories
from memcli.errors import NotFound, Refused
from memcli.judgement.statements import StatementJudgement
from memcli.memories import Memories
from memcli.model import Kind, Memory
from memcli.storage.walls import Role
from memcli.write_policy import gate
from memcli.write_policy.admission import Admission, admit, admit_drafts
from memcli.write_policy.decision import Case, Neighbour, WriteAction, WriterClaims
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.gate import Gate
from memcli.write_policy.related.neighbours import neighbours
from memcli.write_policy.rules.dates import past_remark
from memcli.write_policy.rules.duplicates import confirm_duplicate, prolong_passing
from memcli.write_policy.rules.judged import judge_kind
from memcli.write_policy.rules.supersession import supersede
from memcli.write_policy.settings import WriteOptions
from tests.erasure import erase_memories

SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
CARRIED = WriteOptions(carried=True)


def examined(memories: Memories, options: WriteOptions | None = None, **fields: Any) -> Case:
    memory = replace(new_memory(memories, Draft(text="the mill grinds rye", kind="fact")), **fields)
    return Gate(memories, options or WriteOptions(), memories.now()).examine(memory)


@pytest.mark.parametrize(
    "fields",
    [
        {"text": f"the token is {SECRET}"}, {"ended_why": f"it said {SECRET}"}, {"data": {"note": SECRET}},
        {"data": {SECRET: 1}}, {"tags": (SECRET,)}, {"session": SECRET}, {"space": SECRET},
        {"origin": f"cli:{SECRET}"},
    ],
)  # fmt: skip
@pytest.mark.parametrize("options", [WriteOptions(), CARRIED])
def test_a_secret_comes_in_nowhere(memories: Memories, fields: dict[str, Any], options: WriteOptions) -> None:
    case = examined(memories, options, **fields)
    assert case.verdict and case.verdict.action == "refuse" and case.verdict.rule.startswith("secret:")
    # What is told of the refusal holds none either.
    assert SECRET not in str(case.verdict) and SECRET not in str(case.memory.to_record())
    forced = examined(memories, options._replace(force=True), **fields)
    assert forced.verdict is None


@pytest.mark.parametrize("place", ["text", "ended_why", "data"])
def test_with_redact_the_rest_stays(memories: Memories, place: str) -> None:
    said = f"the token is {SECRET}, of the mill"
    value = {"data": {"note": said}} if place == "data" else {place: said}
    case = examined(memories, WriteOptions(redact=True), **value)
    assert case.verdict is None and case.notes
    record = str(case.memory.to_record())
    assert SECRET not in record and "of the mill" in record


@pytest.mark.parametrize(
    ("fields", "refused"),
    [
        ({"source": "imported"}, True), ({"origin": "import:old.jsonl"}, True), ({}, False),
        ({"source": "imported", "text": "the owl hoots"}, False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["text", "data", "tags", "session", "ended_why"])
def test_what_quotes_the_forgotten_is_refused_of_a_file(
    memories: Memories, fields: dict[str, Any], refused: bool, place: str
) -> None:
    gone = memories.remember("Quentomar hides the vermeilion ledger under the floor of the mill")
    erase_memories(memories, [gone])
    quote = "the owl hoots" if "text" in fields else f"Somebody wrote: {gone.text}. He did."
    given: dict[str, Any] = {"data": {"note": quote}, "tags": (quote,)}
    case = examined(memories, **{**fields, place: given.get(place, quote)})
    assert (case.verdict is not None and case.verdict.rule == "forgotten") is refused
    assert examined(memories, text=f" {gone.text.upper()}! ").verdict


@pytest.mark.parametrize(
    ("trusted", "same_rule", "passes"), [(True, True, True), (False, True, False), (True, False, False)]
)
def test_what_was_forced_elsewhere_passes_on_its_owners_word_for_that_rule(
    memories: Memories, trusted: bool, same_rule: bool, passes: bool
) -> None:
    text = f"the token is {SECRET}"
    refused = examined(memories, text=text).verdict
    assert refused
    data = {"overrides": [refused.rule if same_rule else "echo"]}
    case = examined(memories, CARRIED, text=text, trusted=trusted, data=data)
    assert (case.verdict is None) is passes


def test_who_is_not_trusted_confirms_and_vouches_for_nothing(memories: Memories) -> None:
    def write(**fields: Any) -> Memory:
        draft = Draft(text="the mill of the village grinds rye", kind="fact", **fields)
        return admit_drafts(memories, memories.model, [draft])[0].memory

    known = write()
    assert write(trusted=False).confirm_count == 0
    assert memories.store.get([known.id]) == [known]
    other = memories.in_space("barn")
    draft = Draft(text="the owl of the village hoots", kind="fact", trusted=False)
    [first] = admit_drafts(other, other.model, [draft])
    [again] = admit_drafts(other, other.model, [draft])
    assert again.action == "reinforce" and again.memory.id == first.memory.id and not again.memory.trusted
    [owner] = admit_drafts(other, other.model, [replace(draft, trusted=True)])
    assert owner.memory.id == first.memory.id and owner.memory.trusted


@pytest.mark.parametrize("how", ["moved", "erased"])
def test_what_is_to_be_replaced_and_is_elsewhere_by_now_is_not(memories: Memories, how: str) -> None:
    old, new = (
        memories.remember("the mill grinds rye"),
        new_memory(memories, Draft(text="the mill grinds oats")),
    )
    admission = Admission(memories, memories.model)
    prepared = admission.prepare([new], {new.id: WriterClaims(replaces=old)})
    if how == "moved":
        memories.store.put([replace(old, space="barn")], None, memories.now())
    else:
        erase_memories(memories, [old])
    with pytest.raises(NotFound, match="erased or moved meanwhile"):
        prepared.write()
    assert not memories.store.get([new.id])


JUDGED_TO_PASS = StatementJudgement("it rains just now")


@pytest.mark.parametrize("kind_is_open", [True, False])
@pytest.mark.parametrize("kind", ["fact", "episode", "procedure"])
@pytest.mark.parametrize(
    ("options", "trusted"),
    [(WriteOptions(), True), (WriteOptions(), False), (WriteOptions(approved=True), True), (CARRIED, True)],
)
def test_who_has_judged_is_not_judged_again(
    memories: Memories, options: WriteOptions, trusted: bool, kind: Kind, kind_is_open: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    asked = []

    def asking(name: str) -> Any:
        def rule(case: Case, *given: Any) -> Case:
            asked.append(name)
            return case

        return rule

    for name in ("note_judged", "judge_lasting", "judge_kind"):
        monkeypatch.setattr(gate, name, asking(name))
    memory = replace(new_memory(memories, Draft(text="the mill grinds", kind=kind)), trusted=trusted)
    if not trusted:
        memory = replace(memory, origin="import:http://x.y")
    judging = Gate(memories, options, memories.now())
    case = judging.judge(Case(memory), JUDGED_TO_PASS, kind_is_open=kind_is_open)
    assert case.kind_is_open is ("judge_kind" in asked)
    if options.carried or kind == "procedure":
        assert asked == []
    elif options.approved or kind == "episode":
        assert asked == ["note_judged"]
    else:
        lasting = ["judge_lasting"] if kind_is_open or not trusted else []
        assert asked == ["note_judged", *lasting, *(["judge_kind"] if kind_is_open else [])]


@pytest.mark.parametrize(
    ("action", "options", "fields", "named"),
    [
        ("take", {}, {}, ["far"]), ("hold", {}, {}, ["far"]), ("refuse", {}, {}, []),
        ("take", {"carried": True}, {}, []), ("take", {}, {"kind": "episode", "data": {"role": "user"}}, []),
        ("take", {}, {"valid_until": datetime(2020, 1, 1, tzinfo=UTC)}, []),
        ("reinforce", {}, {}, ["self"]), ("reinforce", {"carried": True}, {}, []),
    ],
)  # fmt: skip
def test_neighbours_are_named_to_who_may_settle_something_with_them(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, action: WriteAction, options: dict[str, Any],
    fields: dict[str, Any], named: list[str],
) -> None:  # fmt: skip
    memory = replace(new_memory(memories, Draft(text="the mill grinds", kind="fact")), **fields)
    far = Neighbour("far", "near", 0.1)
    monkeypatch.setattr(gate, "neighbours", lambda related, settled: (far,) if memory.id in settled else ())
    judging = Gate(memories, WriteOptions(**options), memories.now())
    case = Case(memory).decided(action, "default", "")
    related: Any = None
    verdict = judging._with_neighbours(case, related).verdict
    assert verdict and [each.id for each in verdict.near] == [
        {"self": memory.id}.get(each, each) for each in named
    ]
    assert judging._with_neighbours(Case(memory), related) == Case(memory)


@pytest.mark.parametrize(
    ("near", "expected"),
    [
        ((0.9, 0.05, 0.05, "same", 0.9), ("same", 0.9)),
        ((0.05, 0.9, 0.05, "other", 0.9), ("replaces", 0.9)),
        ((0.05, 0.05, 0.9, "other", 0.9), ("both_hold", 0.9)),
        ((0.4, 0.3, 0.3, "other", 0.9), ("near", 0.4)),
        # The words decide against the judge, and it is not asked how likely.
        ((0.05, 0.05, 0.9, "same", 0.9), ("same", None)),
        ((0.05, 0.05, 0.9, "other", 0.1), None),
        ((0.05, 0.05, 0.9, "other", 0.45), None),
        ((0.05, 0.9, 0.05, "other", 0.45), ("replaces", 0.9)),
        ((0.05, 0.9, 0.05, "other", 0.2), None),
    ],
)
def test_a_neighbour_is_related_as_the_words_say_or_else_the_judge(
    memories: Memories, near: tuple[Any, ...], expected: Any
) -> None:
    same, update, both, verdict, cosine = near
    old = new_memory(memories, Draft(text="the mill grinds"))
    assert same + update + both == pytest.approx(1)
    judged = SimpleNamespace(same=same)
    one = SimpleNamespace(memory=old, cosine=cosine, verdict=verdict, judgement=judged)
    related: Any = SimpleNamespace(nearest=[one, one], updated=lambda one: update)
    found = [(each.relation, each.likely and pytest.approx(each.likely)) for each in neighbours(related, ())]
    assert found == ([expected] if expected else [])
    assert neighbours(related, {old.id}) == ()


def test_what_is_replaced_is_named_before_the_nearest_and_few_are(memories: Memories) -> None:
    old = [new_memory(memories, Draft(text="the mill grinds")) for _ in range(5)]
    beside = SimpleNamespace(same=0.1)
    some = [SimpleNamespace(memory=each, cosine=0.7 + n / 20, verdict="other", judgement=beside)
            for n, each in enumerate(old)]  # fmt: skip
    related: Any = SimpleNamespace(nearest=some, updated=lambda one: 0.8 if one is some[0] else 0.1)
    assert [each.id for each in neighbours(related, ())] == [old[0].id, old[4].id, old[3].id]


@pytest.mark.parametrize(
    ("kind", "likely", "fields", "judged"),
    [
        ("episode", 0.99, {}, "episode"), ("episode", 0.99, {"session": "s"}, "fact"),
        ("preference", 0.99, {"session": "s"}, "preference"), ("preference", 0.99, {}, "preference"),
        ("preference", 0.1, {}, "fact"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("settled", [None, "passing", "unlasting", "replaces"])
def test_the_likeliest_kind_is_taken_where_it_is_likely_and_nothing_says_otherwise(
    memories: Memories, kind: Kind, likely: float, fields: dict[str, Any], judged: Kind, settled: str | None
) -> None:
    memory = replace(new_memory(memories, Draft(text="the mill grinds")), **fields)
    case = Case(memory)
    if settled == "replaces":
        case = replace(case, told=WriterClaims(replaces=memory))
    elif settled:
        case = replace(case, **{settled: True if settled == "passing" else "trivial"})  # type: ignore[arg-type]
    grounds: Any = SimpleNamespace(settings=SimpleNamespace(judge_kind=0.6))
    judgement: Any = SimpleNamespace(is_taught=True, kinds={kind: likely, "constraint": 0.01})
    found = judge_kind(case, grounds, judgement).memory.kind
    assert found == ("fact" if settled else judged)


@pytest.mark.parametrize("text", [f"the token is {SECRET}", "Quentomar hides the vermeilion ledger"])
def test_who_is_refused_is_told_to_leave_out_what_may_be_left_out_alone(
    memories: Memories, text: str
) -> None:
    """A secret can be: the rest may come in. Of what was forgotten for good all is refused."""
    memory = new_memory(memories, Draft(text="Quentomar hides the vermeilion ledger"))
    admit(memories, memories.model, [memory])
    erase_memories(memories, [memory])
    [decision] = admit_drafts(memories, memories.model, [Draft(text=text)])
    with pytest.raises(Refused) as refused:
        decision.check()
    assert refused.value.advice == ("leave it out" if SECRET in text else "")
    assert refused.value.rule == decision.rule


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    ("said", "verdict", "told"),
    [
        ("Payday is the 25th of every month", "different", 0.93),
        ("we get paid on the 25th of each month.", "same", None),
    ],
)
def test_how_likely_it_is_known_is_told_of_what_a_judge_holds_and_of_no_word_for_word(
    memories: Memories, said: str, verdict: str, told: float | None, force: bool
) -> None:
    known = memories.remember("We get paid on the 25th of each month")
    judged = SimpleNamespace(same=0.93, update=0.04, both=0.03)
    near = SimpleNamespace(memory=known, cosine=0.9, verdict=verdict, judged_by_model=True, judgement=judged)
    grounds = Gate(memories, WriteOptions(force=force), memories.now())._grounds
    nearer = SimpleNamespace(
        memory=replace(known, id="nearer"), cosine=0.95, verdict="different", judged_by_model=False
    )
    related: Any = SimpleNamespace(nearest=[nearer, near])
    case = confirm_duplicate(Case(replace(known, id="new", text=said)), grounds, related)
    assert case.judged == ({f"same: {known.id}": told} if told else {})
    if force:
        assert case.verdict is None and case.overrides == ("duplicate",)
    else:
        assert case.verdict and case.verdict.action == "reinforce" and case.memory.id == known.id
        assert ("93% likely" in case.verdict.reason) is bool(told)


@pytest.mark.parametrize("is_own", [True, False])
def test_what_another_said_in_passing_no_program_prolongs(memories: Memories, is_own: bool) -> None:
    """On a server, which knows them apart; in a file each untrusted origin will do."""
    now = memories.now()
    draft = Draft(text="Use the side door for now", kind="episode", trusted=False)
    known = replace(new_memory(memories, draft), expires_at=now + timedelta(days=7))
    case = Case(replace(new_memory(memories, draft), expires_at=now + timedelta(days=300)), passing=True)
    grounds = Gate(memories, WriteOptions(), now)._grounds._replace(is_own=lambda origin: is_own)
    related: Any = SimpleNamespace(passing=known)
    done = prolong_passing(case, grounds, related)
    assert done.verdict and done.verdict.action == "reinforce"
    assert ("confirms nothing" in done.verdict.reason) is not is_own
    assert (done.memory == known) is not is_own


@pytest.mark.parametrize(
    ("passing", "fields", "prolongs"),
    [
        (True, {}, True), (False, {}, False), (True, {"session": "s"}, False),
        (True, {"data": {"role": "user"}}, False),
    ],
)  # fmt: skip
def test_only_what_passes_and_is_no_turn_prolongs_what_passes(
    memories: Memories, passing: bool, fields: dict[str, Any], prolongs: bool
) -> None:
    now = memories.now()
    draft = Draft(text="Use the side door for now", kind="episode")
    known = replace(new_memory(memories, draft), expires_at=now + timedelta(days=7))
    again = replace(new_memory(memories, draft), expires_at=now + timedelta(days=9), **fields)
    related: Any = SimpleNamespace(passing=known)
    grounds = Gate(memories, WriteOptions(), now)._grounds
    verdict = prolong_passing(Case(again, passing=passing), grounds, related).verdict
    assert (verdict is not None) is prolongs
    nothing: Any = SimpleNamespace(passing=None)
    assert prolong_passing(Case(again, passing=passing), grounds, nothing).verdict is None


@pytest.mark.parametrize(
    ("carried", "is_owner", "origin"),
    [(True, True, "import:b@ann"), (True, False, "import:b@ann@bob"), (False, True, "import:b@ann@bob")],
)
def test_only_a_stores_owner_brings_along_what_another_signed(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, carried: bool, is_owner: bool, origin: str
) -> None:
    """As a server knows them; a file does not know who writes."""
    monkeypatch.setattr(memories.store, "role", Role("@bob", is_owner))
    case = examined(memories, WriteOptions(carried=carried), origin="import:b@ann")
    assert case.memory.origin == origin


PAST: dict[str, Any] = {"valid_until": datetime(2020, 1, 1, tzinfo=UTC)}


@pytest.mark.parametrize(
    ("options", "fields", "action"),
    [
        (WriteOptions(), {}, "reinforce"), (CARRIED, {}, "take"), (WriteOptions(), PAST, "take"),
        (WriteOptions(), {"kind": "episode", "data": {"role": "user"}}, "take"),
    ],
)  # fmt: skip
def test_what_is_brought_along_or_past_or_was_only_said_confirms_nothing(
    memories: Memories, options: WriteOptions, fields: dict[str, Any], action: WriteAction
) -> None:
    known = memories.remember(Draft(text="the mill grinds rye", kind="fact"))
    [new] = admit(memories, memories.model, [again(memories, known, **fields)], options)
    assert new.action == action and (new.memory.id == known.id) is (action == "reinforce")
    # A text that is there word for word is not shown beside itself, and not kept with what confirms it.
    assert action == "take" or (new.reason, new.said) == ("known already; it is confirmed", None)


def again(memories: Memories, known: Memory, **fields: Any) -> Memory:
    return replace(new_memory(memories, Draft(text=known.text, kind=known.kind)), **fields)


@pytest.mark.parametrize("options", [WriteOptions(), CARRIED])
def test_what_is_brought_along_is_not_told_to_have_been_forgotten(
    memories: Memories, options: WriteOptions
) -> None:
    known = memories.remember("the mill grinds rye")
    forget_memories(memories, [known], "not any more")
    [new] = admit(memories, memories.model, [again(memories, known)], options)
    assert new.action == "take" and ("you forgot this" in "".join(new.notes)) is not options.carried


@pytest.mark.parametrize("kinds", [("preference", "fact"), ("fact", "preference")])
def test_what_is_known_is_found_behind_what_says_the_same_of_another_kind(
    memories: Memories, kinds: tuple[Kind, Kind]
) -> None:
    known = {kind: memories.remember(Draft(text="the mill grinds rye", kind=kind)) for kind in kinds}
    [new] = admit_drafts(memories, memories.model, [Draft(text="the mill grinds rye", kind="fact")])
    assert (new.action, new.memory.id) == ("reinforce", known["fact"].id)


@pytest.mark.parametrize("trusted", [(True, False), (False, True)])
def test_what_was_kept_before_replaces_be_it_behind_what_another_place_said(
    memories: Memories, trusted: tuple[bool, bool]
) -> None:
    old = memories.remember("the owl sleeps in the barn")
    new = [again(memories, old, text="the mill grinds rye", trusted=each) for each in trusted]
    admit(memories, memories.model, new, CARRIED)
    told = Draft(text="the mill grinds rye", kind="fact", supersedes=old.id)
    [done] = admit_drafts(memories, memories.model, [told])
    assert (done.action, done.memory.id) == ("supersede", new[trusted.index(True)].id)


@pytest.mark.parametrize(("trusted", "whose"), [(True, "is trusted"), (False, "is of web:page")])
def test_who_may_not_replace_is_told_whose_it_is(memories: Memories, trusted: bool, whose: str) -> None:
    """On a server, which knows untrusted origins apart."""
    old = replace(memories.remember("the mill grinds rye"), trusted=trusted, origin="web:page")
    grounds = Gate(memories, WriteOptions(), memories.now())._grounds._replace(is_own=lambda origin: False)
    new = again(memories, old, text="the mill grinds oats", trusted=False, origin="mcp:robot")
    related: Any = SimpleNamespace(nearest=[])
    verdict = supersede(Case(new, told=WriterClaims(replaces=old)), grounds, related).verdict
    assert (
        verdict and verdict.action == "hold" and f"{old.id}, which {whose}, and mcp:robot" in verdict.reason
    )


def test_a_validity_is_over_from_its_end_on_and_that_is_told(memories: Memories) -> None:
    now = memories.now()
    assert past_remark(now, now) and not past_remark(now + timedelta(seconds=1), now)
    assert not past_remark(None, now)
    assert "true no longer" in "".join(examined(memories, **PAST).notes) and not examined(memories).notes


def test_a_date_on_another_weekday_than_is_said_is_kept_and_told(memories: Memories) -> None:
    said = datetime(2026, 11, 24, 9, tzinfo=UTC)
    case = examined(memories, text="Submit the grant Monday 25 November", happened_at=said)
    assert case.verdict is None
    assert case.notes == (
        "2026-11-25 is a Wednesday, not a Monday: the date counts (`mem correct` mends it)",
    )
    later = examined(memories, text="Return the book Thursday 25 November", happened_at=said)
    assert "taken for 2027-11-25" in later.notes[0]
    assert not examined(memories, text="Dentist Wednesday 25 November", happened_at=said).notes
