"""memcli as a library: what `memcli` names is there, typed, and loaded only when it is asked for."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from contextlib import redirect_stdout
from datetime import timedelta
from pathlib import Path

import pytest

import memcli
from memcli import BadInput, Draft, Filter, MemcliError, Memories, NotFound, Refused, open_memories
from tests.conftest import TickingClock

PAGE = Path(__file__).parent.parent / "docs" / "library.md"
# Each example with what it prints, where the page shows that.
EXAMPLES = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", PAGE.read_text("utf-8"), re.DOTALL)
HEAVY = {"sqlcipher3", "sqlite_utils", "sqlite_vec", "numpy", "onnxruntime", "typer", "rich", "tokenizers"}


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh Python has loaded after `code`."""
    listing = f"{code}\nimport json, sys\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def ours(modules: set[str]) -> set[str]:
    return {name for name in modules if name.startswith("memcli")}


def test_importing_it_loads_nothing_of_it() -> None:
    assert ours(loaded_by("import memcli; dir(memcli)")) == {"memcli"}


def test_an_error_is_caught_without_loading_a_store_a_model_or_a_command() -> None:
    modules = loaded_by("from memcli import MemcliError")
    assert ours(modules) == {"memcli", "memcli.errors", "memcli.messages"} and not modules & HEAVY


def test_a_store_is_opened_without_loading_a_model_or_a_command() -> None:
    open_memories().close()
    modules = loaded_by("from memcli import open_memories\nopen_memories().close()")
    assert modules & HEAVY == {"sqlcipher3"}


def test_every_public_name_is_there_and_no_other() -> None:
    assert dir(memcli) == sorted(memcli.__all__)
    for name in memcli.__all__:
        assert getattr(memcli, name).__doc__
    with pytest.raises(AttributeError, match="'memcli' has no attribute 'Gate'"):
        memcli.Gate  # type: ignore[attr-defined] # noqa: B018


def test_the_page_names_every_public_name() -> None:
    page = PAGE.read_text("utf-8")
    assert [name for name in memcli.__all__ if f"`{name}" not in page and f"{name}(" not in page] == [
        "__version__"
    ]


def test_the_examples_of_the_page_print_what_it_says(
    compiled_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_CACHE_DIR", str(compiled_cache))
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code, expected in EXAMPLES:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(code, str(PAGE), "exec"), names)
        assert printed.getvalue() == expected, code


PROGRAM = """
from memcli import Draft, Hit, MemcliError, Memories, Memory, Recall, open_memories

def best(memories: Memories, question: str) -> Hit | None:
    answer: Recall = memories.recall(question, memories.within(kinds=("fact",)))
    return answer.hits[0] if answer.hits else None

try:
    with open_memories("x.db", space="work") as opened:
        kept: Memory = opened.remember(Draft(text="Tea is green", tags=("tea",)))
        hit = best(opened, "what is tea like?")
except MemcliError as error:
    raise SystemExit(error.exit_status) from error
"""


def checked(program: str, folder: Path) -> str:
    """What `mypy --strict` says of a program that stands outside the tree and knows it as installed."""
    (folder / "program.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "program.py"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr


def test_a_program_that_uses_it_is_typed(tmp_path: Path) -> None:
    page = "".join(code for code, _ in EXAMPLES)
    assert checked(PROGRAM, tmp_path).startswith("Success")
    assert checked(page, tmp_path).startswith("Success")
    wrong = "from memcli import Draft, Gate\nDraft(text=1).tags.append('x')\n"
    said = checked(wrong, tmp_path)
    assert 'no attribute "Gate"' in said and "[arg-type]" in said and 'no attribute "append"' in said


def test_a_text_and_a_draft_are_remembered_and_recalled(memories: Memories) -> None:
    plain = memories.remember("The staging server listens on port 8443")
    kept = memories.remember(Draft(text="Never deploy on Fridays", tags=("ops",), importance=0.9))
    assert (kept.kind, kept.tags, kept.importance) == ("constraint", ("ops",), 0.9)
    assert [hit.memory.id for hit in memories.recall("staging server").hits] == [plain.id]
    assert memories.recall("staging server", memories.within(tags=("ops",))).hits == []
    assert memories.recall("staging server", Filter(spaces=("elsewhere",))).hits == []


def test_what_is_similar_is_judged_by_the_clock(memories: Memories, clock: TickingClock) -> None:
    kept = memories.remember("The staging server listens on port 8443")
    passing = memories.remember(Draft(text="The staging server is down", ttl=timedelta(hours=1)))
    where = Filter()
    assert [hit.memory.id for hit in memories.similar(kept, where).hits] == [passing.id]
    clock.advance(hours=2)
    assert memories.similar(kept, where).hits == []


def test_every_error_is_a_memcli_error(memories: Memories, tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        memories.remember("my password is hunter2Zq!9")
    with pytest.raises(BadInput) as bad:
        memories.remember(" ")
    with pytest.raises(NotFound) as missing:
        open_memories(tmp_path / "none.db", create=False)
    raised: list[MemcliError] = [refused.value, bad.value, missing.value]
    assert [error.exit_status for error in raised] == [3, 2, 1]
    assert refused.value.rule == "secret:password"
