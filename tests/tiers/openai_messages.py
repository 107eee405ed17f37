"""The messages of a session as most tests ask for them: those for OpenAI's chat completions."""

from __future__ import annotations

from typing import Any

from memcli.scope import Scope
from memcli.tiers.sessions.messages import session_request
from memcli.tiers.sessions.requests import Message


def session_messages(scope: Scope, session: str, **limits: Any) -> list[Message]:
    return session_request(scope, session, "openai", **limits).messages
