"""Automatic attributes of chunks: the location of chunks in extracted documents, for filters, and
sets of further attributes for programs that read the store directly.

A collection gets a set, or none, when it is created (`[store] fields`), and keeps it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pincite.errors import ConfigError
from pincite.model import AttributeType, AttributeValue, Section
from pincite.model.records import PAGE_NUMBER
from pincite.support.fields import replace

#: By name of the set: attribute names with their types. A chunk without `imageUrl` has null there.
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

#: The names in filters for the location of a chunk of an extracted document.
PLACES: Final[Mapping[str, AttributeType]] = MappingProxyType(
    {"page": "integer", "visual": "boolean"}
)


def field_types(fields: str, known: Mapping[str, AttributeType]) -> Mapping[str, AttributeType]:
    """Return the types of a set that are not `known`. Raises ConfigError if a name already has
    another type."""
    wanted = FIELDS[fields]
    for name, kind in wanted.items():
        if known.get(name, kind) != kind:
            raise ConfigError(
                f'[store] fields = "{fields}" makes {name} a value of the type {kind}, but it'
                f" is declared as {known[name]}",
                hint=f'set [attributes] {name} = "{kind}", or remove {name}',
            )
    return {name: kind for name, kind in wanted.items() if name not in known}


def with_fields(sections: Sequence[Section], fields: str) -> Sequence[Section]:
    """Return the sections of one document with the values of the set `fields`; "" adds nothing.
    Both sets have the position in the document, from 0. `notes` adds the number of the page, if
    any, and whether the section is a table or an image. `workspace` adds the range of characters in
    the document's text, end exclusive."""
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
    """Return the sections of a document; those on a page get its number as `page`, and as `visual`
    whether they are a table or an image. A name is not used if it is `taken`, or if the collection
    has another type for it: then it is an attribute of the user."""
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
