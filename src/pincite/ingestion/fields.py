"""Attributes that chunks get by themselves: of extracted documents their place, which filters ask
for, and in some collections more, for programs that read the store themselves.

A collection is made with such a set (`[store] fields`) or without, and keeps it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
        "workspace": {
            "document_id": "keyword",
            "user_id": "keyword",
            "space_id": "keyword",
            "chunk_index": "integer",
            "filename": "keyword",
            "start_char": "integer",
            "end_char": "integer",
            "doc_title": "keyword",
            "doc_category": "keyword",
            "doc_document_type": "keyword",
            "doc_data_structure": "keyword",
            "source_ids": "keywords",
            "feed_ids": "keywords",
        },
    }
)

#: What filters call the place of a chunk of an extracted document.
PLACES: Final[Mapping[str, AttributeType]] = MappingProxyType(
    {"page": "integer", "visual": "boolean"}
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
    """The sections of one document with what the set says of each: its place in the document, from
    0; of notes the number of its page, where it has one, and whether it is a table or an image; of
    workspaces the characters of the document's text that it has, of which the last is not one."""
    match fields:
        case "notes":
            return tuple(_as_note(section, place) for place, section in enumerate(sections))
        case "workspace":
            return tuple(_as_chunk(section, place) for place, section in enumerate(sections))
    return sections


def _as_chunk(section: Section, place: int) -> Section:
    own = {"chunk_index": place, "start_char": section.start, "end_char": section.end}
    return replace(section, attributes={**section.attributes, **own})


def with_places(
    sections: Sequence[Section], known: Mapping[str, AttributeType], taken: Collection[str]
) -> Sequence[Section]:
    """The sections of an extracted document with the number of their page, and whether each is a
    table or an image. What the collection has of another type, and names that are `taken`, mean
    something else to who gave them, and stay."""
    free = [
        name for name, kind in PLACES.items() if name not in taken and known.get(name, kind) == kind
    ]
    return tuple(_placed(section, free) for section in sections) if free else sections


def _placed(section: Section, free: Sequence[str]) -> Section:
    if section.on_page is None:
        return section
    place = {"page": section.on_page.number, "visual": section.on_page.visual}
    held = {name: place[name] for name in free}
    return replace(section, attributes={**held, **section.attributes})


def _as_note(section: Section, place: int) -> Section:
    held: dict[str, AttributeValue] = {"isVisual": False, "chunkIndex": place}
    if section.on_page is not None:
        held["isVisual"] = section.on_page.visual
        if section.on_page.number:
            held[PAGE_NUMBER] = section.on_page.number
    return replace(section, attributes={**held, **section.attributes})
