"""Public data as conversations: records as `mem import` takes them, and what is asked about them.

`load` reads any folder laid out like the public one, whatever part of each
collection lies there:

    locomo-*/*.json        LoCoMo: conversations of two people, a memory a turn
    beam-*/*.json.gz       BEAM 100K: chats with an assistant, the user's messages
    beam500-*/*.json.gz    the same of BEAM 500K
    prefeval-*/*.json      PrefEval: preferences by topic, all in one conversation
    friends-*/*.json       FriendsQA: a season as a conversation, laid out as LoCoMo or as published
    realtalk-*/*.json      REALTALK: real chats of two people over three weeks

A question names its evidence by the numbers of the records that answer it.
Questions to which there is no answer (LoCoMo's adversarial ones, BEAM's
abstentions) stand apart; other questions without evidence are left out.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from memcli import times

SETS = ("locomo", "beam", "prefeval", "friends", "beam500", "realtalk")
Record = dict[str, Any]

_KINDS = {
    "locomo": {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"},
    "realtalk": {1: "multi-hop", 2: "temporal", 3: "commonsense"},
}
# FriendsQA's scenes have no date.
_FIRST_SCENE = datetime(2024, 1, 8, 12, tzinfo=UTC)
# "D8:6; D9:17", "D:11:26" and "D30:05" are how some of it is written.
_TURN = re.compile(r"D:?(\d+):(\d+)")
_TRAILER = re.compile(r"\s*->->[\d,\s]*$")


class Question(NamedTuple):
    """What is asked, and which records answer it."""

    text: str
    evidence: frozenset[int]
    category: str
    # Of a question about something that was updated: who said it first, and who said it last.
    outdated: frozenset[int] = frozenset()
    current: frozenset[int] = frozenset()


@dataclass(slots=True)
class Conversation:
    """Records as `mem import` takes them, and what is asked about them."""

    name: str
    data: str
    records: list[Record] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    unanswerable: list[Question] = field(default_factory=list)
    # What the assistant said, where there is one: no record, nothing is asked about it.
    replies: list[str] = field(default_factory=list)


def load(folder: Path, only: Iterable[str] = SETS) -> list[Conversation]:
    """All conversations under `folder` of the collections asked for."""
    readers = {"beam": _beam, "beam500": _beam, "prefeval": _prefeval}
    return [
        talk
        for name in only
        for talk in readers.get(name, _turns)(name, sorted(folder.glob(f"{name}-*/*.json*")))
    ]


def _read(path: Path) -> Any:
    raw = path.read_bytes()
    return json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)


def _turns(data: str, paths: Iterable[Path]) -> Iterator[Conversation]:
    """Turn by turn: LoCoMo's layout, REALTALK's without its middle level, FriendsQA's own."""
    seasons: dict[str, Conversation] = {}
    for path in paths:
        content = _read(path)
        if isinstance(content, dict) and "data" in content:
            _friends_scenes(content["data"], seasons)
            continue
        for number, each in enumerate(content if isinstance(content, list) else [content]):
            talk = Conversation(each.get("sample_id") or f"{path.stem}-{number}", data)
            places = _session_turns(each.get("conversation", each), talk.records)
            for asked in each["qa"]:
                turns = {(int(a), int(b)) for a, b in _TURN.findall(str(asked.get("evidence")))}
                evidence = frozenset(places[turn] for turn in turns if turn in places)
                kind = _KINDS.get(data, {}).get(asked["category"], str(asked["category"]))
                _ask(talk, Question(str(asked["question"]), evidence, kind), kind == "adversarial")
            yield talk
    yield from seasons.values()


def _session_turns(sessions: dict[str, Any], records: list[Record]) -> dict[tuple[int, int], int]:
    """Add a record a turn; gives the number of each by session and turn."""
    places = {}
    names = [name for name in sessions if re.fullmatch(r"session_\d+", name)]
    for name in sorted(names, key=lambda name: int(name.removeprefix("session_"))):
        begun = _instant(sessions[f"{name}_date_time"])
        for order, turn in enumerate(sessions[name]):
            said = turn["text"] if "text" in turn else turn["clean_text"]
            image = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            if not (said + image).strip():
                continue
            for a, b in _TURN.findall(turn["dia_id"]):
                places[int(a), int(b)] = len(records)
            text, speaker = f"{turn['speaker']}: {said}{image}", turn["speaker"]
            own = _instant(turn["date_time"]) if "date_time" in turn else None
            records.append(_episode(text, name, speaker, own or begun, order))
    return places


