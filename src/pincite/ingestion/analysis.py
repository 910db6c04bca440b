"""What a document is cut into and how its parts are weighed: the costly half of preparing it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from pincite.chunkers import ChunkerConfig, chunk_document, cut
from pincite.ingestion.enrich import enrich
from pincite.model import Document, Section, SparseVector
from pincite.ports import SparseEncoder


@dataclass(frozen=True, slots=True)
class Analysed:
    """The sections of a document, and of each the sparse vector and the number of tokens. They
    depend on its text, title and path alone, not on its attributes."""

    sections: tuple[Section, ...]
    weights: tuple[tuple[SparseVector, int], ...]


class Analyser(Protocol):
    """Analyses documents, here or elsewhere, in the order in which they are given."""

    def submit(self, document: Document, average_length: float) -> Pending:
        """Begin with a document."""


class Pending(Protocol):
    """A document that is analysed."""

    def result(self) -> Analysed:
        """When it is done. Raises what went wrong with the document."""


def analyse(
    document: Document, chunker: ChunkerConfig, sparse: SparseEncoder, average_length: float
) -> Analysed:
    """Cut and weigh. `average_length` is as in `SparseEncoder.encode_document`."""
    sections = with_description(document, chunk_document(document, chunker))
    texts = map(enrich, cut(document, sections))
    weights = tuple(sparse.encode_document(text, average_length) for text in texts)
    return Analysed(sections, weights)


def with_description(document: Document, sections: Iterable[Section]) -> tuple[Section, ...]:
    """The sections with what is said of the document's folders before what encoders read of each.
    Their spans, and so what is cited, stay."""
    if not document.described:
        return tuple(sections)
    return tuple(
        replace(one, plain=f"{document.described}\n\n{_read_as(document, one)}") for one in sections
    )


def _read_as(document: Document, one: Section) -> str:
    return document.text[one.start : one.end] if one.plain is None else one.plain


@dataclass(frozen=True, slots=True)
class _Later:
    document: Document
    average_length: float
    here: Here

    def result(self) -> Analysed:
        return analyse(self.document, self.here.chunker, self.here.sparse, self.average_length)


@dataclass(frozen=True, slots=True)
class Here:
    """An `Analyser` in this process, when its result is asked for."""

    chunker: ChunkerConfig
    sparse: SparseEncoder

    def submit(self, document: Document, average_length: float) -> Pending:
        """Keep the document."""
        return _Later(document, average_length, self)
