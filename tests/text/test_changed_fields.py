"""What changed in a field, told so that the two sides can be told apart."""

from __future__ import annotations

import pytest

from memcli.text.changed_fields import field_changes

JUDGED = {"about: other": 0.662, "due": 0.997, "kind: episode": 0.889}


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (None, 3, [("data", "-", "3")]),
        ("here", "there", [("data", "here", "there")]),
        ({"judged": JUDGED}, {"judged": {**JUDGED, "due": 0.5}}, [("data.judged.due", "0.997", "0.5")]),
        (
            {"judged": JUDGED, "a": [1, 2]}, {"judged": {"about: other": 0.662, "due": 0.997}, "a": [1]},
            [('data.judged."kind: episode"', "0.889", "-"), ("data.a", "[1, 2]", "[1]")],
        ),
        (None, {"judged": {"due": 1}}, [("data.judged.due", "-", "1")]),
        ({"judged": {"due": 1}}, None, [("data.judged.due", "1", "-")]),
        ({}, None, [("data", "{}", "-")]),
        ({"x": {"y": 1}}, {"x": 1}, [("data.x", '{"y": 1}', "1")]),
    ],
)  # fmt: skip
def test_of_nested_data_the_changed_keys_alone_are_told(
    before: object, after: object, told: list[tuple[str, str, str]]
) -> None:
    assert list(field_changes("data", before, after)) == told


def test_long_texts_are_shown_where_they_differ() -> None:
    common = "all that both of them say before they come to the point, word by word"
    [(_, before, after)] = field_changes("text", f"{common}: red", f"{common}: blue" + " and so on" * 9)
    assert before == "… word by word: red" and after.startswith("… word by word: blue and so on")
    assert len(after) == 60 and after.endswith("…")
    [(_, before, after)] = field_changes("text", "red " + common, "blue " + common)
    assert (before[:4], after[:5]) == ("red ", "blue ") and len(before) == len(after) == 60