def _instant(text: str) -> datetime:
    """An instant as LoCoMo ("12:00 PM on 8 January, 2024") or REALTALK ("29.12.2023, 12:12:33") say it."""
    form = "%I:%M %p on %d %B, %Y" if " on " in text else "%d.%m.%Y, %H:%M:%S"
    return datetime.strptime(text, form)  # noqa: DTZ007


def _friends_scenes(scenes: Iterable[dict[str, Any]], seasons: dict[str, Conversation]) -> None:
    """Add FriendsQA's own files: a season a conversation, a scene a session, a week apart."""
    for scene in sorted(scenes, key=lambda each: each["title"]):
        season = scene["title"][:3]
        talk = seasons.setdefault(season, Conversation(f"friends-{season}", "friends"))
        when = _FIRST_SCENE + timedelta(days=7 * len({record["session"] for record in talk.records}))
        for part in scene["paragraphs"]:
            first = len(talk.records)
            for order, said in enumerate(part.get("utterances:") or part["utterances"]):
                speaker = ", ".join(said["speakers"]) or "#NOTE#"
                text = f"{speaker}: {said['utterance']}"
                talk.records.append(_episode(text, scene["title"], speaker, when, order))
            for asked in part["qas"]:
                evidence = frozenset(first + answer["utterance_id"] for answer in asked["answers"])
                kind = asked["id"].removesuffix("_Paraphrased").rsplit("_", 1)[-1].lower()
                _ask(talk, Question(asked["question"], evidence, kind), unanswerable=False)


def _beam(data: str, paths: Iterable[Path]) -> Iterator[Conversation]:
    for path in paths:
        content = _read(path)
        talk = Conversation(path.name.split(".")[0], data)
        places: dict[int, int] = {}
        when = None
        for number, batch in enumerate(content["chat"], start=1):
            for order, message in enumerate(message for turn in batch["turns"] for message in turn):
                if anchor := message.get("time_anchor"):
                    when = datetime.strptime(anchor, "%B-%d-%Y")  # noqa: DTZ007
                if message["role"] == "user":
                    places[message["id"]] = len(talk.records)
                    text = _TRAILER.sub("", message["content"])
                    talk.records.append(_episode(text, f"batch-{number}", "user", when, order))
                else:
                    talk.replies.append(message["content"])
        for ability, questions in content["probing_questions"].items():
            for asked in questions:
                named = asked.get("source_chat_ids")
                updated = named if isinstance(named, dict) else {}
                evidence, outdated, current = (
                    frozenset(places[number] for number in _numbers(part) if number in places)
                    for part in (named, updated.get("original_info"), updated.get("updated_info"))
                )
                question = Question(asked["question"], evidence, ability, outdated, current)
                _ask(talk, question, ability == "abstention")
        yield talk


def _prefeval(data: str, paths: Iterable[Path]) -> Iterator[Conversation]:
    talk = Conversation(data, data)
    for path in paths:
        for item in _read(path):
            evidence = frozenset([len(talk.records)])
            talk.records.append({"text": item["preference"], "kind": "preference"})
            talk.questions.append(Question(item["question"], evidence, path.stem))
    if talk.records:
        yield talk


def _episode(text: str, session: str, role: str, when: datetime | None, order: int) -> Record:
    record = {"text": text, "kind": "episode", "session": session, "role": role}
    if when:
        # The data gives one time a session; a second apart, turns keep their order.
        record["at"] = times.to_iso(when.replace(tzinfo=UTC) + timedelta(seconds=order))
    return record


def _ask(talk: Conversation, question: Question, unanswerable: bool) -> None:
    if unanswerable:
        talk.unanswerable.append(question)
    elif question.evidence:
        talk.questions.append(question)


def _numbers(value: Any) -> Iterator[int]:
    """Every number in a value of lists, objects and texts."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, str):
        yield from map(int, re.findall(r"\d+", value))
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _numbers(each)
