"""Golden sets: questions with the evidence that a good search finds.

A file of JSON lines, one question each:

    {"id": "q1", "query": "how are keys rotated?", "mode": "explain", "category": "keys",
     "expected": [{"path": "docs/keys.md", "start_line": 10, "end_line": 24, "grade": 3},
                  {"candidate_id": "acme@1.2:docs/keys.md:0f3c...", "grade": 1}]}
    {"id": "q2", "query": "how long do I roast a chicken?", "off_topic": true}
    {"id": "q3", "query": "how are keys printed on paper?", "off_topic": true, "near": true}

An expected item names a candidate, a span of lines (independent of how files are cut), a page
(`notes.pdf#page=3`) or a whole document (`path` alone). `grade` is 3 for a direct answer, 2 for
substantial help, 1 for related, 0 for judged and not relevant; the default is 1. Chunks without an
item are unjudged, not wrong. The corpus does not answer an `off_topic` question. It is `near` if it
is on the corpus's subject, so that a reader would expect an answer there; other off-topic questions
are far. A question that follows others has them as `conversation`, and is asked in its `standalone`
form.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints
from uuid import uuid4

import msgspec

from pincite.errors import UsageError
from pincite.model import SourceType, TaskMode
from pincite.model.citation import format_lines
from pincite.model.documents import PAGE_UNITS
from pincite.support.decodable import ready
from pincite.support.fields import replace
from pincite.support.named_file import read_named_text

MAX_GRADE = 10  #: of judgements of other programs; our own scale ends at 3


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier turn of a conversation."""

    role: Literal["user", "assistant"]
    content: str


_PAGE = re.compile(rf"#(?:{'|'.join(PAGE_UNITS)})=([0-9]{{1,9}})\Z")


@dataclass(frozen=True, slots=True)
class Expected:
    """Evidence that counts: a candidate, lines of a file (1-based, inclusive), a page of it as in
    `notes.pdf#page=3`, or the whole file if none of these is given. `repo` restricts it to one
    source."""

    path: str = ""
    start_line: int = 0
    end_line: int = 0
    grade: int = 1
    candidate_id: str = ""
    source_type: SourceType | None = None
    repo: str = ""

    @property
    def file(self) -> str:
        """Return the path without the page."""
        return _PAGE.sub("", self.path)

    @property
    def page(self) -> int:
        """Return the number of the page, 0 without a page."""
        found = _PAGE.search(self.path)
        return int(found[1]) if found else 0

    @property
    def name(self) -> str:
        """Return the display name: the candidate's id, or `path#L3-L9`."""
        if self.candidate_id:
            return self.candidate_id
        if not self.start_line:
            return self.path
        return f"{self.path}#{format_lines(self.start_line, self.end_line)}"


@dataclass(frozen=True, slots=True)
class GoldenQuery:
    """One question. The corpus does not answer an `off_topic` one; a `near` one of these is on its
    subject. `synthetic` names what generated it, "" for a person."""

    id: str
    query: str
    expected: tuple[Expected, ...] = ()
    mode: TaskMode = "explain"
    category: str = ""
    style: str = ""
    off_topic: bool = False
    near: bool = False
    conversation: tuple[Turn, ...] = ()
    standalone: str = ""
    synthetic: str = ""

    @property
    def text(self) -> str:
        """Return the text to search for: the standalone form if there is one."""
        return self.standalone or self.query

    @property
    def relevant(self) -> bool:
        """Return whether the question expects any evidence."""
        return any(item.grade > 0 for item in self.expected)


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """Questions in the order of the file. `name` is that of the file, without its suffix."""

    name: str
    queries: tuple[GoldenQuery, ...]
    fingerprint: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.fingerprint:
            raw = b"\n".join(map(msgspec.json.encode, self.queries))
            object.__setattr__(self, "fingerprint", blake2b(raw, digest_size=8).hexdigest())


_ALIASES = {"task_mode": "mode"}
_QUERY_FIELDS = frozenset(f.name for f in fields(GoldenQuery)) | set(_ALIASES)
_CHOICES = {
    "mode": get_args(TaskMode),
    "source_type": get_args(SourceType),
    "role": get_args(get_type_hints(Turn)["role"]),
}
_ITEM_FIELDS = frozenset(f.name for f in fields(Expected))


def read_golden(path: Path) -> GoldenSet:
    """Return the golden set in a file. Raises UsageError with file, line and field."""
    try:
        lines = read_named_text(path).split("\n")  # texts may have other line ends
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error
    queries: dict[str, GoldenQuery] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        query = _parse(line, f"{path}:{number}")
        if query.id in queries:
            raise UsageError(f"{path}:{number}: id: {query.id!r} is used twice")
        queries[query.id] = query
    if not queries:
        raise UsageError(f"{path} has no questions", hint="pincite eval gen -o questions.jsonl")
    return GoldenSet(path.stem, tuple(queries.values()))


