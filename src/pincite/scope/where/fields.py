"""Names of fields in filters."""

from __future__ import annotations

import re

from pincite.ports import FILTER_FIELDS, NUMBER_FIELDS, TEXT_FIELDS

ID = "id"
#: Names of fields in filters, if they differ from the names in the store. Both are accepted.
READABLE = {"repo": "source", "source_type": "kind"}
FIELDS = tuple(
    READABLE.get(name, name) for name in (*FILTER_FIELDS, ID, *NUMBER_FIELDS, *TEXT_FIELDS)
)
#: Names of fields in the store, by their names in filters.
STORED = {name: name for name in (*FIELDS, *READABLE)} | {
    called: stored for stored, called in READABLE.items()
}
_CHUNK_ID = re.compile(r"[0-9a-f]{32}")


def readable(field: str) -> str:
    """Return the name of a field in filters."""
    return READABLE.get(field, field)


def is_chunk_id(text: str) -> bool:
    """Return whether a text is a complete id of a chunk."""
    return _CHUNK_ID.fullmatch(text) is not None
