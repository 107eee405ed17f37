"""What the tests of guards say, and how they have a store export it and take it in."""

from __future__ import annotations

import json
from typing import Any

from memcli.memories import Memories
from memcli.model import Filter
from memcli.text import printable
from memcli.upkeep.exchange import export, importer, record_reader

SAID = "Ann met the bishop of Trondheim in May"
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
LONG = "word " * 20_000


def take(memories: Memories, records: list[dict[str, Any]], **options: Any) -> importer.ImportReport:
    taking = importer.Importer(memories, "import:test", **options)
    return taking.take(record_reader.read_records(enumerate(map(printable.json_line, records), start=1)))


def exported(memories: Memories, **options: Any) -> list[dict[str, Any]]:
    everything = Filter(spaces=None, live=False)
    records = export.export_records(memories, everything, **options)
    return [json.loads(printable.json_line(each)) for each in records]
