"""Data types of indexing: files under analysis, documents that lack only vectors, batches."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from pincite.model import Attributes, AttributeType, Document, DocumentRecord, Point
from pincite.model.left_out import NOT_READ
from pincite.ports import Image
from pincite.sources import Entry

if TYPE_CHECKING:  # reports need batches, and not the chunkers
    from pincite.ingestion.analysis.analyse import Pending

BATCH_CHUNKS = 256  # two cores idle for less than 1 % of the time at the end of such a batch

UNREADABLE: Final = "unreadable"  #: the code of files and folders that cannot be read


class ReadFile(msgspec.Struct, frozen=True):
    """A document and what was read with it. `includes` names the files that it includes, one per
    line. `notes` are remarks, each as `code: detail`. `fields` are the values of its front matter,
    `inherited` the attributes of its source, `chunk_attributes` the names of attributes that only
    chunks have. `images` are the pictures of its elements, by hash."""

    document: Document
    includes: str = ""
    notes: tuple[str, ...] = ()
    fields: Mapping[str, object] = {}
    inherited: Attributes = {}
    chunk_attributes: frozenset[str] = frozenset()
    images: Mapping[str, Image] = {}


class FileUnderAnalysis(msgspec.Struct, frozen=True):
    """A file, the time when it was read (nanoseconds since 1970), and its pending analysis."""

    entry: Entry
    file: ReadFile
    read_ns: int
    pending: Pending


class Prepared(msgspec.Struct, frozen=True):
    """A document that lacks only its dense vectors. `texts` are the texts of its points for the
    encoders, in order. `new` has the types of attributes that are new to the collection. `revision`
    replaces that of the record as long as a point lacks its dense vector."""

    record: DocumentRecord
    points: tuple[Point, ...]
    texts: tuple[str, ...]
    revision: str = ""
    new: Mapping[str, AttributeType] = {}


class SkippedFile(msgspec.Struct, frozen=True):
    """A file that was opened and skipped. `code` is `failed` for errors."""

    path: str
    code: str
    detail: str = ""


class Batch(msgspec.Struct, frozen=True):
    """Complete documents, and the files skipped among them. `position` is the number of files
    completed so far, `path` is the last of them."""

    documents: tuple[Prepared, ...]
    skipped: tuple[SkippedFile, ...]
    position: int
    path: str

    def unread(self, among: Container[str]) -> dict[str, str]:
        """Return the paths `among` these whose files could not be read, with the reasons."""
        return {
            one.path: one.detail or one.code
            for one in self.skipped
            if one.code in NOT_READ and one.path in among
        }

    @property
    def new(self) -> Mapping[str, tuple[AttributeType, str]]:
        """Return the types of attributes that are new to the collection, each with the path where
        it first occurred."""
        found: dict[str, tuple[AttributeType, str]] = {}
        for one in self.documents:
            for name, kind in one.new.items():
                found.setdefault(name, (kind, one.record.path))
        return found
