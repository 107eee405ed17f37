"""Own words: refuse text that memcli itself printed where it would become a block or a note of a task."""

from __future__ import annotations

from memcli.errors import Refused
from memcli.prompt.echoes import ECHOED, without_echoes
from memcli.scope import Scope
from memcli.write_policy.originals import StoredOriginals


def refuse_own_words(scope: Scope, text: str, what: str) -> None:
    """Raise Refused if a text contains memcli's own output; `what` names the text in the message."""
    rest, echoes = without_echoes(text, StoredOriginals(scope.store, scope.space))
    if not echoes:
        return
    if not rest:
        raise Refused(f"{what}: {ECHOED}", advice="say what is new", rule="echo")
    pieces = f"{echoes:,} piece{'s' if echoes > 1 else ''} of it"
    raise Refused(f"{what}: {pieces}: {ECHOED}", advice="leave that out", rule="echo")
