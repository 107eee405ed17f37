"""Files beside a procedure's document (a skill's scripts and references), stored by content.

Each is stored once in the space, as a keyed state under its SHA-256, however many versions have it; a
version has the manifest: which path is which content. They are exported as states are, and deleted with the
last version that is erased: `areas.PROCEDURE_FILE`.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any

from memcli.errors import BadInput
from memcli.model import Memory, new_state
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import areas, states


class ProcedureFile(NamedTuple):
    """A file's content, and whether it may be executed."""

    content: bytes
    executable: bool = False

    def sha256(self) -> str:
        """Return its content's hash, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()

    def text(self) -> str | None:
        """Return its content as text; None if it is binary."""
        try:
            return None if b"\0" in self.content else self.content.decode()
        except UnicodeDecodeError:
            return None


def store_files(scope: Scope, files: Mapping[str, ProcedureFile]) -> dict[str, Any]:
    """Store files, and return their manifest.

    Raises BadInput if all together exceed the setting `max_files`, Refused if a text, or a name, holds a
    secret.
    """
    from memcli.text.secrets.redaction import refuse_secrets

    size, most = sum(len(file.content) for file in files.values()), scope.config["max_files"]
    if size > most:
        raise BadInput(
            f"the files beside it have {size:,} bytes, the limit is {most:,}", by_hand="MEMCLI_MAX_FILES"
        )
    now = scope.now()
    for path, file in files.items():
        refuse_secrets(path, "the name of a file")
        refuse_secrets(file.text() or "", path)
    with scope.store.writing():
        for file in files.values():
            text = file.text()
            value = {"base64": base64.b64encode(file.content).decode()} if text is None else {"text": text}
            # The content under a hash never changes, so an existing value stays.
            state = new_state(scope.space, areas.PROCEDURE_FILE.name, file.sha256(), value, now)
            scope.store.put_state(state, expected_version=0)
    return {
        path: {"sha256": files[path].sha256(), **({"executable": True} if files[path].executable else {})}
        for path in sorted(files)
    }


def file_manifest(memory: Memory) -> dict[str, dict[str, Any]]:
    """Return the manifest of a procedure, without malformed entries (data may come from anywhere)."""
    manifest = memory.data.get("files")
    entries = manifest.items() if isinstance(manifest, dict) else ()
    return {
        path: entry
        for path, entry in entries
        if isinstance(entry, dict) and isinstance(entry.get("sha256"), str)
    }


def fetch_files(scope: Scope, manifest: Mapping[str, Any]) -> dict[str, ProcedureFile]:
    """Return the files of a manifest, by path. Raises BadInput if the store lacks one."""
    files = {}
    for path, entry in manifest.items():
        state = states.read_state(scope.store, scope.space, areas.PROCEDURE_FILE.name, entry["sha256"])
        if state is None:
            raise BadInput(f"{scope.store.location}: the content of {path!r} is not in the store")
        try:
            value = state.value
            content = value["text"].encode() if "text" in value else base64.b64decode(value["base64"])
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise BadInput(f"{scope.store.location}: the content of {path!r} is malformed") from error
        files[path] = ProcedureFile(content, bool(entry.get("executable")))
    return files
