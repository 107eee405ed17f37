"""Config file: TOML, one line for each setting that is set; comments and their order are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memcli.config.readers import flag
from memcli.config.settings import SETTINGS, Setting, read_text
from memcli.errors import BadInput
from memcli.messages import Command, message


class ConfigFile:
    """The settings in one file; none if it does not exist.

    Raises BadInput, which names the file, if it holds anything else, or cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._values: dict[str, Any] | None = None

    def values(self) -> dict[str, Any]:
        """Return the values in the file, by the names of settings, as TOML types."""
        if self._values is None:
            text = self._text()
            if not text:
                self._values = {}
                return self._values
            import tomllib

            try:
                self._values = tomllib.loads(text)
            except (ValueError, RecursionError) as error:
                raise self._not_toml(error) from error
            for name in self._values:
                if name not in SETTINGS:
                    raise BadInput(
                        f"{self.path}: no setting {name!r}",
                        by_hand=message(Command("config list"), " shows them"),
                    )
        return self._values

    def put(self, name: str, text: str | None) -> None:
        """Write one setting (None removes it), keeping comments and the order of lines."""
        import tomlkit
        from tomlkit.exceptions import TOMLKitError

        try:
            document = tomlkit.parse(self._text())
        except (TOMLKitError, ValueError, RecursionError) as error:
            raise self._not_toml(error) from error
        if text is None:
            document.pop(name, None)
        else:
            value = SETTINGS[name].read(text)
            document[name] = value if isinstance(value, int | float) else text
        self._replace(tomlkit.dumps(document))
        self._values = None

    def _replace(self, text: str) -> None:
        from memcli.system.files import write_private
        from memcli.system.places import make_private_folder

        try:
            make_private_folder(self.path.parent)
            write_private(self.path, text.encode(), own=True)
        except OSError as error:
            raise BadInput(
                f"{self.path}: cannot be written ({error.strerror})", by_hand="MEMCLI_CONFIG names another"
            ) from error

    def _text(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{self.path}: cannot be read ({error}); mend or remove it") from error

    def _not_toml(self, error: Exception) -> BadInput:
        return BadInput(f"{self.path}: not valid TOML ({error}); mend or remove it")


def read_toml(setting: Setting, value: Any, where: str) -> Any:
    """Return a setting's value from its TOML value: text, a number, or for a switch true or false.

    Raises BadInput, naming the place, for an invalid value.
    """
    if isinstance(value, bool) and setting.read is not flag:
        raise BadInput(
            f"{where}: {str(value).lower()} is not a valid value (it is not a switch; give text or a number)"
        )
    if not isinstance(value, str | int | float):
        raise BadInput(f"{where}: {value!s:.80} is not a valid value (give text or a number)")
    try:
        return read_text(setting, str(value), where)
    except ValueError as error:  # more digits than Python writes
        raise BadInput(f"{where}: the number is too large") from error
