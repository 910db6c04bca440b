"""Return the origin of each metadata field of a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

FIELDS: Final = ("title", "category", "document_type", "data_structure", "language", "dates")
MODEL: Final = "model"  #: the value of `FIELD_from` for fields of a language model


def origins_of(metadata: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Return the origin of each field of a document: `person` for the fields in `given`, else
    `model` or `rules`."""
    found = {}
    for field in FIELDS:
        if given.get(field):
            found[field] = "person"
        elif metadata.get(field):
            found[field] = MODEL if metadata.get(f"{field}_from") == MODEL else "rules"
    return found
