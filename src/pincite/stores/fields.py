"""Payloads of other programs as chunks: which field stands where.

A key may be a path, `metadata.source`; what lies inside of a text that is JSON is found as well.
What a payload does not have is empty in the chunk: no lines are 0, no revision is "".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

import msgspec

from pincite.model import Chunk, SourceType

#: Fields of a chunk that a payload may have.
FIELDS = (
    *("text", "path", "url", "title", "repo", "ref", "start_line", "end_line"),
    *("source_type", "language", "symbols", "headings"),
)
NUMBERS = ("start_line", "end_line")
LISTS = ("symbols", "headings")
#: What well-known programs write, each with its usual metadata.
LAYOUTS: Mapping[str, Mapping[str, str]] = {
    "langchain": {
        "text": "page_content",
        "path": "metadata.source",
        "title": "metadata.title",
        "language": "metadata.language",
    },
    "llamaindex": {"text": "_node_content.text", "path": "file_path"},
    "mcp-server-qdrant": {
        "text": "document",
        "path": "metadata.path",
        "url": "metadata.url",
        "title": "metadata.title",
    },
}


@dataclass(frozen=True, slots=True)
class FieldMap:
    """`keys` are the payload's names of `FIELDS`; `repo`, `source_type` and `language` hold for
    points that do not say it themselves."""

    keys: Mapping[str, str]
    repo: str
    source_type: SourceType = "docs"
    language: str = ""

    def constant(self, name: str) -> str:
        """What a field is where no key is given for it."""
        usual = {"repo": self.repo, "source_type": self.source_type, "language": self.language}
        return "" if name in self.keys else usual.get(name, "")

    def chunk(self, chunk_id: str, payload: Mapping[str, Any]) -> Chunk | None:
        """The chunk of a point, None for one without a text."""
        text = _text(at(payload, self.keys["text"]))
        if not text:
            return None
        values: dict[str, Any] = {}
        for name, key in self.keys.items():
            found = at(payload, key)
            if name in NUMBERS:
                values[name] = _line(found)
            elif name in LISTS:
                values[name] = _list(found)
            else:
                values[name] = _text(found)
        first, last = values.get("start_line", 0), values.get("end_line", 0)
        known = 0 < first <= (last or first)
        kind: SourceType = self.source_type
        if values.get("source_type") in get_args(SourceType):
            kind = values["source_type"]
        return Chunk(
            id=chunk_id,
            repo=values.get("repo") or self.repo,
            ref=values.get("ref", ""),
            path=values.get("path", ""),
            source_type=kind,
            language=values.get("language") or self.language,
            start=0,
            end=0,
            start_line=first if known else 0,
            end_line=(last or first) if known else 0,
            text=text,
            content_hash="",
            title=values.get("title", ""),
            headings=values.get("headings", ()),
            symbols=values.get("symbols", ()),
            url=values.get("url") or None,
        )


def at(payload: Any, key: str) -> Any:
    """What stands at the end of a path, None if there is nothing. A key with dots in it wins."""
    if isinstance(payload, str):
        payload = _decoded(payload)
    if not isinstance(payload, Mapping):
        return None
    if key in payload:
        return payload[key]
    first, dot, rest = key.partition(".")
    return at(payload.get(first), rest) if dot else None


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""


def _line(value: Any) -> int:
    if isinstance(value, str) and value.isdigit():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _list(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


@dataclass(frozen=True, slots=True)
class Foreign:
    """A collection of another program, under our `name`. `vector` and `sparse` are names of its
    vectors: an empty `vector` is the one that there is, an empty `sparse` none. `dimensions` are
    those of the model, 0 where nobody knows yet."""

    name: str
    collection: str
    fields: FieldMap
    vector: str = ""
    sparse: str = ""
    dimensions: int = 0
    model: str = ""
