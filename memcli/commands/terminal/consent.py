"""Whether somebody wants what a command is about to do: its owner, and on a terminal their word."""

from __future__ import annotations

import sys

import typer

from memcli.config.config import Config
from memcli.errors import BadInput, Declined


def owner_only(what: str) -> None:
    """Refuse an untrusted origin where no store is opened; `what` is what its owner alone sets."""
    from memcli.doors import SETTING, Deed
    from memcli.scope import require

    require(Config(), SETTING, Deed.CHANGE, what)


def confirm_loss(question: str, yes: bool) -> None:
    """Ask before something is lost; without a terminal only `--yes` will do. Raises BadInput, Declined."""
    if yes:
        return
    if not (sys.stdin and sys.stdin.isatty()):
        raise BadInput(f"{question} There is no terminal to ask at: give --yes, or look first with --dry-run")
    ask_consent(question)


def ask_consent(question: str) -> None:
    """Ask on the terminal; raises Declined for a no, Abort where nobody answers (Ctrl-C, Ctrl-D)."""
    if not typer.confirm(question, err=True):
        raise Declined("cancelled", left="nothing was changed")
