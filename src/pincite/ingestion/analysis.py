"""What a document is cut into and how its parts are weighed: the costly half of preparing it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Protocol

from pincite.chunkers import ChunkerConfig, chunk_document, cut
from pincite.ingestion.enrich import enrich
from pincite.model import Document, Section, SparseVector
from pincite.ports import SparseEncoder
from pincite.providers.sparse.bm25 import Bm25Encoder

ANY_AVERAGE: Final = 100.0  # an average length while none is known
#: In place of an average length: how often a chunk has a term is all that is said of it.
COUNTS_ALONE: Final = 0.0


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
    """Cut and weigh. `average_length` is as in `SparseEncoder.encode_document`, or
    `COUNTS_ALONE`."""
    sections = with_description(document, chunk_document(document, chunker))
    texts = map(enrich, cut(document, sections))
    if average_length == COUNTS_ALONE and isinstance(sparse, Bm25Encoder):
        return Analysed(sections, tuple(map(sparse.count, texts)))
    average = average_length or ANY_AVERAGE
    return Analysed(sections, tuple(sparse.encode_document(text, average) for text in texts))


@dataclass(frozen=True, slots=True)
class Counted:
    """A document whose terms alone were counted, to be weighed for an average length."""

    analysed: Analysed
    sparse: Bm25Encoder
    average_length: float

    def result(self) -> Analysed:
        """See `Pending`."""
        weigh, average = self.sparse.weigh, self.average_length
        weights = tuple((weigh(*one, average), one[1]) for one in self.analysed.weights)
        return replace(self.analysed, weights=weights)


def with_description(document: Document, sections: Iterable[Section]) -> tuple[Section, ...]:
    """The sections with the descriptions of the document's folders before what encoders read of
    each. Their spans, and so what is cited, stay."""
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
