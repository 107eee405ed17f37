"""Three answers: sure ones as ever, weak ones few and marked, and none."""

from __future__ import annotations

import json

import pytest

from memcli.changes.forgetting.selection import choose_memories
from memcli.memories import Memories
from memcli.prompt import formats
from memcli.recall.results import RankingSettings, weak_limit
from memcli.text.question import asks_measure
from memcli.tiers.context.gather import gather
from tests.conftest import Run

NOTES = [
    "Priya Raman owns infrastructure; ping her before anyone touches Terraform.",
    "Prefers Python over JavaScript, can live with Go.",
    "The staging server listens on port 8443",
    "Allergic to cashews and pistachios, peanuts are fine.",
    "Standup is at nine, retro on the last Thursday of the month",
    "The cat is called Semaphore and eats dry food only",
    "Jonas sits in Berlin and does the billing service",
]
# What no note answers, though one is about the same.
UNANSWERED = ("how old is Semaphore", "Jonas's phone number", "what does the cat weigh")
ANSWERED = (
    "which port does staging use?",
    "am I allergic to pistachios?",
    "who owns infrastructure and must be pinged before Terraform is touched?",
)


@pytest.fixture
def filled(mem: Run) -> Run:
    assert mem("remember", "--batch", input="\n".join(NOTES)).returncode == 0
    return mem


def test_what_is_near_and_no_answer_is_marked_wherever_it_is_printed(filled: Run) -> None:
    for query in UNANSWERED:
        lines = [json.loads(line) for line in filled("recall", query, "--json").stdout.splitlines()]
        assert 0 < len(lines) <= weak_limit(len(NOTES)) and all(line["weak"] is True for line in lines), query
        page = filled("recall", query)
        assert (page.returncode, page.stderr) == (0, "")
        assert page.stdout.splitlines()[2] == formats.WEAK
        text = filled("recall", query, "--format", "text").stdout.splitlines()
        assert text and all(line.endswith(formats.WEAK_MARK) for line in text)
        assert formats.WEAK_MARK.strip() in filled("recall", query, "--format", "table").stdout
        # What goes into `xargs mem forget` is sure.
        ids = filled("recall", query, "--format", "ids")
        assert (ids.returncode, ids.stdout) == (1, "")
        assert filled("recall", query, "--format", "tsv").stdout


def test_a_sure_answer_is_not_marked(filled: Run) -> None:
    for query in ANSWERED:
        lines = [json.loads(line) for line in filled("recall", query, "--json").stdout.splitlines()]
        assert lines and not any(line["weak"] for line in lines), query
        assert "weak" not in filled("recall", query, "--format", "text").stdout
        assert formats.WEAK not in filled("recall", query).stdout


def test_what_few_words_ask_is_hardly_refused(filled: Run) -> None:
    for query, text in (
        ("who is responsible for infrastructure?", NOTES[0]),
        ("programming languages", NOTES[1]),
        ("what port is the web frontend on", NOTES[2]),
    ):
        assert text in filled("recall", query).stdout


def test_the_sure_line_is_a_setting_and_is_explained(filled: Run) -> None:
    explained = filled("recall", UNANSWERED[0], "--explain", "--json").stdout.splitlines()
    floor = json.loads(explained[-1])["floor"]
    assert floor["weak"] and 0 < floor["sureness"] < 0.5 and floor["asks_measure"]
    assert "sure of an answer: " in filled("recall", UNANSWERED[0], "--explain").stdout
    assert filled("config", "set", "min_sure", "0").returncode == 0
    lines = [json.loads(line) for line in filled("recall", UNANSWERED[0], "--json").stdout.splitlines()]
    assert lines and not any(line["weak"] for line in lines)
    assert filled("config", "set", "min_sure", "1").returncode == 0
    assert '"weak":true' in filled("recall", ANSWERED[0], "--json").stdout


def test_beside_what_the_graph_says_what_is_only_near_is_marked_line_by_line(filled: Run) -> None:
    assert filled("link", "Semaphore", "born_in", "Oslo").returncode == 0
    query = UNANSWERED[0]
    page = filled("recall", query)
    lines = [line for line in page.stdout.splitlines() if line.startswith("- [")]
    assert "born_in" in page.stdout and formats.WEAK not in page.stdout + page.stderr
    assert lines and all(f", {formats.WEAKLY}] " in line for line in lines)
    # Ids are those of hits alone, of which none surely answers.
    assert formats.WEAK in filled("recall", query, "--format", "ids").stderr
    again = filled("remember", "--batch", "--json", input=page.stdout)
    assert not any(json.loads(line).get("action") == "take" for line in again.stdout.splitlines())


def test_a_weak_page_piped_back_is_known_again(filled: Run) -> None:
    page = filled("recall", UNANSWERED[0]).stdout
    assert formats.WEAK in page
    assert filled("remember", "-", input=page).returncode == 3
    assert filled("remember", "--batch", input=f"{formats.WEAK}\n").stdout == ""
    kept = [json.loads(line)["text"] for line in filled("list", "--json").stdout.splitlines()]
    assert sorted(kept) == sorted(NOTES)


def test_who_asks_for_no_floor_gets_the_whole_list_marked_all_the_same(memories: Memories) -> None:
    for number in range(8):
        memories.remember(f"tea note {number}")
    whole = memories.recall("tea kettle", settings=RankingSettings(min_score=0.0, min_sure=1.0))
    assert whole.weak and len(whole.hits) == 8
    short = memories.recall("tea kettle", settings=RankingSettings(min_score=0.01, min_sure=1.0))
    assert short.weak and len(short.hits) == weak_limit(8) == 3
    assert gather(memories, short).weak and not gather(memories, short._replace(weak=False)).weak


def test_what_is_only_near_counts_as_no_use_and_is_not_forgotten(memories: Memories) -> None:
    kept = memories.remember("The kettle is red")
    memories.recall("kettle warranty papers", settings=RankingSettings(min_score=0.01, min_sure=1.0))
    assert memories.find(kept.id).accessed_at is None
    assert not choose_memories(memories, memories.within(), query="unheard-of thing with a kettle somewhere")


def test_a_number_is_asked_for_in_several_languages() -> None:
    for question in (
        "how old is the cat", "how many tiles are left", "how much is the rent", "combien je gagne",
        "cuántos años tiene", "quanto costa", "quantos anos tem", "hoeveel kost het", "wieviel kostet es",
    ):  # fmt: skip
        assert asks_measure(question), question
    for question in (
        "who runs infra?",
        "where does Ann live",
        "wo liegen die Reifen",
        "how is Ann",
        "programming languages I like",
    ):
        assert not asks_measure(question), question
