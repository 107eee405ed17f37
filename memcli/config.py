"""Settings: defaults < config file < `MEMCLI_*` environment < flags.

Nothing is read from the working directory: a cloned repository must not steer
a memory. Flags are not seen here; a command lets its own flag win.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from memcli.errors import BadInput
from memcli.system.places import guard_own
from memcli.times import parse_duration

T = TypeVar("T")
# What any backend can count to; and a time that can be added to every day that people live to see.
_MOST = 2**31 - 1
_LONGEST = timedelta(days=1000 * 365)
DEFAULT_MODEL = "all-MiniLM-L6-v2"


class Setting(NamedTuple):
    """One setting: how its text is read, its default, and a line for people."""

    read: Callable[[str], Any]
    default: Any
    help: str


class SettingValue(NamedTuple):
    """A setting's value and where it came from."""

    name: str
    value: Any
    origin: str


def _path(text: str) -> Path:
    return Path(text).expanduser()


def _number(text: str, kind: Callable[[str], T]) -> T:
    try:
        return kind(text)
    except ValueError:
        raise ValueError("must be a number") from None


def _fraction(text: str) -> float:
    number = _number(text, float)
    if not 0 <= number <= 1:
        raise ValueError("must lie between 0 and 1")
    return number


def _count(text: str) -> int:
    return _whole(text, 1)


def _limit(text: str) -> int:
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    number = _number(text, int)
    if not least <= number <= _MOST:
        raise ValueError(f"must be {least} or more, and no more than {_MOST:,}")
    return number


def _seconds(text: str) -> float:
    plain = text.isascii() and text.replace(".", "", 1).isdigit()
    seconds = float(text) if plain else parse_duration(text).total_seconds()
    if seconds > _LONGEST.total_seconds():
        raise ValueError("must be no longer than 1,000 years")
    return seconds


def _flag(text: str) -> bool:
    if text.lower() not in ("on", "off", "true", "false"):
        raise ValueError("must be on or off")
    return text.lower() in ("on", "true")


def _one_of(*choices: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"must be {', '.join(choices[:-1])} or {choices[-1]}")
        return text

    return read


# Of inferred memories. What happened is of less use later than what is so.
_HALF_LIVES = "fact=180d,preference=180d,outcome=90d,episode=60d,procedure=365d"


def half_lives(text: str) -> dict[str, timedelta]:
    """How long memories of each kind take to fade by half; of kinds that are not named, the default.

    Raises ValueError for a kind that does not fade, BadInput for no duration.
    """
    lives: dict[str, timedelta] = {}
    for part in f"{_HALF_LIVES},{text}".split(","):
        kind, _, length = part.strip().partition("=")
        if not part.strip():
            continue
        if f"{kind}=" not in _HALF_LIVES:
            raise ValueError(f"{kind!r} does not fade; as in {_HALF_LIVES}")
        lives[kind] = parse_duration(length)
        if not timedelta() < lives[kind] <= _LONGEST:
            raise ValueError("a half-life must be longer than nothing, and no longer than 1,000 years")
    return lives


def _half_lives(text: str) -> str:
    half_lives(text)
    return text


