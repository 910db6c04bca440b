"""Which column of a file is which field of a record."""

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
    """Which column is which field of a record, by the field; one that is not named is the column
    of its own name, if there is one. `attributes` are columns by attribute: such a column is a
    field too only if `columns` names it, or if it is the id or the text. `language` holds for all
    records that say nothing themselves."""

    columns: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)
    language: str = ""

    @property
    def is_empty(self) -> bool:
        """Are rows records as they are?"""
        return not (self.columns or self.attributes)

    def require(self, columns: Sequence[str], where: str) -> None:
        """Raise UsageError for a column that is not there, or there twice. Those without a name do
        not count."""
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
        """The record of a row. Attributes that are not an object stay as they are: `accept` refuses
        them."""
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
        """A record that is one without columns being named."""
        if isinstance(own := record.get("attributes"), str):
            record = {**record, "attributes": _object_of(own)}
        return self._with_language(record)

    def _with_language(self, record: Mapping[str, object]) -> dict[str, object]:
        if self.language and not record.get("language"):
            return {**record, "language": self.language}
        return dict(record)


def _object_of(value: object) -> object:
    """The object that a text is in JSON, None for an empty text or null, else the value itself."""
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    try:
        found = msgspec.json.decode(value)
    except (msgspec.MsgspecError, RecursionError):
        return value
    return found if isinstance(found, dict | None) else value
