"""What leads to a list, a heading, a rule and the frame of a table are never memories of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.importers.records import Relation, Skill, Statement
from memcli.memories import Memories
from memcli.model import Filter
from memcli.upkeep.exchange.documents import csv_lines, markdown_lines
from memcli.write_policy.drafts import Draft
from tests.importers.files import read


def _texts(folder: Path, text: str, source: str = "markdown", name: str = "N1.md") -> list[str]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    found = [each for each in read(source, path) if isinstance(each, Statement)]
    return [each.text.removeprefix("N1: ") for each in found]


LEADS = [
    "Things for guests:", "Was Gäste wissen müssen:", "Chez nous :", "Para los invitados:",
    "Per gli ospiti:", "Voor gasten:", "Para os hóspedes:", "要記住：",
]  # fmt: skip
SAYING_NOTHING = [
    "Things to remember:", "Notes:", "Things I must not forget:", "Was man wissen muss:", "Nicht vergessen:",
    "À ne pas oublier :", "Notes diverses :", "Cosas que recordar:", "No olvidar:", "Cose da ricordare:",
    "Dingen om te onthouden:", "Coisas a lembrar:",
]  # fmt: skip
TELLING = [
    "Things not to do:", "Never:", "Things we need:", "To do:", "Wichtig für Mia:", "Ne pas dire :",
    "Cosas de Ana:", "Da comprare:", "Niet doen:", "Não comprar:",
]  # fmt: skip


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_lead_is_part_of_what_it_leads_to(tmp_path: Path, lead: str, gap: str) -> None:
    said = lead.rstrip(":： ")
    listed = _texts(
        tmp_path, f"# House\n\n{lead}{gap}- The key is under the pot\n- The boiler is from 2012\n"
    )
    assert listed == [f"{said}: The key is under the pot", f"{said}: The boiler is from 2012"]
    coded = _texts(
        tmp_path, f"# House\n\n{lead} {gap}```sh\nping 1.1.1.1\n```\n\nThe hall is grey on all sides.\n"
    )
    assert len(coded) == 2 and said in coded[0] and coded[0].endswith("\n```sh\nping 1.1.1.1\n```")
    rows = _texts(
        tmp_path, f"{lead}{gap}| Room | Colour |\n|---|:-:|\n| Hall | grey |\n| Kitchen | white |\n"
    )
    assert rows == [f"{said}: Room: Hall, Colour: grey", f"{said}: Room: Kitchen, Colour: white"]
    prose = _texts(tmp_path, f"{lead}\n\nThe key is under the pot.\n\nAnn lives next door to us.\n")
    assert prose == [f"{said}: The key is under the pot.", "Ann lives next door to us."]


def test_a_lead_that_says_nothing_of_the_items_is_not_put_before_them(tmp_path: Path) -> None:
    for source, name in (("markdown", "N1.md"), ("text", "N1.txt"), ("rules", "CLAUDE.md")):
        for lead in (*SAYING_NOTHING, *TELLING):
            before = "" if lead in SAYING_NOTHING else lead.rstrip(" :") + ": "
            listed = _texts(tmp_path, f"{lead}\n- The key is under the pot\n- Go by bus\n", source, name)
            assert listed == [f"{before}The key is under the pot", f"{before}Go by bus"], lead
    assert _texts(tmp_path, "# Notes\n\nThings to remember:\n\nTo buy:\n- oat milk\n") == ["To buy: oat milk"]
    assert _texts(tmp_path, "Tom swims\n", name="Notes.md") == ["Tom swims"]


def test_what_stands_before_the_lead_is_a_note(tmp_path: Path) -> None:
    found = _texts(tmp_path, "The boat is old and slow. It needs:\n\n- paint\n- a new rope for the anchor\n")
    assert found == ["The boat is old and slow.", "It needs: paint", "It needs: a new rope for the anchor"]


def test_a_line_right_above_its_list_leads_to_it(tmp_path: Path) -> None:
    assert _texts(tmp_path, "Shopping\n- milk\n- eggs\n") == ["Shopping: milk", "Shopping: eggs"]
    apart = _texts(tmp_path, "Ann drinks tea every day.\n- milk is in the fridge there\n")
    assert apart == ["Ann drinks tea every day.", "milk is in the fridge there"]


def test_leads_lead_on_and_nowhere(tmp_path: Path) -> None:
    assert _texts(tmp_path, "For Rome:\n\nTo buy:\n- sun cream\n") == ["For Rome: To buy: sun cream"]
    assert _texts(tmp_path, "Todo:\n\n# Later\n\nTodo:\n") == []
    # What is no lead of anything, and says something, is not lost.
    assert _texts(tmp_path, "The code of the gate at Ann's is this:\n") == [
        "The code of the gate at Ann's is this:"
    ]


def test_marks_of_items_are_read_behind_a_lead(tmp_path: Path) -> None:
    path = tmp_path / "N1.md"
    path.write_text(
        "For the boat [[Pearl]]:\n- [ ] buy paint\n- [preference] red paint\n- moored_at [[Oslo]]\n"
    )
    found = read("obsidian", path)
    said = [(each.text, each.kind, each.tags) for each in found if isinstance(each, Statement)]
    assert said == [
        ("N1: For the boat Pearl: buy paint", None, ("todo",)),
        ("N1: For the boat Pearl: red paint", "preference", ("preference",)),
    ]
    links = [(each.relation, each.object) for each in found if isinstance(each, Relation)]
    assert links == [("links_to", "Pearl"), ("moored_at", "Oslo")]


RULES = ["---", "***", "___", "- - -", "* * *", " ----- ", "====="]


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_only_parts(tmp_path: Path, rule: str) -> None:
    a, b = "Ann likes tea in the morning.", "Bob rows on the lake."
    for text in (
        f"{a}\n{rule}\n{b}\n",
        f"{a}\n\n{rule}\n\n{b}\n",
        f"- {a}\n{rule}\n- {b}\n",
        f"{rule}\n{a}\n\n{b}",
    ):
        if rule.strip("= ") == "" and text.startswith(a):
            continue  # there it makes a heading
        found = _texts(tmp_path, text)
        assert found == [a, b], (text, found)


def test_frames_of_tables_are_none(tmp_path: Path) -> None:
    headless = _texts(tmp_path, "|---|---|\n| Hall | grey |\n")
    assert headless == ["Hall, grey"]
    on_prose = _texts(
        tmp_path, "The house was painted in May.\n| Room | Colour |\n|---|---|\n| Hall | grey |\n"
    )
    assert on_prose == ["The house was painted in May.", "Room: Hall, Colour: grey"]


def test_code_below_a_deep_item_is_its_own(tmp_path: Path) -> None:
    code = "     ```sh\n# not a heading\n- no item\n\n     ```\n"
    text = f"- Back up the store of the boat\n\n{code}\n- Then go home and sleep\n"
    found = _texts(tmp_path, text)
    assert len(found) == 2 and "# not a heading" in found[0] and found[1] == "Then go home and sleep"


def test_rules_keep_what_leads_to_them(tmp_path: Path) -> None:
    assert _texts(tmp_path, "# Git\n\nNever:\n\n- push to main on Fridays\n", "rules", "CLAUDE.md") == [
        "Never: push to main on Fridays"
    ]
    path = tmp_path / "CLAUDE.md"
    path.write_text("## Build\n\nRun this first:\n\n```sh\nmake all\n```\n")
    [skill] = [each for each in read("rules", path) if isinstance(each, Skill)]
    assert skill.steps == ("Run this first:\n```sh\nmake all\n```",)


PLAIN = """\
HOUSE
=====
- The key is under the pot
• Der Boiler ist von 2012

