"""An import says how much of what came in may contradict others, and where to look; of an export, that nobody
has looked."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Run

ONE = "1 of what came in perhaps updates or contradicts what is there, or one another; `mem audit` shows them"
UNCOMPARED = "mem: what came in was not compared with what is there; `mem audit` does that\n"


def test_what_may_contradict_is_counted(mem: Run, tmp_path: Path) -> None:
    mem("remember", "Ann lives in Paris")
    note = tmp_path / "People.md"
    note.write_text("- Ann lives in Berlin\n- The mill has two wheels\n", encoding="utf-8")
    done = mem("import", str(note), "--json")
    assert json.loads(done.stdout)["doubtful"] == 1 and done.returncode == 0
    assert done.stderr == f"mem: {ONE}\n"
    assert "Ann lives in Berlin" in mem("audit", "--check", "contradictions").stdout
    again = mem("import", str(note))
    assert again.stderr == ""


def test_all_files_are_one_line(mem: Run, tmp_path: Path) -> None:
    mem("remember", "Ann lives in Paris")
    files = [tmp_path / name for name in ("own.jsonl", "other.jsonl", "more.md")]
    files[0].write_text('{"text": "Ann lives in Berlin"}\n', encoding="utf-8")
    files[1].write_text('{"text": "The gate is green"}\n', encoding="utf-8")
    files[2].write_text("The mill has two wheels and a wide roof.\n", encoding="utf-8")
    done = mem("import", *map(str, files))
    assert done.returncode == 0 and done.stderr == f"mem: {ONE}\n"


def test_an_export_is_not_judged_and_that_is_told(mem: Run, tmp_path: Path) -> None:
    export, other = tmp_path / "all.jsonl", str(tmp_path / "other.db")
    mem("remember", "Ann lives in Berlin")
    mem("export", "-o", str(export))
    # Into an empty store nothing can be contradicted.
    assert mem("--db", other, "import", str(export)).stderr == ""
    filled = str(tmp_path / "filled.db")
    mem("--db", filled, "remember", "Ann lives in Paris")
    done = mem("--db", filled, "import", str(export))
    told = UNCOMPARED.replace("mem audit", f"mem audit --db {filled}")
    assert done.returncode == 0 and done.stderr == told
    assert "Ann lives in" in mem("--db", filled, "audit", "--check", "contradictions").stdout
    assert mem("--db", filled, "import", str(export)).stderr == ""
