"""Transcripts of agents and chats: turns with their roles, one JSON object per line.

Recognised are lines with `role` and `content`, such lines under `message` (Claude Code) or
`payload` (Codex), and whole conversations under `messages` (training data of OpenAI). Contents are
texts or lists of parts; the input and the output of tools are texts, too. Other lines, such as
settings of the session, have no turns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

import msgspec

from pincite.support.valid_text import valid_text

LINES: Final = (".jsonl", ".ndjson")  #: suffixes of such files
_LOOKED_AT: Final = 50  # lines that are read to recognise a transcript
_ENOUGH: Final = 2  # turns in them
_DEEP: Final = 6  # the depth of lists of parts
_LONGEST: Final = 200  # characters of a time or a session; guess: ids have up to 64
_TEXTS: Final = ("text", "content", "output", "input", "arguments", "thinking", "result")
_ROLES: Final = ("user", "human", "assistant", "model", "system", "developer", "tool", "function")
TIMES: Final = ("timestamp", "created_at", "time", "date", "ts")
SESSIONS: Final = ("sessionId", "session_id", "conversation_id", "thread_id", "session")
_TOOL_PARTS: Final = ("tool_use", "tool_result", "function_call", "function_call_output")


class Turn(msgspec.Struct, frozen=True):
    """A turn of one role. `texts` are its decoded texts, in the order of the line."""

    role: str
    texts: tuple[str, ...]
    time: str = ""
    session: str = ""


def is_lines(path: str) -> bool:
    """Return whether this is a file with one object per line."""
    return path.lower().endswith(LINES)


def is_transcript(text: str) -> bool:
    """Return whether the first lines have at least two turns, and the first one is a JSON
    object."""
    found = 0
    for number, line in enumerate(text.split("\n", _LOOKED_AT)[:_LOOKED_AT]):
        if not line.strip():
            continue
        turns = turns_of(line)
        if turns is None and number == 0:
            return False
        found += len(turns or ())
    return found >= _ENOUGH


def first_words(text: str) -> str:
    """Return the first words of the user, which serve as a title; "" if there are none."""
    for line in text.split("\n", _LOOKED_AT)[:_LOOKED_AT]:
        for turn in turns_of(line) or ():
            if turn.role in ("user", "human") and (said := " ".join(turn.texts).strip()):
                return valid_text(" ".join(said.split()))
    return ""


def turns_of(line: str) -> tuple[Turn, ...] | None:
    """Return the turns in a line; None for a line that is not a JSON object."""
    try:
        held = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(held, dict):
        return None
    time, session = _first(held, TIMES), _first(held, SESSIONS)
    inner = held.get("message", held.get("payload"))
    messages = held.get("messages")
    if not isinstance(messages, list):
        messages = [inner if isinstance(inner, dict) else held]
    return tuple(
        Turn(role, texts, _first(one, TIMES) or time, session)
        for one in messages
        if isinstance(one, dict)
        for role, texts in _said(one)
        if texts
    )


def _said(message: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the roles and texts of a message. Parts of tools have the role `tool`."""
    role = message.get("role")
    kind = message.get("type")
    if kind in _TOOL_PARTS:
        yield "tool", tuple(_texts(message, 0))
        return
    if role not in _ROLES:
        return
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    for speaker, run in groupby(parts, lambda one: "tool" if _is_tool(one) else role):
        yield speaker, tuple(_texts(list(run), 0))


def _is_tool(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") in _TOOL_PARTS


def _texts(held: object, depth: int) -> Iterator[str]:
    """Yield the texts of a content in order."""
    if isinstance(held, str):
        if held.strip():
            yield held
    elif depth < _DEEP and isinstance(held, list):
        for one in held:
            yield from _texts(one, depth + 1)
    elif depth < _DEEP and isinstance(held, dict):
        given = held.get("type") in ("tool_use", "function_call")
        for name, value in held.items():
            if name in _TEXTS or (given and name == "name") or depth > 1:
                yield from _texts(value, depth + 1)


def _first(held: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the first of these values that is a text, "" if it is long: each chunk has a copy."""
    found = (held.get(name) for name in names)
    first = next((one for one in found if isinstance(one, str) and one), "")
    return first if len(first) <= _LONGEST else ""
