"""Records: texts that a program hands over under an id, in place of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b, sha256

import msgspec

from pincite.model.attributes import Attributes
from pincite.model.documents import PageSpan

RECORDS = "records"  #: the name of a source of records where none is given
PAGE_NUMBER = "page_number"  #: the attribute of a page's chunks
RECORD_LANGUAGES = ("text", "markdown", "html", "rst")


@dataclass(frozen=True, slots=True)
class RecordPage:
    """A page of a record. Its chunks have its number as `page_number` (where none is given it is
    counted from 1), and its attributes."""

    text: str
    page_number: int | None = None
    attributes: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """What a program hands over to be indexed: `text`, or `pages` in its place. `language` says how
    the text is written, one of RECORD_LANGUAGES."""

    id: str | int
    text: str | None = None
    pages: Sequence[str | RecordPage | Mapping[str, object]] | None = None
    title: str = ""
    url: str | None = None
    attributes: Mapping[str, object] = field(default_factory=dict)
    language: str = "text"


class KeptRecord(msgspec.Struct, frozen=True):
    """A record in its normal form. `path` is its document's: the id, behind the values of the
    attributes that its collection requires. `pages` are spans of the text, none where there is one
    text."""

    path: str
    id: str
    text: str
    pages: tuple[PageSpan, ...] = ()
    title: str = ""
    url: str | None = None
    language: str = "text"
    attributes: Attributes = {}

    @property
    def content_hash(self) -> str:
        """SHA-256 of the text in UTF-8, in hex."""
        return sha256(self.text.encode()).hexdigest()

    @property
    def shape(self) -> str:
        """32 hex digits of all but text and attributes that makes the chunks what they are."""
        parts = (self.title, self.url, self.language, self.pages)
        raw = msgspec.json.encode(parts, order="deterministic")
        return blake2b(raw, digest_size=16).hexdigest()
