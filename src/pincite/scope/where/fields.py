"""Names of fields in filters."""

from __future__ import annotations

import re

from pincite.ports import FILTER_FIELDS, NUMBER_FIELDS, TEXT_FIELDS

ID = "id"
#: What fields are called in texts, where that is not their name in the store. Both can be read.
READABLE = {"repo": "source", "source_type": "kind"}
FIELDS = tuple(
    READABLE.get(name, name) for name in (*FILTER_FIELDS, ID, *NUMBER_FIELDS, *TEXT_FIELDS)
)
#: Names in stores, by the names in texts.
STORED = {name: name for name in (*FIELDS, *READABLE)} | {
    called: stored for stored, called in READABLE.items()
}
_CHUNK_ID = re.compile(r"[0-9a-f]{32}")


def readable(field: str) -> str:
    """What a field is called in a text."""
    return READABLE.get(field, field)


def is_chunk_id(text: str) -> bool:
    """Is this a whole id?"""
    return _CHUNK_ID.fullmatch(text) is not None
