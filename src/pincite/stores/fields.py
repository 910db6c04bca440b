"""Map payloads of other programs to chunks.

A key may be a path, such as `metadata.source`; it also reaches into texts that contain JSON.
Missing values are empty in the chunk: 0 for lines, "" for the revision.
"""

from __future__ import annotations

from collections.abc import Mapping
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
#: The payload keys of well-known programs, each with its usual metadata.
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


class FieldMap(msgspec.Struct, frozen=True):
    """The names of `FIELDS` in the payload, by field. `repo`, `source_type` and `language` apply to
    points without their own values."""

    keys: Mapping[str, str]
    repo: str
    source_type: SourceType = "docs"
    language: str = ""

    def constant(self, name: str) -> str:
        """Return the value of a field without a key."""
        usual = {"repo": self.repo, "source_type": self.source_type, "language": self.language}
        return "" if name in self.keys else usual.get(name, "")

    def chunk(self, chunk_id: str, payload: Mapping[str, Any]) -> Chunk | None:
        """Return the chunk of a point, or None if it has no text or only white space."""
        text = _text(at(payload, self.keys["text"]))
        if not text.strip():
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
    """Return the value at a path, None if it is missing. A key with dots in it takes precedence."""
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


class Foreign(msgspec.Struct, frozen=True):
    """A collection of another program, under our `name`. `vector` and `sparse` are names of its
    vectors: an empty `vector` means the only one, an empty `sparse` none. `dimensions` are those of
    the model, 0 if unknown."""

    name: str
    collection: str
    fields: FieldMap
    vector: str = ""
    sparse: str = ""
    dimensions: int = 0
    model: str = ""
