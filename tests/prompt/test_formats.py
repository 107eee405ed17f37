"""What memcli prints of memories it knows again: each command is run, and nothing of its output is new."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from memcli import app, embedding
from memcli.commands.terminal import tables
from memcli.model import Filter
from memcli.prompt import formats, recognizers
from memcli.prompt.echoes import EchoReader, without_echoes
from memcli.storage.stores import open_store
from memcli.write_policy.originals import StoredOriginals
from tests.standin import StandIn

SERVER = "The staging server listens on port 8443, behind the proxy of the second floor"
# What a memory may be: of several lines, tagged, doubted, valid for a time, untrusted, corrected, ended, held.
TOLD = (
    ("remember", SERVER, "--tag", "ops", "--tag", "proxy", "--confidence", "0.7"),
    ("remember", "Staging keys rotate\nin two lines:\n1. one\n2. two", "--valid-from", "2020-01-01", "--valid-until", "2090-01-01"),
    ("remember", "Staging was sold from the web", "--untrusted", "--session", "deploy", "--kind", "fact"),
    ("remember", "Staging needs a badge", "--untrusted", "--source", "inferred"),
    ("remember", "Never deploy staging on Fridays", "--kind", "constraint"),
    ("remember", "I prefer staging to production"),
    ("remember", "My wife Clara watches staging and wants to learn Spanish"),
    ("remember", "I usually look at staging before lunch"),
    ("remember", "Staging failed in May", "--kind", "outcome", "--tag", "failed"),
    ("remember", "I will write the staging report by tomorrow"),
    ("remember", "Staging moved to the cellar", "--at", "2024-03-01"),
    ("remember", "Elsewhere staging is blue", "--space", "work"),
    ("remember", "Staging stood in the old cellar", "--valid-from", "2019-01-01", "--valid-until", "2021-01-01"),
    ("log", "user", "Why does staging answer 502?"),
    ("log", "assistant", "Because the proxy is down\n\nand so is the second one"),
    ("log", "error", "staging timed out"),
    ("log", "decision", "restart the staging proxy", "--session", "folded"),
    ("log", "user", "Staging is up, thanks to my colleague Bob", "--session", "folded"),
    ("block", "set", "owner", "Ann, likes short answers\nand long walks"),
    ("link", "staging", "runs_on", "Hetzner"),
    ("link", "staging", "owned_by", "Bob", "--since", "2024", "--confidence", "0.8"),
    ("task", "start", "Fix staging"),
    ("task", "push", "find the proxy"),
    ("task", "note", "looked at the staging logs"),
    ("policy", "add", "quiet", "--rule", "Be quiet about staging", "--hard", "--pattern", "loud", "--unless", "night", "--why", "people sleep"),
)  # fmt: skip
PROCEDURE = """---
description: Roll staging out
when: staging has a new version
tools: [git, ssh]
---
## Steps
1. Build it
2. Push it to the second floor
## Checks
- nobody is on the first floor
- the lamp is green
"""
# Every way in which memories are shown; SERVER, FOLDED and GONE stand for ids.
SHOWN = {
    "recall": ("recall", "staging", "-n", "40"),
    "recall: turns beside": ("recall", "staging answer", "--expand", "2"),
    "recall: a page": ("recall", "staging", "--budget", "120"),
    "recall: text": ("recall", "staging", "--format", "text"),
    "recall: text, turns beside": ("recall", "staging answer", "--format", "text", "--expand", "2"),
    "recall: a line that is cut": ("recall", "staging port", "--format", "text", "--budget", "30"),
    "recall: ids": ("recall", "where does the staging server listen", "--format", "ids"),
    "recall: JSON": ("recall", "staging", "--json"),
    "recall: JSON, turns beside": ("recall", "staging answer", "--json", "--expand", "2"),
    "recall: a table": ("recall", "staging", "--format", "table"),
    "recall: explained": (
        "recall",
        "what happened after staging moved to the cellar",
        "--explain",
        "-n",
        "3",
    ),
    "recall: a time": ("recall", "everything", "--since", "2000", "-n", "40"),
    "recall: a time, text": ("recall", "what happened this year?", "--format", "text"),
    "recall: a time, a table": ("recall", "what happened this year?", "--format", "table"),
    "recall: a time, JSON": ("recall", "what happened this year?", "--json"),
    "recall: what was true": ("recall", "the old cellar", "--at", "2020-01"),
    "recall: what was true, text": ("recall", "the old cellar", "--at", "2020-01", "--format", "text"),
    "recall: explained by words": ("recall", "staging", "--explain", "--words"),
    "recall: explained in JSON": ("recall", "staging", "--explain", "--json", "-n", "3"),
    "recall: a procedure": ("recall", "roll staging out", "--tiers", "procedures"),
    "recall: a procedure, text": ("recall", "roll staging out", "--tiers", "procedures", "--format", "text"),
    "recall: a procedure, a table": (
        "recall",
        "roll staging out",
        "--tiers",
        "procedures",
        "--format",
        "table",
    ),
    "recall: a procedure, JSON": ("recall", "roll staging out", "--tiers", "procedures", "--json"),
    "similar": ("similar", "SERVER"),
    "similar: text": ("similar", "SERVER", "--format", "text"),
    "similar: a table": ("similar", "SERVER", "--format", "table"),
    "context": ("context",),
    "context: JSON": ("context", "--json"),
    "profile": ("profile",),
    "profile: JSON": ("profile", "--json"),
    "list": ("list", "--ended"),
    "list: columns": ("list", "--format", "tsv"),
    "recall: columns": ("recall", "staging", "--format", "tsv"),
    "list: JSON": ("list", "--json"),
    "show": ("show", "SERVER"),
    "show: many lines": ("show", "KEYS"),
    "show: JSON": ("show", "SERVER", "--json"),
    "why": ("why", "SERVER"),
    "why: replaced": ("why", "GONE"),
    "why: what replaced it": ("why", "CLARA"),
    "why: JSON": ("why", "SERVER", "--json"),
    "history": ("history",),
    "history: JSON": ("history", "--json"),
    "session show": ("session", "show"),
    "session show: folded": ("session", "show", "folded"),
    "session show: JSON": ("session", "show", "--json"),
    "session messages": ("session", "messages"),
    "session messages: folded": ("session", "messages", "folded"),
    "session messages: JSON": ("session", "messages", "--json"),
    "session export": ("session", "export"),
    "task show": ("task", "show"),
    "review list": ("review", "list"),
    "review list: JSON": ("review", "list", "--json"),
    "policy list": ("policy", "list"),
    "audit": ("audit",),
    "block list": ("block", "list"),
    "task list": ("task", "list"),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store in which there is something of everything."""
    folder = tmp_path_factory.mktemp("formats")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(embedding, "open_embedder", lambda *_: StandIn())
        for name, value in (
            ("HOME", folder),
            ("MEMCLI_DB", folder / "memory.db"),
            ("MEMCLI_CONFIG", folder / "none"),
        ):
            patched.setenv(name, str(value))
        for command in TOLD:
            _printed(*command)
        (folder / "roll.md").write_text(PROCEDURE)
        _printed("procedure", "add", "roll", str(folder / "roll.md"))
        _printed("procedure", "used", "roll", "--ok")
        ids = {name: _printed("recall", words, "--words", "--format", "ids", "-n", "1").strip()
               for name, words in (("SERVER", "listens port 8443"), ("KEYS", "keys rotate"), ("GONE", "Clara Spanish"))}  # fmt: skip
        ids["CLARA"] = _printed("correct", ids["GONE"], "My wife Clara watches staging every Monday").strip()
        _printed("doubt", ids["SERVER"], "--reason", "who says (so)?")
        _printed("edit", ids["KEYS"], "--tag", "keys")
        _printed(
            "forget",
            _printed("recall", "production", "--words", "--format", "ids", "-n", "1").strip(),
            "--yes",
        )
        _printed("link", ids["SERVER"], "mentions", "the proxy")
        _printed("session", "end", "folded")
        _printed("log", "note", "still up", "--session", "folded")
        _printed("remember", "Bob works at Acme and Bob lives in Oslo")
        _printed("consolidate")
        patched.setenv("MEMCLI_SESSION", _printed("session", "list").split()[1])
        (folder / "ids.json").write_text(json.dumps(ids))
        yield folder