def write_golden(path: Path, queries: Iterable[GoldenQuery]) -> None:
    """Write a golden set atomically, without default values. Raises UsageError, also for a set that
    `read_golden` would refuse."""
    write_whole(path, format_golden(path, queries))


def format_golden(path: Path, queries: Iterable[GoldenQuery]) -> str:
    """Return the text of a golden set for a file. Raises UsageError for a set that `read_golden`
    would refuse."""
    lines: list[str] = []
    for query in queries:
        row = _trim(query)
        row["expected"] = [_trim(item) for item in query.expected]
        if query.off_topic and not query.expected:
            del row["expected"]
        line = msgspec.json.encode(row).decode()
        _parse(line, f"{path}:{len(lines) + 1}")
        lines.append(line)
    return "".join(f"{line}\n" for line in lines)


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically. A link stays a link. Raises UsageError."""
    try:
        place = path.resolve()
        part = place.with_name(f".{place.name}.{uuid4().hex}.part")
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.write_text(text, encoding="utf-8")
            os.replace(part, place)  # noqa: PTH105
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    except RuntimeError as error:
        raise UsageError(f"{path} cannot be written: its links form a circle") from error


def _trim(value: Any) -> dict[str, Any]:
    return {
        f.name: getattr(value, f.name)
        for f in fields(value)
        if f.name in ("id", "query", "grade") or getattr(value, f.name) != f.default
    }


def _parse(line: str, where: str) -> GoldenQuery:
    try:
        row = msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        raise UsageError(f"{where}: invalid JSON: {error}") from error
    if not isinstance(row, dict):
        raise UsageError(f"{where}: a question is an object, not a {type(row).__name__}")
    _known(row, _QUERY_FIELDS, where, "")
    for old, new in _ALIASES.items():
        if old in row:
            row[new] = row.pop(old)
    for name in ("id", "query"):
        if not isinstance(row.get(name), str) or not row[name].strip():
            raise UsageError(f"{where}: {name}: expected a text, got {row.get(name)!r}")
    items = row.get("expected") or []
    if isinstance(items, list):
        for place, item in enumerate(items):
            if isinstance(item, dict):
                _known(item, _ITEM_FIELDS, where, f"expected[{place}].")
    try:
        query = msgspec.convert(row, ready(GoldenQuery))
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {_field_first(str(error))}") from error
    for place, item in enumerate(query.expected):
        if problem := _problem(item):
            raise UsageError(f"{where}: expected[{place}].{problem}")
    places: dict[Expected, int] = {}
    for place, item in enumerate(query.expected):
        same = places.setdefault(replace(item, grade=0), place)
        if same != place:
            raise UsageError(f"{where}: expected[{place}]: {item.name} is already expected[{same}]")
    if query.off_topic and query.relevant:
        raise UsageError(f"{where}: expected: an off-topic question has no expected items")
    if query.near and not query.off_topic:
        raise UsageError(
            f'{where}: near: a near question needs "off_topic": true',
            hint='add "off_topic": true beside "near": true',
        )
    return query


def _known(row: dict[str, Any], names: frozenset[str], where: str, prefix: str) -> None:
    for name in row:
        if name not in names:
            raise UsageError(
                f"{where}: {prefix}{name}: unknown field; known: {', '.join(sorted(names))}"
            )


def _field_first(message: str) -> str:
    """Put the field first in msgspec's `Expected int, got str - at $.expected[0].grade`."""
    what, _, place = message.partition(" - at `$")
    name = place.rstrip("`").rpartition(".")[2]
    if what.startswith("Invalid enum value") and name in _CHOICES:
        what = f"{what}; known: {', '.join(_CHOICES[name])}"
    return f"{place.rstrip('`').lstrip('.')}: {what}" if place else what


def _problem(item: Expected) -> str:
    if bool(item.candidate_id) == bool(item.path):
        return "path: give either a path or a candidate_id"
    if not 0 <= item.grade <= MAX_GRADE:
        return f"grade: {item.grade} is outside of 0..{MAX_GRADE}"
    if item.candidate_id and (item.start_line or item.end_line):
        return "start_line: with a candidate_id, omit the lines"
    if item.start_line < 0 or item.end_line < item.start_line:
        return (
            f"end_line: {item.end_line} is not a valid end of lines that begin at {item.start_line}"
        )
    if item.page and item.start_line:
        return "start_line: with a page, omit the lines"
    if item.end_line and not item.start_line:
        return "start_line: lines count from 1"
    return ""
