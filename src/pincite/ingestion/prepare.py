"""Files become points without dense vectors, in batches that keep the encoder busy."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pincite.chunkers import ChunkerConfig, chunk_document, context_line, cut
from pincite.errors import PinciteError
from pincite.ingestion.changes import revision_of, stamp
from pincite.model import LEXICAL, Chunk, Document, DocumentRecord, Point, SparseVector
from pincite.ports import SparseEncoder
from pincite.readers import content_hash_of, file_type, read_document, url_for
from pincite.readers.includes import expand_includes
from pincite.readers.remarks import remarks_of
from pincite.sources import Entry, OpenSource, reject_content
from pincite.sources.including import leads_out, read_included, state_of

BATCH_CHUNKS = 256  # two cores idle for less than 1 % of the time at the end of such a batch


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document that only lacks its dense vectors."""

    record: DocumentRecord
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that was opened and left out; `failed` is the code of those that went wrong."""

    path: str
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """Whole documents, and the texts of all of their points in order. `position` counts the files
    that have been read so far, `path` is the last one."""

    documents: tuple[Prepared, ...]
    texts: tuple[str, ...]
    skipped: tuple[SkippedFile, ...]
    position: int
    path: str


def indexed_text(chunk: Chunk) -> str:
    """What both encoders read: where the chunk stands, then its text."""
    return f"{context_line(chunk.title, chunk.headings, chunk.path)}\n{_plain(chunk)}"


def dense_texts(chunks: Sequence[Chunk], *, grouped: bool = False) -> list[str]:
    """What the dense encoder reads of each chunk of a document. A `grouped` one, which sees all of
    them, is told only once where they stand."""
    if grouped:
        return [*map(indexed_text, chunks[:1]), *map(_plain, chunks[1:])]
    return [indexed_text(chunk) for chunk in chunks]


def _plain(chunk: Chunk) -> str:
    return chunk.text if chunk.plain is None else chunk.plain


class Preparer:
    """Reads, chunks and weighs. `fingerprint` names everything that makes an index what it is.

    `chunks` are about as many as a batch holds. With `grouped` the dense model sees whole
    documents, and is told only once where they stand. `made_with` says of a (source, path) which
    other dense models a document may have been indexed with that is to stay as it is.
    """

    def __init__(
        self,
        chunker: ChunkerConfig,
        sparse: SparseEncoder,
        dense: str | None,
        *,
        chunks: int = BATCH_CHUNKS,
        grouped: bool = False,
        made_with: Callable[[str, str], Iterable[str]] = lambda _source, _path: (),
    ) -> None:
        self._made_with = made_with
        self._chunker = chunker
        self._sparse = sparse
        self._chunks = chunks
        self._grouped = grouped
        self._before = f"{chunker.fingerprint} {sparse.fingerprint}"
        self.fingerprint = f"{self._before} {dense or LEXICAL}"

    def fingerprints_of(self, opened: OpenSource, path: str, includes: str) -> tuple[str, ...]:
        """As `ingestion.changes.Fingerprint`; the first is what a document gets that is indexed
        now. Addresses and what pages show are written into their chunks."""
        parts = []
        url = url_for(path, opened.source.url_rule)
        if url is not None:
            parts += [opened.source.anchors, url]
        if includes:
            parts.append(state_of(opened, path, includes.split("\n")))
        others = self._made_with(opened.source.name, path)
        made = (self.fingerprint, *(f"{self._before} {dense}" for dense in others))
        return tuple(" ".join((one, *parts)) for one in made)

    def weigh(self, chunk: Chunk, average_length: float) -> tuple[SparseVector, int]:
        """As `SparseEncoder.encode_document`, for a chunk."""
        return self._sparse.encode_document(indexed_text(chunk), average_length)

    def reweighed(
        self, documents: Iterable[Prepared], average_length: float
    ) -> tuple[Prepared, ...]:
        """The same with the weights of another average length, if their encoder has any use for
        one."""
        if not self._sparse.idf:
            return tuple(documents)
        weighed = []
        for one in documents:
            vectors = (self.weigh(point.chunk, average_length)[0] for point in one.points)
            pairs = zip(one.points, vectors, strict=True)
            points = tuple(replace(point, sparse=sparse) for point, sparse in pairs)
            weighed.append(replace(one, points=points))
        return tuple(weighed)

    def batches(
        self,
        opened: OpenSource,
        entries: Sequence[Entry],
        average_length: Callable[[], float],
    ) -> Iterator[Batch]:
        """Batches in the order of `entries`, weighed with the average length that is known when a
        document is read, above 0. A file that fails is named and left out."""
        documents: list[Prepared] = []
        texts: list[str] = []
        skipped: list[SkippedFile] = []
        for position, entry in enumerate(entries, start=1):
            try:
                raw = opened.read(entry)
                if (reason := reject_content(entry.path, raw)) is not None:
                    skipped.append(SkippedFile(entry.path, reason.code, reason.detail))
                elif file_type(entry.path, raw[:256]) is None:
                    skipped.append(SkippedFile(entry.path, "unsupported"))
                else:
                    one, read = self._prepare(opened, entry, raw, average_length())
                    documents.append(one)
                    texts += read
            except PinciteError as error:
                skipped.append(SkippedFile(entry.path, "failed", error.message))
            except Exception as error:  # noqa: BLE001 - a parser's crash costs one file
                skipped.append(
                    SkippedFile(entry.path, "failed", f"{type(error).__name__}: {error}")
                )
            if len(texts) >= self._chunks or position == len(entries):
                yield Batch(tuple(documents), tuple(texts), tuple(skipped), position, entry.path)
                documents, texts, skipped = [], [], []

    def _prepare(
        self, opened: OpenSource, entry: Entry, raw: bytes, average_length: float
    ) -> tuple[Prepared, list[str]]:
        """The document, and what the dense encoder is to read of each point."""
        source = opened.source
        content_hash = content_hash_of(raw)
        ref = opened.ref_for(entry, content_hash, raw)
        document = read_document(raw, source=source, path=entry.path, ref=ref)
        document, includes, notes = _with_inclusions(opened, document)
        if source.url_rule and document.source_type == "docs" and document.url is None:
            notes.append("no_address: no URL rule matches")
        notes += remarks_of(document)
        chunks = cut(document, chunk_document(document, self._chunker))
        points = [Point(chunk, *self.weigh(chunk, average_length)) for chunk in chunks]
        made = self.fingerprints_of(opened, entry.path, includes)[0]
        record = DocumentRecord(
            source=source.name,
            path=entry.path,
            revision=revision_of(source.name, entry.path, content_hash, made),
            content_hash=content_hash,
            ref=ref,
            size=entry.size,
            mtime_ns=stamp(entry, time.time_ns()),
            chunks=len(points),
            tokens=sum(point.length for point in points),
            source_type=document.source_type,
            includes=includes,
            notes="\n".join(notes),
        )
        return Prepared(record, tuple(points)), dense_texts(chunks, grouped=self._grouped)


def _with_inclusions(opened: OpenSource, document: Document) -> tuple[Document, str, list[str]]:
    """A page with what it shows of other files, their names, one a line, and which gave nothing."""
    if document.language != "markdown":
        return document, "", []
    path = document.path
    found = expand_includes(document.text, lambda name: read_included(opened, path, name))
    notes = [
        f"include_{'outside' if leads_out(path, target) else 'missing'}: {target}"
        for target in found.missing
    ]
    return replace(document, inclusions=found.texts), "\n".join(found.files), notes