def _name(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _space(text: str) -> str:
    if text.strip() == "*":
        raise ValueError("stands for all spaces; name one")
    return _name(text)


SETTINGS: dict[str, Setting] = {
    "db": Setting(_path, None, "the store's file"),
    "key_command": Setting(
        _name, None, "a command that prints the key or passphrase of an encrypted store; for cron"
    ),
    "key_file": Setting(_path, None, "the file with the key of an encrypted store, its owner's alone"),
    "cache_dir": Setting(_path, None, "where compiled models are kept; can be rebuilt at any time"),
    "space": Setting(_space, "default", "the space that commands work in"),
    "session": Setting(_name, None, "the session that new memories belong to"),
    "task": Setting(_name, None, "the task at hand, where it is not the space's own"),
    "model": Setting(_name, DEFAULT_MODEL, "embedding model: a name in a local cache, or a folder"),
    "limit": Setting(_count, 10, "how many results recall gives"),
    "min_score": Setting(_fraction, 0.2, "recall's floor: a lower score is not relevant"),
    "min_sure": Setting(
        _fraction,
        0.5,
        "recall's sure line: what answers less surely is marked weak, and is three hits at most",
    ),
    "context_budget": Setting(
        _limit,
        1500,
        "tokens that a pipe gets from recall and `mem context` unless --budget says; 0: any number",
    ),
    "max_text": Setting(_count, 64 * 1024, "size limit of one memory, in bytes of UTF-8"),
    "origin": Setting(_name, "cli", "the door that new memories come in through; `mcp:NAME` for an agent"),
    "untrusted_origins": Setting(
        _name, "mcp:*,agent:*,import:http*", "origins whose memories are untrusted: patterns, by commas"
    ),
    "judge_kind": Setting(
        _fraction, 0.4, "from this probability on a statement is of the kind judged, else a fact"
    ),
    "judge_unlasting": Setting(
        _fraction, 0.55, "from this probability on a statement is taken for passing, undecided or trivial"
    ),
    "judge_same": Setting(_fraction, 0.8, "from this probability on a statement says what is known already"),
    "judge_update": Setting(
        _fraction, 0.7, "from this probability on a statement is told to contradict or update"
    ),
    "judge_promise": Setting(_fraction, 0.6, "from this probability on a statement promises something"),
    "judge_due": Setting(_fraction, 0.5, "from this probability on a statement tells of a day ahead"),
    "judge_other": Setting(
        _fraction, 0.6, "from this probability on a statement is of somebody else than its owner"
    ),
    "judge_replaced": Setting(
        _fraction,
        1.0,
        "from this probability on consolidation ends a statement that a newer one updates; 1: asks",
    ),
    "judge_distil": Setting(
        _fraction, 0.9, "from this probability on consolidation keeps a sentence of yours as a fact"
    ),
    "inferred_floor": Setting(_fraction, 0.7, "inferred memories less sure than this wait for review"),
    "session_writes": Setting(
        _limit, 10, "memories that an untrusted origin may write in one session; 0: any number"
    ),
    "transient_ttl": Setting(_seconds, 7 * 86400.0, "seconds that what sounds passing or undecided is kept"),
    "busy_timeout": Setting(_seconds, 15.0, "seconds to wait for another process's write"),
    "turn_ttl": Setting(_seconds, 86400.0, "seconds that a raw turn lives, once it is folded into a summary"),
    "session_budget": Setting(_count, 8000, "tokens of a session's messages"),
    "fold_at": Setting(_fraction, 0.8, "the part of that budget at which older turns are folded"),
    "fold_keep": Setting(_count, 5, "how many of the newest turns stay verbatim when others are folded"),
    "session_limit": Setting(
        _count, 1000, "live episodes of a session; then its oldest turns expire, folded"
    ),
    "output_limit": Setting(
        _count, 4000, "characters of a logged tool output; a longer one is kept in extract"
    ),
    "task_ttl": Setting(_seconds, 86400.0, "seconds that a task lives after its last change"),
    "task_notes": Setting(_count, 20, "notes that a task holds; older ones are folded into a digest"),
    "half_lives": Setting(
        _half_lives,
        _HALF_LIVES,
        "how long inferred memories take to fade by half: fact=180d,outcome=90d",
    ),
    "prune_after": Setting(_seconds, 180 * 86400.0, "seconds that unimportant memories may lie unused"),
    "purge_after": Setting(_seconds, 90 * 86400.0, "seconds that ended memories can be restored"),
    "fade_floor": Setting(_fraction, 0.3, "inferred memories whose strength falls below this are ended"),
    "idle_after": Setting(
        _seconds, 365 * 86400.0, "seconds after which inferred memories that nobody used are ended"
    ),
    "keep_confident": Setting(_flag, False, "of two that contradict, end the clearly less sure: on or off"),
    "folded_turns": Setting(
        _one_of("keep", "end"), "keep", "the turns of a folded session: keep (raw ones expire) or end"
    ),
    "backup_days": Setting(_limit, 7, "days between the backups that consolidation makes; 0: none"),
    "recall_log": Setting(
        _one_of("off", "on", "query"),
        "off",
        "keep ids, scores and latency of recalls: off, on, or query (the text too)",
    ),
    "recall_log_ttl": Setting(_seconds, 90 * 86400.0, "seconds that an entry of the recall log lives"),
    "block_max_chars": Setting(_count, 2000, "cap of a new block, in characters"),
    "block_versions": Setting(_count, 5, "how many earlier texts of a block are kept"),
    "checkpoint_ttl": Setting(
        _seconds, 30 * 86400.0, "seconds that a checkpoint lives after each save and each completed step"
    ),
    "checkpoint_versions": Setting(_count, 5, "how many saved versions of a checkpoint are kept"),
    "checkpoint_output": Setting(
        _count, 1024 * 1024, "how much of a step's stdout, and of its stderr, is kept, in bytes"
    ),
    "max_files": Setting(_count, 8 * 1024 * 1024, "size limit of the files beside a SKILL.md, in bytes"),
    "policy_log": Setting(
        _one_of("off", "on", "action"),
        "on",
        "keep decisions of `policy check`: off, on, or action (what was asked, too)",
    ),
    "policy_log_ttl": Setting(_seconds, 90 * 86400.0, "seconds that a policy check stays on record"),
    "policy_likeness": Setting(
        _fraction, 0.4, "a policy warns by meaning from this cosine on; 1 never, and loads no model"
    ),
    "llm": Setting(
        _name, None, "a command that reads a prompt on stdin, or an OpenAI-compatible address; none: no LLM"
    ),
    "llm_timeout": Setting(_seconds, 120.0, "seconds after which an LLM is stopped"),
    "llm_context": Setting(_count, 6000, "tokens of memories put into one prompt"),
    "llm_mix": Setting(_flag, False, "untrusted memories in one prompt with trusted ones: on or off"),
    "llm_model": Setting(_name, None, "the model at an address; left out where it serves but one"),
    "llm_key_variable": Setting(
        _name, None, "the environment variable that holds the address's key; none: no key is sent"
    ),
}


class Config:
    """The settings in force, each with its origin.

    `environment` and `file` are arguments so that a test can bring its own.
    Raises BadInput, naming file or variable, for a value that cannot be read.
    """

    def __init__(self, environment: Mapping[str, str] | None = None, file: Path | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        self.file = file or _config_file(self._environment)
        guard_own(self.file)
        self._from_file: dict[str, Any] | None = None

    def value(self, name: str) -> SettingValue:
        """The setting `name` and where its value comes from.

        Raises BadInput for a name that is no setting.
        """
        setting = find_setting(name)
        variable = environment_variable(name)
        text = self._environment.get(variable, "")
        if text:
            return SettingValue(name, _read(setting, text, variable), variable)
        in_file = self._file_values()
        if name in in_file:
            return SettingValue(
                name, _read_toml(setting, in_file[name], f"{self.file}: {name}"), str(self.file)
            )
        if setting.default is None and name in _PLACES:
            return SettingValue(name, _PLACES[name](), "default")
        return SettingValue(name, setting.default, "default")

    def __getitem__(self, name: str) -> Any:
        return self.value(name).value

    def all(self) -> list[SettingValue]:
        """Every setting, in the order in which they are documented."""
        return [self.value(name) for name in SETTINGS]

    def set(self, name: str, text: str | None) -> None:
        """Write one setting to the config file (None takes it out), comments kept.

        Raises BadInput for an unknown name, a value that cannot be read, and a
        file that is not TOML or cannot be written.
        """
        import tomlkit
        from tomlkit.exceptions import TOMLKitError

        setting = find_setting(name)
        if text is not None:
            _read(setting, text, name)
        try:
            document = tomlkit.parse(self._file_text())
        except (TOMLKitError, ValueError, RecursionError) as error:
            raise self._not_toml(error) from error
        if text is None:
            document.pop(name, None)
        else:
            document[name] = _as_toml(setting, text)
        try:
            self._replace_file(tomlkit.dumps(document))
        except OSError as error:
            raise BadInput(
                f"{self.file}: cannot be written ({error.strerror}); MEMCLI_CONFIG names another"
            ) from error
        self._from_file = None

    def _replace_file(self, text: str) -> None:
        from memcli.system.files import write_private
        from memcli.system.places import guard, make_private_folder

        guard(self["db"])
        make_private_folder(self.file.parent)
        write_private(self.file, text.encode(), own=True)

    def _file_text(self) -> str:
        try:
            return self.file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{self.file}: cannot be read ({error}); mend or remove it") from error

    def _file_values(self) -> dict[str, Any]:
        if self._from_file is None:
            text = self._file_text()
            if not text:
                return {}
            import tomllib

            try:
                self._from_file = tomllib.loads(text)
            except (ValueError, RecursionError) as error:
                raise self._not_toml(error) from error
            for name in self._from_file:
                if name not in SETTINGS:
                    raise BadInput(f"{self.file}: no setting {name!r}; `mem config list` shows them")
        return self._from_file

    def _not_toml(self, error: Exception) -> BadInput:
        return BadInput(f"{self.file}: not valid TOML ({error}); mend or remove it")


def find_setting(name: str) -> Setting:
    """The setting of that name; BadInput where there is none."""
    try:
        return SETTINGS[name.replace("-", "_")]
    except KeyError:
        from difflib import get_close_matches

        near = get_close_matches(name.replace("-", "_"), SETTINGS, n=1)
        meant = f"did you mean {near[0]!r}? " if near else ""
        raise BadInput(f"no setting {name!r:.60}; {meant}`mem config list` shows them") from None


def environment_variable(name: str) -> str:
    """The environment variable of a setting: `min_score` is `MEMCLI_MIN_SCORE`."""
    return f"MEMCLI_{name.upper()}"


def _read(setting: Setting, text: str, where: str) -> Any:
    try:
        text.encode()
        if "\0" in text:
            raise ValueError("must hold no NUL")
        return setting.read(text)
    except UnicodeEncodeError as error:
        raise BadInput(f"{where}: {text!r:.60} is not valid UTF-8") from error
    except (ValueError, BadInput) as error:
        raise BadInput(f"{where}: {text!r:.80} is no good value ({error})") from error


def _read_toml(setting: Setting, value: Any, where: str) -> Any:
    """A setting as it stands in the file: text or a number, and where it is a switch true or false."""
    if isinstance(value, bool) and setting.read is not _flag:
        raise BadInput(
            f"{where}: {str(value).lower()} is no good value (it is no switch; give text or a number)"
        )
    if not isinstance(value, str | int | float):
        raise BadInput(f"{where}: {value!s:.80} is no good value (give text or a number)")
    try:
        return _read(setting, str(value), where)
    except ValueError as error:  # more digits than Python writes
        raise BadInput(f"{where}: the number is too large") from error


def _as_toml(setting: Setting, text: str) -> Any:
    value = setting.read(text)
    return value if isinstance(value, int | float) else text


def _config_file(environment: Mapping[str, str]) -> Path:
    if chosen := environment.get("MEMCLI_CONFIG"):
        return Path(chosen).expanduser()
    import platformdirs

    return Path(platformdirs.user_config_dir("memcli", appauthor=False)) / "config.toml"


def _default_db() -> Path:
    import platformdirs

    return Path(platformdirs.user_data_dir("memcli", appauthor=False)) / "memory.db"


def _default_cache() -> Path:
    import platformdirs

    return Path(platformdirs.user_cache_dir("memcli", appauthor=False))


_PLACES: dict[str, Callable[[], Path]] = {"db": _default_db, "cache_dir": _default_cache}
