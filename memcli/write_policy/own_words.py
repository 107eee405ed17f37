"""What memcli itself has printed is kept as no other text either: as a block, as a note of a task."""

from __future__ import annotations

from memcli.errors import Refused
from memcli.prompt.echoes import ECHOED, without_echoes
from memcli.scope import Scope
from memcli.write_policy.originals import StoredOriginals


def refuse_own_words(scope: Scope, text: str, what: str) -> None:
    """Raise Refused for a text in which memcli's own words stand, naming `what` it is."""
    rest, echoes = without_echoes(text, StoredOriginals(scope.store, scope.space))
    if not echoes:
        return
    if not rest:
        raise Refused(f"{what}: {ECHOED}", advice="say what is new", rule="echo")
    pieces = f"{echoes:,} piece{'s' if echoes > 1 else ''} of it"
    raise Refused(f"{what}: {pieces}: {ECHOED}", advice="leave that out", rule="echo")