@pytest.fixture(scope="module")
def printed(store: Path) -> Mapping[str, str]:
    """What each command prints."""
    return _all_printed(store)


def _all_printed(store: Path, only: Sequence[str] | None = None) -> dict[str, str]:
    ids: dict[str, str] = json.loads((store / "ids.json").read_text())
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MEMCLI_DB", str(store / "memory.db"))
        patched.setenv("MEMCLI_CONFIG", str(store / "none"))
        patched.setattr(embedding, "open_embedder", lambda *_: StandIn())
        printed = {name: _printed(*(ids.get(word, word) for word in SHOWN[name])) for name in (only or SHOWN)}
        printed |= {f"{name}, quoted": quoted for name in printed if (quoted := _quoted(printed[name]))}
        for width in ("80", "40") if only is None or "list" in only else ():
            patched.setenv("COLUMNS", width)
            printed[f"list, a table of {width} columns"] = _table(store)
        if only is None:
            patched.setenv("COLUMNS", "44")
            tabled = {
                name: [ids.get(word, word) for word in SHOWN[name]] for name in SHOWN if "table" in name
            }
            printed |= {f"{name}, narrow": _printed(*command) for name, command in tabled.items()}
        return printed


def _quoted(printed: str) -> str:
    """The lines of memories in a marked block without the block, as an LLM repeats them."""
    found = re.findall(r"(?m)^- \[[0-9A-Z]{8}, .*\n(?:  (?!\|).*\n)*", printed)
    return "".join(f"> {line}" for line in found) if printed.startswith("<memories") else ""


