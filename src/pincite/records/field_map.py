"""Map columns of a file to fields of records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pincite.errors import UsageError
from pincite.ingestion.attributes.normalise import TableText

_NEEDED = ("id", "text")
FIELDS = (*_NEEDED, "title", "url", "language")


@dataclass(frozen=True, slots=True)
class FieldMap:
    """The columns of a file by field of a record. A field that is not named takes the column of its
    own name, if there is one. `attributes` are columns by attribute: such a column is also a field
    only if `columns` names it, or if it is the id or the text. `language` is that of all records
    without their own."""

    columns: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)
    language: str = ""

    @property
    def is_empty(self) -> bool:
        """Return whether rows are records without a mapping."""
        return not (self.columns or self.attributes)

    def require(self, columns: Sequence[str], where: str) -> None:
        """Raise UsageError for a missing column, or one that occurs twice. Columns without a name
        are ignored."""
        for name, count in Counter(columns).items():
            if name and count > 1:
                raise UsageError(
                    f"{where} has {count} columns {name!r}", hint="give each a name of its own"
                )
        wanted = (*self.columns.values(), *self.attributes.values())
        needed = (*wanted, *(name for name in _NEEDED if name not in self.columns))
        for name in needed:
            if name not in columns:
                shown = ", ".join(columns[:20]) or "none"
                raise UsageError(
                    f"{where} has no column {name!r}; its columns: {shown}",
                    hint="name the columns: --id COLUMN --text COLUMN --attribute NAME=COLUMN",
                )

    def record(self, row: Mapping[str, Any]) -> dict[str, object]:
        """Return the record of a row. Attributes that are not an object stay unchanged: `accept`
        refuses them."""
        found: dict[str, object] = {}
        named = {name: row.get(column) for name, column in self.attributes.items()}
        free = {name: row[name] for name in row.keys() - self.attributes.values()}
        for name in FIELDS:
            among = row if name in self.columns or name in _NEEDED else free
            value = among.get(self.columns.get(name, name))
            if value not in (None, ""):
                found[name] = value
        if "pages" in free and "text" not in found:
            found["pages"] = free["pages"]
        own = _object_of(free.get("attributes"))
        if isinstance(own, str):
            own = TableText(own)  # for a message about the column
        found["attributes"] = {**(own or {}), **named} if isinstance(own, dict | None) else own
        return self._with_language(found)

    def record_as_it_is(self, record: Mapping[str, object]) -> dict[str, object]:
        """Return a row without mapping as a record; attributes in JSON are decoded."""
        if isinstance(own := record.get("attributes"), str):
            record = {**record, "attributes": _object_of(own)}
        return self._with_language(record)

    def _with_language(self, record: Mapping[str, object]) -> dict[str, object]:
        if self.language and not record.get("language"):
            return {**record, "language": self.language}
        return dict(record)


def _object_of(value: object) -> object:
    """Return the object of a JSON text, None for an empty text or null, else the value
    unchanged."""
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    try:
        found = msgspec.json.decode(value)
    except (msgspec.MsgspecError, RecursionError):
        return value
    return found if isinstance(found, dict | None) else value
