"""`mem page` in a real browser: what is on it can be found and looked at, and nothing on it does anything."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import pytest

from memcli.memories import Memories
from memcli.model import Kind
from memcli.text.printable import written_out
from memcli.views.page.html import memories_page
from tests.views.browser import Opened, opened
from tests.views.pages import HOSTILE, NOON, ended, link, memory, page_of, put

_NAMELESS = """
[...document.querySelectorAll("button, input, select, canvas")]
  .filter((each) => each.checkVisibility())
  .filter((each) => !each.textContent.trim() && !each.ariaLabel && !each.labels?.length)
  .map((each) => each.outerHTML)
"""
KINDS_OF_ALL = get_args(Kind)
KINDS = ("fact", "preference", "episode", "constraint")


@pytest.fixture
def page(memories: Memories, tmp_path: Path) -> Path:
    """Two hundred memories over as many days, and a small graph."""
    some = [
        memory(
            n, f"The {'kettle' if n % 2 else 'bicycle'} number {n} stands in the café", kind=KINDS[n % 4],
            tags=("odd",) if n % 2 else ("even", "ops"), confidence=0.7 if n % 10 == 0 else 1.0,
        )
        for n in range(200)
    ]  # fmt: skip
    some[3] = ended(some[3], "forgotten")
    put(memories, some)
    for said in (("Ann", "works_at", "Acme"), ("Acme", "based_in", "Oslo"), ("Bob", "knows", "Ann")):
        link(memories, *said, evidence=some[0].id)
    return page_of(memories, tmp_path)


def status(shown: Opened, wanted: str) -> None:
    """Wait until the page says so; a pattern, matched whole."""
    shown.until(lambda: bool(re.fullmatch(wanted, shown.page.inner_text("#status"))))


def texts(shown: Opened) -> list[str]:
    # What is not in sight is not laid out, and has no inner text.
    found: list[str] = shown.page.locator(".memory .text").all_text_contents()
    return found


def test_search_needs_all_words_in_any_spelling_and_marks_them(browser: Any, page: Path) -> None:
    with opened(browser, page) as shown:
        status(shown, "200 memories")
        shown.page.keyboard.press("/")
        shown.page.keyboard.type("KETTLE cafe")
        status(shown, "100 of 200 memories")
        assert all("kettle" in text for text in texts(shown))
        # The first word alone finds as many: the count does not tell that the second has been looked for.
        shown.until(lambda: set(shown.page.locator(".memory mark").all_text_contents()) == {"kettle", "café"})
        shown.page.fill("#query", '"number 12" -"number 120" -kettle')
        status(shown, "5 of 200 memories")
        assert {re.search(r"\d+", text)[0] for text in texts(shown)} == {"12", "122", "124", "126", "128"}  # type: ignore[index]
        shown.page.keyboard.press("Escape")
        status(shown, "200 memories")
        shown.page.fill("#query", "nowhere to be found")
        status(shown, "0 of 200 memories")
        assert "Nothing fits" in shown.page.inner_text("#list")
        assert shown.faults() == []


def test_filters_are_any_within_one_and_all_together(browser: Any, page: Path) -> None:
    with opened(browser, page) as shown:
        shown.page.get_by_label(re.compile("^preference")).check()
        status(shown, "50 of 200 memories")
        shown.page.get_by_label(re.compile("^constraint")).check()
        status(shown, "100 of 200 memories")
        # What a filter would find is counted under all the others.
        numbers = shown.page.locator(".facet-tag .choice").all_inner_texts()
        assert [" ".join(each.split()) for each in numbers] == ["even 0", "odd 100", "ops 0"]
        shown.page.get_by_label(re.compile("^forgotten")).check()
        status(shown, "1 of 200 memories")
        assert "forgotten" in shown.page.inner_text(".memory")
        shown.page.get_by_role("button", name="Clear all").click()
        status(shown, "200 memories")
        shown.page.fill("#from-day", "2026-05-01")
        shown.page.fill("#until-day", "2026-05-02")
        status(shown, "2 of 200 memories")
        shown.page.get_by_role("button", name="#odd").first.click()
        status(shown, "1 of 200 memories")
        assert shown.faults() == []


def test_the_timeline_chooses_a_period_by_mouse_and_by_keys(browser: Any, page: Path) -> None:
    with opened(browser, page) as shown:
        box = shown.page.locator(".plot svg").bounding_box()
        shown.page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 30)
        shown.page.mouse.down()
        shown.page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 30, steps=4)
        shown.page.mouse.up()
        status(shown, r"[45]\d of 200 memories")
        shown.page.get_by_role("button", name="All time").click()
        status(shown, "200 memories")
        slider = shown.page.get_by_role("slider", name="Timeline")
        slider.focus()
        slider.press("End")
        assert re.search(r"^week of Mon, 27 Apr 2026: 7 memories$", slider.get_attribute("aria-valuetext"))
        slider.press("Enter")
        status(shown, r"7 of 200 memories")
        slider.press("Shift+ArrowLeft")
        status(shown, r"14 of 200 memories")
        slider.press("Escape")
        status(shown, "200 memories")
        assert shown.faults() == []


def test_a_memory_opens_by_keys_and_all_of_a_list_can_be_reached(browser: Any, page: Path) -> None:
    with opened(browser, page) as shown:
        first = shown.page.locator(".memory").first
        first.get_by_role("button", name=re.compile("Details")).focus()
        shown.page.keyboard.press("Enter")
        assert "70 %" in first.inner_text() and "2026-05-03 12:00" in first.inner_text()
        shown.page.keyboard.press("Enter")
        assert "2026-05-03 12:00" not in first.inner_text()
        assert shown.page.locator(".memory").count() < 200

        def at_the_end() -> bool:
            shown.page.keyboard.press("End")
            return bool(shown.page.locator(".memory").count() == 200)

        shown.until(at_the_end)
        shown.page.select_option("#order", "oldest")
        shown.until(lambda: "number 199" in texts(shown)[0])
        assert shown.faults() == []


def test_the_graph_is_drawn_dragged_zoomed_and_told_in_words(browser: Any, page: Path) -> None:
    with opened(browser, page, reduced_motion="reduce") as shown:
        shown.page.get_by_role("button", name="Graph", exact=True).click()
        status(shown, "4 entities, 3 links")
        canvas = shown.page.locator("canvas")
        assert "4 entities and 3 links" in canvas.get_attribute("aria-label")
        seen = [canvas.screenshot()]
        box = canvas.bounding_box()
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        shown.page.mouse.move(*middle)
        shown.page.mouse.wheel(0, -400)
        shown.page.wait_for_timeout(100)
        seen.append(canvas.screenshot())
        shown.page.mouse.move(middle[0] + 200, middle[1] + 200)
        shown.page.mouse.down()
        shown.page.mouse.move(middle[0] + 90, middle[1] + 130, steps=3)
        shown.page.mouse.up()
        shown.page.wait_for_timeout(100)
        seen.append(canvas.screenshot())
        canvas.focus()
        shown.page.keyboard.press("-")
        shown.page.keyboard.press("ArrowLeft")
        shown.page.wait_for_timeout(100)
        seen.append(canvas.screenshot())
        assert len(set(seen)) == 4
        shown.page.get_by_role("button", name=re.compile("^Acme")).click()
        words = " ".join(shown.page.inner_text(".chosen").split())
        assert words == "Acme based_in → Oslo ← works_at Ann 1 memory that says so"
        shown.page.get_by_role("button", name="Oslo", exact=True).click()
        assert "based_in Acme" in " ".join(shown.page.inner_text(".chosen").split())
        shown.page.get_by_role("button", name=re.compile("^1 memory")).click()
        assert texts(shown) == ["The bicycle number 0 stands in the café"]
        shown.page.get_by_role("button", name="Show all again").click()
        status(shown, "200 memories")
        assert shown.faults() == []


def test_of_a_large_graph_the_neighbourhood_of_the_search_is_shown(
    browser: Any, memories: Memories, tmp_path: Path
) -> None:
    content = {
        "made": "2026-05-03T12:00:00.000Z", "kinds": [], "memories": [],
        "graph": {
            "entities": [{"name": f"node {n:04}"} for n in range(3000)],
            "links": [{"from": n, "to": (n * 7 + 1) % 3000, "relation": "to"} for n in range(3000)],
        },
    }  # fmt: skip
    path = tmp_path / "large.html"
    path.write_text(memories_page(content), "utf-8")
    with opened(browser, path) as shown:
        assert re.match(
            r"150 of 3,000 entities, \d+ links: those with most links", shown.page.inner_text("#status")
        )
        shown.page.fill("#query", "node 2718")
        status(shown, r"\d{1,2} of 3,000 entities, \d+ links?")
        names = shown.page.locator(".entity").all_inner_texts()
        assert 3 <= len(names) <= 20 and any("node 2718" in name for name in names)
        assert shown.faults() == []


@pytest.fixture
def hostile(memories: Memories, tmp_path: Path) -> Path:
    some = [
        memory(n, text, tags=(text[:60],), session=text[:40], origin=text[:50])
        for n, text in enumerate(HOSTILE)
    ]
    some.append(memory(90, "word " * 200_000, source="imported"))
    some.append(memory(91, "at the end of time", at=NOON.replace(year=9999)))
    some.append(memory(92, "at its beginning", at=NOON.replace(year=1)))
    some.append(memory(93, "not yours", trusted=False))
    put(memories, some)
    for number, text in enumerate(HOSTILE):
        link(memories, text[:60], text[:40], f"{number} {text}"[:60])
    return page_of(memories, tmp_path)


def test_no_text_is_ever_markup(browser: Any, hostile: Path) -> None:
    page = hostile.read_text("utf-8")
    assert page.count("<script") == page.count("</script") == 2
    assert not re.search("[\u2028\u2029\u202e\u2066\x07\x1b\x01]", page)
    with opened(browser, hostile) as shown:
        seen = " ".join(texts(shown))
        for text in HOSTILE:
            assert " ".join(written_out(text).split()) in " ".join(seen.split()), text
        for name in ("list", "graph"):
            shown.page.get_by_role("button", name=name.title(), exact=True).click()
            for tag in ("img", "base", "iframe", "object", "link", "form", "b"):
                assert shown.page.locator(tag).count() == 0, tag
        assert shown.page.locator("script").count() == 2 and shown.page.locator("style").count() == 1
        for each in shown.page.locator(".entity").all():
            each.click()
        assert shown.page.url == hostile.as_uri()
        assert shown.faults() == []


def test_a_megabyte_is_shown_bit_by_bit_and_searched_whole(browser: Any, hostile: Path) -> None:
    with opened(browser, hostile) as shown:
        shown.page.fill("#query", "word")
        status(shown, "1 of 16 memories")
        [text] = texts(shown)
        assert len(text) < 1000 and "more (1,000,000 signs)" in text
        shown.page.get_by_role("button", name=re.compile("^more")).click()
        assert 40_000 < len(texts(shown)[0]) < 60_000
        shown.page.fill("#query", "untrusted")
        shown.page.get_by_label(re.compile("^others")).check()
        shown.page.fill("#query", "")
        status(shown, "1 of 16 memories")
        assert "untrusted" in shown.page.inner_text(".memory")
        assert shown.faults() == []


def test_a_page_that_was_tampered_with_does_not_run(browser: Any, page: Path) -> None:
    text = page.read_text("utf-8")
    for changed in (
        text.replace('"use strict"', '"use  strict"'),
        text.replace(
            "</body>", "<script>document.documentElement.className = 'ready'</script></body>"
        ).replace('"use strict"', "0"),
    ):
        page.write_text(changed, "utf-8")
        with opened(browser, page) as shown:
            assert shown.page.locator("html.ready").count() == 0
            assert any("script-src" in fault for fault in shown.faults())


def test_on_paper_there_is_all_that_was_found_and_nothing_to_press(browser: Any, page: Path) -> None:
    with opened(browser, page) as shown:
        shown.page.fill("#query", "kettle")
        status(shown, "100 of 200 memories")
        assert shown.page.pdf()[:5] == b"%PDF-"
        assert shown.page.locator(".memory").count() == 100
        shown.page.emulate_media(media="print")
        assert not shown.page.locator("#query, #filters, #theme, .views, .order").filter(visible=True).count()
        assert shown.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert shown.faults() == []


def test_without_scripts_it_is_a_list(browser: Any, page: Path) -> None:
    with opened(browser, page, java_script_enabled=False) as shown:
        assert shown.page.locator("noscript li").count() == 200
        told = shown.page.inner_text("body")
        assert (
            "200 memories. With scripts allowed" in told
            and "kettle number 3" in told
            and "(forgotten)" in told
        )
        assert not shown.page.locator("#query").is_visible()


@pytest.mark.parametrize("size", [(320, 568), (800, 600), (1280, 800)])
def test_nothing_sticks_out_at_the_side_and_everything_has_a_name(
    browser: Any, hostile: Path, size: tuple[int, int]
) -> None:
    options = {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": "dark"}
    with opened(browser, hostile, **options) as shown:
        for name in ("List", "Graph"):
            shown.page.get_by_role("button", name=name, exact=True).click()
            assert shown.page.evaluate("document.documentElement.scrollWidth") <= size[0]
            nameless = shown.page.evaluate(_NAMELESS)
            assert nameless == []
        shown.page.get_by_role("button", name=re.compile("Colours")).click()
        assert shown.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(250, 248, 244)"


def test_data_is_read_back_as_it_was(memories: Memories, tmp_path: Path) -> None:
    put(memories, [memory(n, text) for n, text in enumerate(HOSTILE)])
    page = page_of(memories, tmp_path).read_text("utf-8")
    block = page.split('<script type="application/json" id="data">')[1].split("</script>")[0]
    assert not set("<>&\u2028\u2029") & set(block)
    data = json.loads(block)
    assert [each["text"] for each in data["memories"]] == [written_out(text) for text in HOSTILE]
    assert data["made"].startswith("2026-05-03T12:")


def _luminance(colour: str) -> float:
    """The relative luminance of a colour (https://www.w3.org/TR/WCAG22/#dfn-relative-luminance)."""
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("look", [0, 1, 2, 3], ids=["light", "dark", "dark by choice", "print"])
def test_every_colour_of_text_can_be_read_on_its_ground(look: int) -> None:
    """4.5 to 1 for text, 3 to 1 for marks (https://www.w3.org/TR/WCAG22/#contrast-minimum)."""
    style = files("memcli.views.page").joinpath("web", "page.css").read_text("utf-8")
    looks = [
        dict(re.findall(r"--([a-z]+): (#[0-9a-f]{3,6})", block))
        for block in re.findall(r"\{[^{}]*--paper:[^{}]*\}", style)
    ]
    assert len(looks) == 4
    colours = looks[look]

    def contrast(one: str, other: str) -> float:
        lighter, darker = sorted((_luminance(colours[one]), _luminance(colours[other])), reverse=True)
        return (lighter + 0.05) / (darker + 0.05)

    for ground in ("paper", "card"):
        for ink in {"ink", "muted", "accent", "warn"} & colours.keys():
            assert contrast(ink, ground) >= 4.5, (ink, ground)
        for kind in KINDS_OF_ALL:
            assert contrast(kind, ground) >= 3, (kind, ground)
    assert contrast("ink", "mark") >= 4.5