def _table(store: Path) -> str:
    with (
        contextlib.closing(open_store(store / "memory.db")) as opened,
        contextlib.redirect_stdout(io.StringIO()) as out,
    ):
        tables.memories_table(list(opened.select(Filter(live=False))))
    return out.getvalue()


def _printed(*command: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert app.run(list(command)) == 0, (command, err.getvalue())
    return out.getvalue()


@pytest.fixture(scope="module")
def originals(store: Path) -> Iterator[StoredOriginals]:
    with contextlib.closing(open_store(store / "memory.db")) as opened:
        yield StoredOriginals(opened, "default")


def new_in(originals: StoredOriginals, text: str) -> tuple[str, list[str]]:
    """What a text has that memcli did not print: told whole, and told line by line as a batch is."""
    lines = [line for line in text.splitlines() if line.strip()]
    left = [read.left for read in EchoReader(originals).read(lines)]
    return without_echoes(text.strip(), originals).text, [line for line in left if line]


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_printed_is_known_again(
    originals: StoredOriginals, printed: Mapping[str, str], name: str
) -> None:
    new = "Check the certificates in May"
    for text in (text for each, text in printed.items() if f"{each},".startswith(f"{name},")):
        assert text.strip()
        assert new_in(originals, text) == ("", [])
        assert new_in(originals, f"{text}\n{new}") == (new, [new])


# Each wording as it might be changed one day: what stands in `formats`, and what instead.
REWORDED = {
    "<{mark} from=": "<{mark} by=",
    "Remembered notes, kind by kind, of each the most relevant first.": "From memory, the best first.",
    "Working memory of the task at hand.": "What the task knows.",
    "session {session}": "talk {session}",
    "confidence {confidence:g}\"": "sure {confidence:g}\"",
    "from {day}": "begun {day}",
    "until {day}": "ends {day}",
    "due {day}": "wanted {day}",
    "UNTRUSTED = \"untrusted\"": "UNTRUSTED = \"hearsay\"",
    "  (past)": "  (once)",
    "In time order:": "By the clock:",
    "  (untrusted)": "  (hearsay)",
    "(ended)": "(stopped)",
    "    | {text}": "    ~| {text}",
    "worked {count} of": "went well {count} of",
    "Goal: {text}": "Aim: {text}",
    "\"Notes:\"": "\"Remarks:\"",
    "words score {words}, meaning score {meaning}": "alike in words {words}, meaning {meaning}",
    "  = {sum:.3f}": "  makes {sum:.3f}",
    "miss  {id}": "left out  {id}",
    ": score {score:.2f}, total": " has {score:.2f}, total",
    "event: {phrase} is": "event {phrase} was",
    "preferred is what": "better is what",
    "floor: nearest meaning": "least: nearest meaning",
    "  by {actor}": "  of {actor}",
    "taken {minute} as": "kept {minute} as",
    "supersedes {whole}": "follows {whole}",
    "believed {confidence:g}": "held true {confidence:g}",
    "changed: {rest}": "afterwards {rest}",
    "superseded by {whole}": "followed by {whole}",
    "ended {minute}: ": "gone {minute}: ",
    "recalled {count} times": "shown {count} times",
    "link: {rest}": "linked: {rest}",
    "the policy today: ": "judged today: ",
    "summary of {number:,} turns:": "{number:,} turns in short:",
    "[{speaker}] {text}": "<{speaker}> {text}",
    "  link        {rest}": "  proposed    {rest}",
    "REMARK = \" ({rest})\"": "REMARK = \" [{rest}]\"",
    "\"Habits:\"": "\"Customs:\"",
    "\"Now:\"": "\"At present:\"",
    "\"misses\", \"floor\"": "\"left_out\", \"floor\"",
    "\"link\", \"confidence\"": "\"proposed\", \"confidence\"",
}  # fmt: skip
SOURCE = Path(formats.__file__).read_text(encoding="utf-8")


@contextlib.contextmanager
def worded(source: str) -> Iterator[None]:
    """As if `formats` said this."""
    for put in (source, SOURCE):
        exec(compile(put, formats.__file__, "exec"), vars(formats))
        for known in (each for each in vars(recognizers).values() if hasattr(each, "cache_clear")):
            known.cache_clear()
        if put is source:
            yield


@pytest.fixture(scope="module")
def reworded(store: Path, originals: StoredOriginals) -> Mapping[str, str]:
    """What each command prints after all wordings have changed, and with them what knows them."""
    source = SOURCE
    for said, instead in REWORDED.items():
        assert said in source, said
        source = source.replace(said, instead)
    with worded(source):
        printed = _all_printed(store)
        assert {
            name: new for name, text in printed.items() if (new := new_in(originals, text)) != ("", [])
        } == {}
    return printed


def test_what_is_worded_anew_is_known_by_its_new_words(reworded: Mapping[str, str]) -> None:
    whole = "\n".join(reworded.values())
    assert not [
        instead for instead in REWORDED.values() if not _words(instead) <= set(re.findall(r"\w+", whole))
    ]


def _words(template: str) -> set[str]:
    return set(re.findall(r"\w+", re.sub(r"\{[^}]*\}|[A-Z]+ = ", " ", template)))


@pytest.mark.parametrize("said", REWORDED)
def test_a_wording_that_a_printer_has_to_itself_is_stored(
    store: Path, originals: StoredOriginals, printed: Mapping[str, str], said: str
) -> None:
    by = {name.partition(", ")[0] if name not in SHOWN else name
          for name, text in printed.items() if _words(said) <= set(re.findall(r"\w+", text))}  # fmt: skip
    with worded(SOURCE.replace(said, REWORDED[said])):
        alone = _all_printed(store, sorted(by))
    assert any(new_in(originals, text) != ("", []) for text in alone.values())
