"""Cut a document into sections and weigh their terms: the expensive half of preparing it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import msgspec

from pincite.chunkers import ChunkerConfig, sections_of
from pincite.ingestion.enrich import enrich_section
from pincite.model import Document, Section, SparseVector
from pincite.ports import SparseEncoder
from pincite.support.fields import replace


class Analysed(msgspec.Struct, frozen=True):
    """The sections of a document, and the sparse vector and number of tokens of each. They depend
    only on its text, title and path, not on its attributes."""

    sections: tuple[Section, ...]
    weights: tuple[tuple[SparseVector, int], ...]


class Analyser(Protocol):
    """Analyses documents, in this process or in others."""

    def submit(self, document: Document, average_length: float) -> Pending:
        """Start to analyse a document, or store it until the result is requested."""


class Pending(Protocol):
    """A document under analysis."""

    def result(self) -> Analysed:
        """Return the result, and wait for it if necessary. Raises the error of this document."""


def analyse(
    document: Document, chunker: ChunkerConfig, sparse: SparseEncoder, average_length: float
) -> Analysed:
    """Return the sections of a document with their sparse vectors. `average_length` is as in
    `SparseEncoder.encode_document`."""
    sections = with_description(document, sections_of(document, chunker))
    texts = (enrich_section(document, one) for one in sections)
    return Analysed(sections, tuple(sparse.encode_document(text, average_length) for text in texts))


def with_description(document: Document, sections: Iterable[Section]) -> tuple[Section, ...]:
    """Return the sections with the descriptions of the document's folders before the encoded text
    of each. The spans of the sections, and so the citations, do not change."""
    if not document.described:
        return tuple(sections)
    return tuple(
        replace(one, plain=f"{document.described}\n\n{_read_as(document, one)}") for one in sections
    )


def _read_as(document: Document, one: Section) -> str:
    return document.text[one.start : one.end] if one.plain is None else one.plain


class Done(msgspec.Struct, frozen=True):
    """A document whose analysis is known."""

    analysed: Analysed

    def result(self) -> Analysed:
        """See `Pending`."""
        return self.analysed


class _Later(msgspec.Struct, frozen=True):
    document: Document
    average_length: float
    here: Here

    def result(self) -> Analysed:
        return analyse(self.document, self.here.chunker, self.here.sparse, self.average_length)


class Here(msgspec.Struct, frozen=True):
    """An `Analyser` in this process. It analyses a document when the result is requested."""

    chunker: ChunkerConfig
    sparse: SparseEncoder

    def submit(self, document: Document, average_length: float) -> Pending:
        """Store the document."""
        return _Later(document, average_length, self)
