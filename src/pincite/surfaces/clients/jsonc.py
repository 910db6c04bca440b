"""Edit JSON with comments and trailing commas, and leave the rest of the text unchanged.

The text is parsed with the positions of all members, and a change replaces a few characters.
Callers parse the changed text again, and compare its content.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NoReturn

_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_NEW_LINE = re.compile(r"[ \t]*\r?\n")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"[^\s,\[\]{}:\"/]+")
_MOST_DEPTH = 200  # settings files are less deep; Python's stack is limited to 1,000 calls


class Malformed(ValueError):
    """The text is not valid JSON of this form. `line` counts from 1."""

    def __init__(self, line: int, said: str) -> None:
        super().__init__(f"line {line}: {said}")
        self.line = line
        self.said = said


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object: the start of its key, and the position of the comma after it, if
    any."""

    key: str
    start: int
    value: Node
    comma: int | None


@dataclass(frozen=True, slots=True)
class Node:
    """A value: `text[start:end]`, its data, and its members if it is an object."""

    start: int
    end: int
    data: Any
    members: tuple[Member, ...] = ()
    is_object: bool = False

    def member(self, key: str) -> Member | None:
        """Return the member with this name, the last one if there are several, as in parsers."""
        return next((one for one in reversed(self.members) if one.key == key), None)


@lru_cache(maxsize=4)  # 10 MB take 1.7 s, and a change parses the text before and after it
def parse(text: str) -> Node:
    """Parse the whole text as one value. Raises Malformed."""
    reader = _Reader(text)
    node = reader.value(reader.skip(0), 0)
    end = reader.skip(node.end)
    if end != len(text):
        reader.fail(end, "unexpected text after the end of the value")
    return node


def set_value(text: str, path: Sequence[str], value: Any) -> str:
    """Return the text with this value at the path; missing objects are created. A text that already
    has this value is returned unchanged. Raises Malformed, also if a part of the path is not an
    object."""
    node = parse(text)
    for depth, key in enumerate(path):
        if not node.is_object:
            named = ".".join(path[:depth]) or "the file"
            raise Malformed(_line(text, node.start), f"{named} is not an object")
        member = node.member(key)
        if member is None:
            made = value
            for other in reversed(path[depth + 1 :]):
                made = {other: made}
            return _insert(text, node, key, made)
        node = member.value
    if node.data == value:
        return text
    return text[: node.start] + _written(text, node, value) + text[node.end :]


def remove(text: str, path: Sequence[str]) -> str:
    """Return the text without the member at the path, unchanged if there is none. Raises
    Malformed."""
    node = parse(text)
    for key in path[:-1]:
        member = node.member(key)
        if member is None or not member.value.is_object:
            return text
        node = member.value
    ours = node.member(path[-1])
    if ours is None:
        return text
    at = node.members.index(ours)
    start = len(text[: ours.start].rstrip(" \t\r\n"))
    end = ours.value.end if ours.comma is None else ours.comma + 1
    before = node.members[at - 1].comma if at else None
    since = before + 1 if before is not None else node.start + 1
    kept = text[:start]
    if ours.comma is None and before is not None:
        kept = text[:before] + text[before + 1 : start]
    rest = text[end:]
    if _ends_in_line_comment(text[since:start]) and not _NEW_LINE.match(rest):
        kept += newline_of(text)
    if len(node.members) == 1 and not text[node.start + 1 : start].strip():
        inside = rest[: node.end - 1 - end]
        if not inside.strip():
            rest = rest[len(inside) :]
    return kept + rest


def _insert(text: str, node: Node, key: str, value: Any) -> str:
    close = node.end - 1
    last = node.members[-1] if node.members else None
    body = text[node.start + 1 : close]
    at = node.start + 1 + len(body.rstrip(" \t\r\n"))
    spread = "\n" in body or not node.members
    newline, outer = newline_of(text), _indent_at(text, node.start)
    unit = _unit(text, node, outer)
    inner = _indent_at(text, last.start) if last and spread else outer + unit
    written = f"{json.dumps(key, ensure_ascii=False)}: "
    if spread:
        lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
        written = newline + inner + written + (newline + inner).join(lines)
    else:
        written = f" {written}{json.dumps(value, ensure_ascii=False)}"
    if last and last.comma is not None and spread:
        written += ","
    if spread and "\n" not in text[at:close]:
        written += newline + outer
    if last and last.comma is None:
        return f"{text[: last.value.end]},{text[last.value.end : at]}{written}{text[at:]}"
    return text[:at] + written + text[at:]


