"""`mem config`: list, get and set settings."""

import os
from typing import Annotated, Any

import typer

from memcli.commands.terminal import options, output
from memcli.config.config import Config, SettingValue
from memcli.config.settings import SETTINGS, environment_variable, find_setting, read_text, written
from memcli.text import printable

EXAMPLES = """
mem config list
mem config get limit
mem config set limit 5
mem config unset limit
mem config path
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        autocompletion=lambda incomplete: [name for name in SETTINGS if name.startswith(incomplete)],
        help="A setting; `mem config list` shows them.",
    ),
]


@app.callback()
def _config() -> None:
    """List, get and set settings.

    Defaults < config file < MEMCLI_* environment < flags.
    """


@app.command("list")
def list_settings(json: options.Json = False) -> None:
    """Every setting, its value, and where it came from."""
    for value in Config().all():
        if json:
            record = {
                **_record(value),
                "variable": environment_variable(value.name),
                "help": SETTINGS[value.name].help,
            }
            output.to_stdout(printable.json_line(record))
        else:
            setting = SETTINGS[value.name]
            shown = written(setting, value.value) or "-"
            output.to_stdout(f"{value.name:<19} {shown:<40} ({value.origin})  {setting.help}")


@app.command()
def get(name: Name, json: options.Json = False) -> None:
    """One setting's value, as it is written: a length of time is `7d` (with --json, seconds)."""
    setting = find_setting(name)
    value = Config().value(name.replace("-", "_"))
    output.to_stdout(printable.json_line(_record(value)) if json else written(setting, value.value))


@app.command()
def set(name: Name, value: Annotated[str, typer.Argument(metavar="VALUE")]) -> None:
    """Write a setting to the config file; exits 5 for a model that is not available here."""
    _owner_only(name)
    setting = find_setting(name)
    read_text(setting, value, name)
    if setting is SETTINGS["model"]:
        from memcli.embedding.models import locate_model

        locate_model(value).weights()
    _write(name, value)


@app.command()
def unset(name: Name) -> None:
    """Remove a setting from the config file."""
    _owner_only(name)
    _write(name, None)


@app.command()
def path() -> None:
    """Print the path of the config file."""
    output.to_stdout(str(Config().file))


def _write(name: str, text: str | None) -> None:
    Config().set(name.replace("-", "_"), text)
    if name == "warm" and os.name == "posix":
        from memcli.warm import control

        control.stop()  # the next call starts another one if the setting says so


def _owner_only(name: str) -> None:
    """Raise Refused for an untrusted origin: a setting could make it trusted."""
    from memcli.doors import SETTING, Deed
    from memcli.scope import require

    require(Config(), SETTING, Deed.CHANGE, f"the setting {name!r:.40}")


def _record(value: SettingValue) -> dict[str, Any]:
    shown = value.value if isinstance(value.value, int | float | None) else str(value.value)
    return {"name": value.name, "value": shown, "origin": value.origin}