# Garden
To buy:
milk
2) eggs

La clé du garage est chez Anne
The long letter from the bank says that the house may not
be sold before the roof is mended.
-----
Todo:
"""


def test_plain_text_is_a_note_a_line(tmp_path: Path) -> None:
    assert _texts(tmp_path, PLAIN, "text", "N1.txt") == [
        "The key is under the pot",
        "Der Boiler ist von 2012",
        "Garden: To buy: milk",
        "Garden: To buy: eggs",
        "La clé du garage est chez Anne",
        "The long letter from the bank says that the house may not be sold before the roof is mended.",
    ]
    windows = _texts(tmp_path, "\ufeff" + PLAIN.replace("\n", "\r\n"), "text", "N1.txt")
    assert windows == _texts(tmp_path, PLAIN, "text", "N1.txt")


OWN = ("To do:", "Things:\n- a\n- b", "a\n---", "| a |\n|---|\n| b |", "```\nx:\n```", "# Head", "ends in:")


def test_our_own_documents_come_back_as_they_were(memories: Memories, tmp_path: Path) -> None:
    for text in OWN:
        memories.remember(Draft(text=text, kind="fact"))
    kept = list(memories.store.select(Filter()))
    for name, lines in (("markdown", markdown_lines(kept)), ("csv", csv_lines(kept))):
        path = tmp_path / f"all.{name[:2]}"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        found = [(each.id, each.text) for each in read(name, path) if isinstance(each, Statement)]
        assert sorted(found) == sorted((each.id, each.text) for each in kept)


ITEMS = {
    "- Plant garlic before the first hard frost, about 4 cm deep and\n  15 cm apart from each other":
        "Plant garlic before the first hard frost, about 4 cm deep and 15 cm apart from each other",
    "* Ann rows\n\ton Sundays\n\tin Oslo": "Ann rows on Sundays in Oslo",
    "1. Der Schlüssel liegt\n   Bei Anne im Flur": "Der Schlüssel liegt Bei Anne im Flur",
    "  - La llave está\n    bajo la maceta": "La llave está bajo la maceta",
}  # fmt: skip


@pytest.mark.parametrize(("item", "whole"), ITEMS.items())
def test_what_is_indented_below_an_item_is_part_of_it(tmp_path: Path, item: str, whole: str) -> None:
    after = "- The boiler is from 2012"
    found = _texts(tmp_path, f"{item}\n{after}\n", "text", "N1.txt")
    assert found == [whole, "The boiler is from 2012"]
    assert " ".join(_texts(tmp_path, f"{item}\n{after}\n")[0].split()) == whole


def test_lines_that_are_not_below_an_item_are_notes_of_their_own(tmp_path: Path) -> None:
    listed = (
        "- For the boat:\n  paint\n  a rope\n\n- Ann rows\n  - in Oslo\nBob rows as well\n\n  Carl swims\n"
    )
    assert _texts(tmp_path, listed, "text", "N1.txt") == [
        "For the boat: paint", "For the boat: a rope", "Ann rows", "in Oslo", "Bob rows as well",
        "Carl swims",
    ]  # fmt: skip


def test_a_box_says_the_same_in_every_source(tmp_path: Path) -> None:
    listed = (
        "- [ ] bleed all of the radiators upstairs\n- [x] mow all of the lawn behind\n"
        "- [/] sort all of the shed outside\n- [-] sell all of the old mowers\n"
        "- [Ann](a.md) rows every Sunday\n"
    )
    for source, name in (("text", "N1.txt"), ("markdown", "N1.md"), ("rules", "CLAUDE.md")):
        (tmp_path / name).write_text(listed)
        found = [each for each in read(source, tmp_path / name) if isinstance(each, Statement)]
        tags = [tuple(each for each in one.tags if each != "CLAUDE") for one in found]
        assert tags == [("todo",), ("done",), ("todo",), ("cancelled",), ()], source
        assert [each.text.removeprefix("N1: ") for each in found][:4] == [
            "bleed all of the radiators upstairs", "mow all of the lawn behind",
            "sort all of the shed outside", "sell all of the old mowers",
        ], source  # fmt: skip
