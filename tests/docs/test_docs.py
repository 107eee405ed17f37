"""The documentation is true: what is generated is current, what is shown happens, links lead somewhere."""

from __future__ import annotations

import os
import pty
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli.command_line.loading import load_command
from memcli.command_line.table import COMMANDS
from memcli.commands.help import plain
from tests.conftest import MEM, Run
from tests.docs import generate, reference, replay
from tests.docs.replay import ROOT, Replay
from tests.terminals import all_shown

PAGES = replay.pages()
WRITTEN = [*PAGES, *sorted((ROOT / "docs" / "commands").glob("*.md")), ROOT / "CHANGELOG.md"]
needs_bash = pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed here")


@pytest.fixture(scope="module")
def replaying(compiled_cache: Path) -> Iterator[Replay]:
    with Replay(compiled_cache) as opened:
        yield opened


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def leaves() -> list[reference.Entry]:
    """Every command that does something: of a group, those below it."""
    entries = [each for command in COMMANDS for each in reference.entries(command)]
    return [each for each in entries if not hasattr(each.command, "commands")]


# What is generated


def test_what_is_generated_is_current() -> None:
    assert generate.stale() == [], "python -m tests.docs.generate"


def test_every_command_has_help_a_page_and_examples() -> None:
    for each in leaves():
        page = ROOT / "docs" / "commands" / f"{each.path.split()[1]}.md"
        assert each.help[0], each.path
        assert each.examples, f"{each.path} has no line in EXAMPLES"
        assert f"# {each.path}\n" in page.read_text("utf-8")


def test_the_manual_page_is_good_roff() -> None:
    if not shutil.which("groff"):
        pytest.skip("groff is not installed here (apt-get install groff)")
    arguments = ["groff", "-man", "-ww", "-Kutf8", "-Tutf8", str(ROOT / "man" / "mem.1")]
    done = subprocess.run(arguments, capture_output=True, encoding="utf-8", check=True)
    assert done.stderr == ""
    # What a terminal would show, without its overstrikes.
    text = re.sub(r".\x08|\x1b\[\d+m", "", done.stdout)
    assert all(each.path in text for each in leaves())
    assert r"--pattern '\bdiary\b'" in text


# What is shown


@needs_bash
@pytest.mark.parametrize("path", PAGES, ids=name)
def test_a_page_prints_what_it_says(path: Path, replaying: Replay) -> None:
    found = "\n".join(map(str, replaying.differences(path.read_text("utf-8"))))
    assert not found, f"{found}\npython -m tests.docs.replay --update {name(path)}"


@needs_bash
@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_of_a_command_end_as_they_say(command: str, replaying: Replay) -> None:
    if command == "mcp":
        pytest.importorskip("mcp", reason="the extra memcli[mcp] is not installed")
    examples = (load_command(command).epilog or "").split("\n")[2:]
    assert examples
    assert list(replaying.failing(line.strip() for line in examples)) == []


def test_commands_that_are_not_run_have_the_options_they_show() -> None:
    shown = [
        (path, found[0])
        for path in PAGES
        for block in blocks(path.read_text("utf-8"), "sh")
        for line in re.sub(r"\d?>+ *[^\s|)]+", "", block).split("\n")
        for found in re.finditer(r"(?<![-\w.$])mem (?:\"[^\"]*\"|'[^']*'|[^|;&#()<>])+", line.split("  #")[0])
    ]
    assert len(shown) > 50
    for path, line in shown:
        try:
            parse(reference.root().context, shlex.split(line)[1:])
        except Exception as error:
            pytest.fail(f"{name(path)}: {line}: {error}")


def parse(context: Any, words: list[str]) -> None:
    """Read a command line as far as its options: raises the library's own error for a wrong one."""
    while hasattr(context.command, "get_command"):
        first, _, words = context.command.resolve_command(context, words)
        command = context.command.get_command(context, first)
        context = command.context_class(command, info_name=first, parent=context)
    context.command.parse_args(context, words)


def test_a_difference_is_noticed_and_mended(compiled_cache: Path, replaying: Replay) -> None:
    page = (
        "```console\n$ mem remember tea\nAAAAAAA1\n$ mem show AAAAAAA1 | head -n 1 | cut -c1-4\nmore\n```\n"
    )
    [first, second] = replaying.differences(page)
    assert first.line.number == 1 and first.printed[0].startswith("01M7Z") and second.status == 0
    mended = replaying.updated(page)
    assert list(replaying.differences(mended)) == []
    assert f"$ mem show {first.printed[0][-8:]} |" in mended


def test_numbers_may_differ_in_their_last_digit_and_lengths_of_time_freely() -> None:
    assert replay.same(["0.97 in 0.2 s"], ["0.98 in 13.7 s"])
    assert not replay.same(["0.97"], ["0.99"])
    assert not replay.same(["port 8443"], ["port 8444"])
    assert not replay.same(["0.97", "x"], ["0.97"])


# Where it leads


@pytest.mark.parametrize("path", WRITTEN, ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http://", "https://")):
            continue
        file, _, anchor = target.partition("#")
        page = (path.parent / file).resolve() if file else path
        assert page.is_file(), f"{name(path)}: {target}"
        assert not anchor or anchor in anchors(page.read_text("utf-8")), f"{name(path)}: {target}"


def anchors(page: str) -> set[str]:
    """What the headings of a page are called in a link, as GitHub makes it."""
    headings = re.findall(
        r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 200


def test_every_page_begins_with_a_title_and_a_sentence() -> None:
    for path in PAGES:
        title, empty, sentence = path.read_text("utf-8").split("\n")[:3]
        assert title.startswith("# ") and not empty and sentence, path


# In the terminal


def test_help_lists_the_pages(mem: Run) -> None:
    listed = mem("help").stdout
    assert all(f"\n  {path.stem} " in listed for path in PAGES if path.parent == ROOT / "docs")


def test_help_shows_a_command_with_its_examples(mem: Run) -> None:
    assert mem("help", "task", "step").stdout == mem("task", "step", "--help").stdout
    assert "Examples:\n    mem confirm " in mem("help", "confirm").stdout


def test_help_shows_a_page_as_text(mem: Run) -> None:
    page = mem("help", "remembering").stdout
    assert page.startswith("# Remembering\n") and "<!--" not in page and "](" not in page


def test_a_link_that_is_broken_across_lines_is_shown_as_its_words() -> None:
    assert plain("see [guarantees\nand limits](guarantees.md#limits).") == "see guarantees\nand limits."


def test_help_shows_both_where_a_command_and_a_page_have_one_name(mem: Run) -> None:
    both = mem("help", "graph").stdout
    assert both.startswith("Usage: mem graph ") and "\n# Graph\n" in both


@pytest.mark.parametrize(
    ("words", "hint"), [("remembring", "'remembering'"), ("recal", "'recall'"), ("x", "mem help")]
)
def test_help_names_what_may_have_been_meant(mem: Run, words: str, hint: str) -> None:
    done = mem("help", words)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and hint in done.stderr


def test_help_is_paged_at_a_terminal(mem: Run) -> None:
    controller, terminal = pty.openpty()
    environment = {**os.environ, "PAGER": "cat; echo paged; :", "TERM": "xterm"}
    child = subprocess.Popen([MEM, "help", "path"], stdin=terminal, stdout=terminal, env=environment)
    os.close(terminal)
    seen = all_shown(controller)
    assert child.wait() == 0
    os.close(controller)
    assert b"mem path" in seen and b"paged" in seen
