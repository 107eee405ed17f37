"""An error as an agent reads it: without what only who has a shell can do."""

from __future__ import annotations

from memcli.agents.tools.replies import error_line
from memcli.errors import BadInput, NotFound, StoreUnusable


def test_an_agent_is_told_what_is_wrong_and_no_command_line() -> None:
    lost = NotFound("no memory 'X' in space 'default'", by_hand="`mem list` shows ids, --space names another")
    assert error_line(lost) == "no memory 'X' in space 'default'"
    assert error_line(BadInput("ids: name at least one")) == "ids: name at least one"
    assert (
        error_line(BadInput("a is empty", advice="give a name", by_hand="--all is everything"))
        == "a is empty; give a name"
    )


def test_what_is_wrong_with_the_store_is_for_its_owner() -> None:
    broken = StoreUnusable("m.db: damaged", by_hand="run `mem doctor`")
    assert error_line(broken) == "m.db: damaged; run `mem doctor`"
