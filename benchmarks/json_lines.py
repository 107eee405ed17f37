"""Files of JSON Lines: labels, questions, chats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    """The records of a file, blank lines passed over."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