def _written(text: str, node: Node, value: Any) -> str:
    """Return the value as text, formatted like the node that it replaces."""
    outer = _indent_at(text, node.start)
    if "\n" not in text[node.start : node.end]:
        return json.dumps(value, ensure_ascii=False)
    unit = _unit(text, node, outer)
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return (newline_of(text) + outer).join(lines)


def newline_of(text: str) -> str:
    """Return the line ending of the text."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _unit(text: str, node: Node, outer: str) -> str:
    """Return the indentation of members: that in the node, else that in the whole file, else two
    spaces (or a tab, if the node is indented by tabs)."""
    for one in (node, parse(text)):
        around = _indent_at(text, one.start)
        for member in one.members:
            inner = _indent_at(text, member.start)
            if inner.startswith(around) and len(inner) > len(around):
                return inner[len(around) :]
    return "\t" if outer.startswith("\t") else "  "


def _indent_at(text: str, position: int) -> str:
    """Return the indentation of the line that contains this position."""
    start = text.rfind("\n", 0, position) + 1
    line = text[start:position].removeprefix("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _ends_in_line_comment(between: str) -> bool:
    """Return whether the last comment between two members is a line comment."""
    comments = _COMMENT.findall(between)
    return bool(comments) and comments[-1].startswith("//")


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


@dataclass(slots=True)
class _Reader:
    text: str
    words: dict[str, Any] = field(
        default_factory=lambda: {"true": True, "false": False, "null": None}
    )

    def skip(self, at: int) -> int:
        """Return the position after white space and comments."""
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def value(self, at: int, depth: int) -> Node:
        sign = self.text[at : at + 1]
        if depth > _MOST_DEPTH:
            self.fail(at, "it is nested too deeply")
        if sign == "{":
            return self.object(at, depth)
        if sign == "[":
            return self.array(at, depth)
        if sign == '"':
            end, data = self.string(at)
            return Node(at, end, data)
        word = _WORD.match(self.text, at)
        if word is None:
            self.fail(at, "a value is missing" if not sign else f"{sign!r} is not a value")
        if word[0] in self.words:
            return Node(at, word.end(), self.words[word[0]])
        try:
            return Node(at, word.end(), _number(word[0]))
        except ValueError:
            self.fail(at, f"{word[0][:40]!r} is not a value")

    def object(self, at: int, depth: int) -> Node:
        members: list[Member] = []
        here = self.skip(at + 1)
        while self.text[here : here + 1] != "}":
            if self.text[here : here + 1] != '"':
                self.fail(here, "expected a key in double quotes or }")
            end, key = self.string(here)
            colon = self.skip(end)
            if self.text[colon : colon + 1] != ":":
                self.fail(colon, f"expected a colon after {key[:40]!r}")
            value = self.value(self.skip(colon + 1), depth + 1)
            after, comma = self.separator(value.end, "}")
            members.append(Member(key, here, value, comma))
            here = after
        data = {one.key: one.value.data for one in members}
        return Node(at, here + 1, data, tuple(members), is_object=True)

    def array(self, at: int, depth: int) -> Node:
        items: list[Any] = []
        here = self.skip(at + 1)
        while self.text[here : here + 1] != "]":
            value = self.value(here, depth + 1)
            here, _ = self.separator(value.end, "]")
            items.append(value.data)
        return Node(at, here + 1, items)

    def separator(self, end: int, closing: str) -> tuple[int, int | None]:
        """Return the position of the next member or of the end, and that of the comma before it."""
        at = self.skip(end)
        if self.text[at : at + 1] == ",":
            return self.skip(at + 1), at
        if self.text[at : at + 1] != closing:
            self.fail(at, f"expected a comma or {closing}")
        return at, None

    def string(self, at: int) -> tuple[int, str]:
        match = _STRING.match(self.text, at)
        if match is None:
            self.fail(at, "a text has no end on its line")
        try:
            return match.end(), json.loads(match[0])
        except ValueError:
            self.fail(at, "a text has an unknown escape")

    def fail(self, at: int, said: str) -> NoReturn:
        raise Malformed(_line(self.text, at), said)


def _number(word: str) -> int | float:
    if not re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", word):
        raise ValueError(word)
    return float(word) if re.search(r"[.eE]", word) else int(word)
