"""A keyring in a file of the home that a program is given: what a desktop's would be, where there is none."""

from __future__ import annotations

import json
from pathlib import Path

from keyring.backend import KeyringBackend


class FileKeyring(KeyringBackend):
    """Chosen by PYTHON_KEYRING_BACKEND=tests.file_keyring.FileKeyring."""

    priority = 1

    def get_password(self, service: str, username: str) -> str | None:
        return self._kept().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._write({**self._kept(), f"{service}/{username}": password})

    def delete_password(self, service: str, username: str) -> None:
        self._write({name: each for name, each in self._kept().items() if name != f"{service}/{username}"})

    def _kept(self) -> dict[str, str]:
        file = _file()
        kept: dict[str, str] = json.loads(file.read_text("utf-8")) if file.exists() else {}
        return kept

    def _write(self, kept: dict[str, str]) -> None:
        _file().write_text(json.dumps(kept), "utf-8")


def _file() -> Path:
    return Path.home() / "keyring.json"
