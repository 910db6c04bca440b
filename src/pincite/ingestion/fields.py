"""Attributes that every chunk of a collection gets for programs that read the store themselves.

A collection is made with such a set (`[store] fields`) or without, and keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from pincite.errors import ConfigError
from pincite.model import AttributeType, AttributeValue, Section
from pincite.model.records import PAGE_NUMBER

#: The names of a set with their types. Where a chunk has no `imageUrl` its payload says null.
FIELDS: Final[Mapping[str, Mapping[str, AttributeType]]] = MappingProxyType(
    {
        "": {},
        "notes": {
            PAGE_NUMBER: "integer",
            "isVisual": "boolean",
            "imageUrl": "keyword",
            "chunkIndex": "integer",
            "institution": "keyword",
            "mode": "keyword",
            "courseName": "keyword",
        },
    }
)


def field_types(fields: str, known: Mapping[str, AttributeType]) -> Mapping[str, AttributeType]:
    """The types of a set that are not `known`. Raises ConfigError where a name is of another type
    already."""
    wanted = FIELDS[fields]
    for name, kind in wanted.items():
        if known.get(name, kind) != kind:
            raise ConfigError(
                f'[store] fields = "{fields}" makes {name} a value of the type {kind}, and it is'
                f" declared as {known[name]}",
                hint=f'[attributes] {name} = "{kind}", or leave {name} out',
            )
    return {name: kind for name, kind in wanted.items() if name not in known}


def with_fields(sections: Sequence[Section], fields: str) -> Sequence[Section]:
    """The sections of one document with what the set says of each: the number of its page, where
    it has one, whether it is a table or an image, and its place in the document, from 0."""
    if fields != "notes":
        return sections
    return tuple(_as_note(section, place) for place, section in enumerate(sections))


def _as_note(section: Section, place: int) -> Section:
    held: dict[str, AttributeValue] = {"isVisual": False, "chunkIndex": place}
    if section.on_page is not None:
        held["isVisual"] = section.on_page.visual
        if section.on_page.number:
            held[PAGE_NUMBER] = section.on_page.number
    return replace(section, attributes={**held, **section.attributes})
