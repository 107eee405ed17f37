"""Consent: check that the caller is the owner, and ask on the terminal before something is lost."""

from __future__ import annotations

import sys

import typer

from memcli.config.config import Config
from memcli.errors import BadInput, Declined


def owner_only(what: str) -> None:
    """Raise Refused for an untrusted origin if no store is open; `what` names what only the owner may set."""
    from memcli.doors import SETTING, Deed
    from memcli.scope import require

    require(Config(), SETTING, Deed.CHANGE, what)


def confirm_loss(question: str, yes: bool) -> None:
    """Ask before something is lost; without a terminal `--yes` is required. Raises BadInput, Declined."""
    if yes:
        return
    if not (sys.stdin and sys.stdin.isatty()):
        raise BadInput(f"{question} There is no terminal to ask at: give --yes, or look first with --dry-run")
    ask_consent(question)


def ask_consent(question: str) -> None:
    """Ask on the terminal; raises Declined for a no, Abort if nobody answers (Ctrl-C, Ctrl-D)."""
    if not typer.confirm(question, err=True):
        raise Declined("cancelled", left="nothing was changed")
