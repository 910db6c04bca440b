"""Entries of a catalog: collections, their sources and their documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from pincite.model.attribute_types import Attributes, AttributeType
from pincite.model.documents import Source, SourceType
from pincite.model.left_out import lies_in
from pincite.model.model_names import with_owner
from pincite.model.points import Point

LEXICAL = "lexical"  #: instead of a dense model's fingerprint


class DocumentRecord(msgspec.Struct, frozen=True):
    """An indexed document in the catalog.

    `revision` names the indexed version and is unique to (source, path, content, index
    fingerprint). `ref` is the revision that citations name (see the glossary). A document whose
    revision is in the catalog is completely indexed and current. `includes` are the names of other
    files whose text it shows, one per line; it changes when they change. `notes` are remarks, one
    `code: detail` per line. `chunk_attributes` are the names of attributes that only chunks have,
    one per line. `embedded` says whether all of its chunks have dense vectors; it is False in a
    lexical collection. `attributes` are its own, `inherited` those of its source. If either
    changes, its chunks are updated and not embedded again.
    """

    source: str
    path: str
    revision: str
    content_hash: str
    ref: str
    size: int
    mtime_ns: int
    chunks: int
    tokens: int
    source_type: SourceType = "docs"
    includes: str = ""
    notes: str = ""
    chunk_attributes: str = ""
    embedded: bool = True
    attributes: Attributes = {}
    inherited: Attributes = {}

    def __hash__(self) -> int:
        return hash(self.revision)  # a mapping has no hash

    @property
    def all_attributes(self) -> Attributes:
        """The attributes of all of its chunks."""
        return {**self.inherited, **self.attributes}


class IndexedDocument(NamedTuple):
    """A document for an index: its record, and a point for each of its chunks."""

    record: DocumentRecord
    points: Sequence[Point]


class SourceRecord(msgspec.Struct, frozen=True):
    """A source in the catalog: enough to index it again, and what the last run left out. `within`
    are the selected paths, `""` for the whole source. A path inside another one was named
    explicitly, because the listing of the other one leaves it out. `skipped` counts files by reason
    code, `skipped_paths` names the first ones as `code: path`. `noted` and `noted_paths` do the
    same for remarks on indexed files. `skipped_in` has the counts of each part that was indexed by
    itself, without those of parts within another. `compared_in` says of each such part since when
    files may have changed unseen, in nanoseconds since 1970: since the beginning of the last run
    that reached its end, otherwise of the first run. `complete` is False until a run reaches the
    end. `machine` identifies the machine that read it, empty if unknown (`support.machine`)."""

    source: Source
    within: tuple[str, ...] = ("",)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    indexed_at: str = ""
    complete: bool = False
    skipped: Mapping[str, int] = {}
    skipped_paths: tuple[str, ...] = ()
    noted: Mapping[str, int] = {}
    noted_paths: tuple[str, ...] = ()
    machine: str = ""
    skipped_in: Mapping[str, Mapping[str, int]] = {}
    compared_in: Mapping[str, int] = {}

    def __post_init__(self) -> None:
        """Complete the record of an earlier version, which has one time for all parts."""
        if self.complete and self.indexed_at and not self.compared_in:
            at_s = int(datetime.fromisoformat(self.indexed_at).timestamp())
            msgspec.structs.force_setattr(
                self, "compared_in", dict.fromkeys(self.within, at_s * 10**9)
            )

    def compared_ns(self, within: str) -> int | None:
        """Since when files of this part may have changed unseen, in nanoseconds since 1970 (whole
        seconds, as in some file systems); "" is the whole source. None before the first run."""
        times = [
            at_ns
            for part, at_ns in self.compared_in.items()
            if lies_in(part, within) or lies_in(within, part)
        ]
        return min(times) // 10**9 * 10**9 if times else None


#: The length of a chunk, in terms, at which BM25 leaves its weights unchanged. Because all chunks
#: have the same target size, the averages of 18 repositories are 47 to 75, those of collections of
#: prose 49 to 63.
AVERAGE_LENGTH: Final = 56.0


class CollectionSpec(msgspec.Struct, frozen=True):
    """The specification of a collection: one dense model, and the fingerprints of its encoders.

    `dense` is the dense encoder's fingerprint, None for a lexical collection. `lexical_by_choice`
    says that its user asked for that (`--lexical`). `model` is the name that opens the encoder
    (`voyage:voyage-code-3`), empty for the bundled one. `language` is the stemming language.
    `average_length` is the length in terms to which BM25 compares that of a chunk. `sparse` is the
    sparse encoder's fingerprint, `sparse_model` the name that opens it, empty for the default one.
    `idf` says whether its weights need the IDF.

    `counted` says that the catalog counts terms, and queries contain the IDF. Otherwise the store
    applies its own (`engine_idf`), as in every index before 0.2. `mixed` says that some chunks may
    have weights of another average length, because weighing has not finished.

    Collections with the same `base`, one for each dense model, are one collection to users. An
    empty `base` means the collection's own name. `serial` is their order; the last one gets new
    documents. A `pending` collection is being filled and is not searched. Neither is a collection
    that a later one `replaces`. `formerly` are the fingerprints of earlier dense models (`lexical`
    for none), which the revisions of documents that were embedded again may contain.

    `attributes` are the names and types of declared or observed attributes. `require` names those
    that every search, read and delete must give. `fields` is the set of payload fields that its
    points have for other programs (`ingestion.attributes.automatic`), empty for none.
    """

    name: str
    sparse: str
    chunker: str
    dense: str | None = None
    dimensions: int = 0
    language: str = "english"
    average_length: float = AVERAGE_LENGTH
    model: str = ""
    sparse_model: str = ""
    idf: bool = True
    base: str = ""
    serial: int = 0
    pending: bool = False
    replaces: tuple[str, ...] = ()
    formerly: tuple[str, ...] = ()
    counted: bool = False
    mixed: bool = False
    attributes: Mapping[str, AttributeType] = {}
    require: tuple[str, ...] = ()
    fields: str = ""
    lexical_by_choice: bool = False

    def __post_init__(self) -> None:
        """Complete the fingerprint of an earlier version, which lacks the owner of the model. The
        old form moves to `formerly`, so revisions from then stay valid."""
        full = with_owner(self.dense or "", self.model)
        if self.dense and full != self.dense:
            formerly = tuple(sorted({*self.formerly, self.dense}))
            msgspec.structs.force_setattr(self, "dense", full)
            msgspec.structs.force_setattr(self, "formerly", formerly)

    def __hash__(self) -> int:
        return hash((self.name, self.sparse, self.dense))  # a mapping has no hash

    @property
    def dense_name(self) -> str:
        """Return the name of the dense model, empty for a lexical collection."""
        return "" if self.dense is None else self.model or "bundled"

    @property
    def engine_idf(self) -> bool:
        """Whether the store applies the IDF."""
        return self.idf and not self.counted

    @property
    def public_name(self) -> str:
        """Its name for users."""
        return self.base or self.name

    @property
    def made_with(self) -> tuple[str, ...]:
        """The dense models that may occur in revisions of its documents."""
        return (self.dense or LEXICAL, *self.formerly)
