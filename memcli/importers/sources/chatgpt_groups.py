"""ChatGPT's group chats (`group_chats.json`): several people, and ChatGPT, in one conversation.

OpenAI documents none of its files; public accounts of this one (2026) describe `{"chats": [{id, title,
participants, create_time}]}`, mostly empty, with a `mapping` or a list of `messages` if a chat has any. It is
not told which of the people is the owner of the export, so nobody's turns are trusted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memcli.importers import fields
from memcli.importers.markdown import text_id
from memcli.importers.records import Problem, Record, Turn

_NAME = re.compile(r"(?:.*/)?group_chats(?:-\d+)?\.json")
_MODEL = ("assistant", "chatgpt", "gpt", "model")
# Fields that may list a chat's messages.
_LISTS = ("messages", "items", "turns")


def is_group_file(name: str) -> bool:
    """True if a file holds group chats, judged by its name."""
    return _NAME.fullmatch(name) is not None


def by_people(records: Iterator[Record]) -> Iterator[Record]:
    """Yield the records with every turn marked as another person's: it is unknown who is the owner."""
    for each in records:
        yield each._replace(by_another=True) if isinstance(each, Turn) else each


def group_turns(chat: object, place: str, said: Callable[[Mapping[str, Any]], str]) -> Iterator[Record]:
    """Yield the turns of one group chat that lists its messages; `said` returns the words of one."""
    title = fields.text(chat, "title", "name")
    found = [each for name in _LISTS for each in fields.objects(chat, name)]
    if not found:
        yield Problem(place, f"the group chat {title!r:.60} holds no messages in a form that is known")
        return
    start = fields.when(chat, "create_time", "created_at")
    chat_id = fields.text(chat, "id", "conversation_id") or text_id(
        title, *(said(each) for each in found[:3])
    )
    for number, message in enumerate(found):
        role, name = _speaker(message)
        text = said(message) or fields.content_text(message.get("content")) or fields.text(message, "text")
        if role in ("user", "assistant") and text.strip():
            at = fields.first_of(fields.when(message, "create_time", "created_at", "timestamp"), start)
            message_id = fields.text(message, "id") or str(number)
            data = {"name": name} if name and role == "user" else {}
            yield Turn(
                place, f"group/{chat_id}", title, message_id, role, text.strip(), at, data, by_another=True
            )


def _speaker(message: Mapping[str, Any]) -> tuple[str, str]:
    """Return the role of a message's author, and their name."""
    told = next((message[name] for name in ("author", "sender", "user") if message.get(name)), None)
    name = told if isinstance(told, str) else fields.text(told, "name", "display_name", "user_id", "id")
    role = fields.text(told, "role") or fields.text(message, "role")
    if role in ("system", "tool"):
        return role, name
    is_model = role == "assistant" or (not role and name.lower() in _MODEL)
    return ("assistant" if is_model else "user"), name
