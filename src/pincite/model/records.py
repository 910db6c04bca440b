"""Records: texts that a program indexes under an id, instead of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b, sha256

import msgspec

from pincite.model.attribute_types import Attributes
from pincite.model.documents import Element, PageSpan, PageUnit

RECORDS = "records"  #: the default name of a source of records
PAGE_NUMBER = "page_number"  #: the attribute of a page's chunks
OCR = "ocr"  #: the attribute of chunks whose text OCR has read: true
RECORD_LANGUAGES = ("text", "markdown", "html", "rst")


@dataclass(frozen=True, slots=True)
class RecordPage:
    """A page of a record. Its chunks have its attributes and its number as `page_number`. Pages
    without a number are counted from 1."""

    text: str
    page_number: int | None = None
    attributes: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """A text that a program indexes: `text`, or `pages` instead of it. `language` is the format of
    the text, one of RECORD_LANGUAGES."""

    id: str | int
    text: str | None = None
    pages: Sequence[str | RecordPage | Mapping[str, object]] | None = None
    title: str = ""
    url: str | None = None
    attributes: Mapping[str, object] = field(default_factory=dict)
    language: str = "text"


class Layout(msgspec.Struct, frozen=True):
    """The layout of a text in the file that an `extractor` has extracted it from: the unit of its
    pages, and its elements, as in `Document`."""

    unit: PageUnit
    extractor: str
    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class ExtractedRecord(Record):
    """A record whose `text` was extracted from a file. It is chunked and cited like that file.
    `spans` are its pages, with their numbers and attributes. Only Pincite creates these: a `Record`
    cannot have a layout."""

    spans: tuple[PageSpan, ...] = ()
    layout: Layout | None = None


class KeptRecord(msgspec.Struct, frozen=True):
    """A record in its normal form. `path` is the path of its document: the values of the attributes
    that its collection requires, then the id. `pages` are spans of the text, empty for a record
    without pages. `layout` is that of an extracted text, None for others."""

    path: str
    id: str
    text: str
    pages: tuple[PageSpan, ...] = ()
    title: str = ""
    url: str | None = None
    language: str = "text"
    attributes: Attributes = {}
    layout: Layout | None = None

    @property
    def content_hash(self) -> str:
        """SHA-256 of the text in UTF-8, in hex."""
        return sha256(self.text.encode()).hexdigest()

    @property
    def shape(self) -> str:
        """A hash (32 hex digits) of everything that determines the chunks except text and
        attributes."""
        parts: tuple[object, ...] = (self.title, self.url, self.language, self.pages)
        if self.layout is not None:
            parts += (self.layout.unit, self.layout.elements)
        raw = msgspec.json.encode(parts, order="deterministic")
        return blake2b(raw, digest_size=16).hexdigest()
