"""Files become documents that only lack their dense vectors: read, cut, enriched, weighed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from pincite.chunkers import cut
from pincite.errors import PinciteError
from pincite.ingestion.analysis import Analyser, Here, Pending
from pincite.ingestion.batch import Batch, Prepared, SkippedFile
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.describe import describe
from pincite.ingestion.enrich import enrich
from pincite.ingestion.fields import with_fields, with_places
from pincite.ingestion.read import ReadFile, read
from pincite.ingestion.revisions import record_of, unembedded_revision
from pincite.ingestion.weigh import ANY_AVERAGE
from pincite.model import CollectionSpec, Point
from pincite.sources import Entry, OpenSource

_AHEAD: Final = 64  # documents that are read before one of them is finished


@dataclass(frozen=True, slots=True)
class _Begun:
    """A file that was read, and what it is being cut into."""

    file: ReadFile
    pending: Pending


def prepare_all(
    opened: OpenSource,
    entries: Sequence[Entry],
    spec: CollectionSpec,
    deps: IngestDeps,
    analyser: Analyser | None = None,
) -> Iterator[Batch]:
    """Batches in the order of `entries`, weighed for the average length of the spec. Some documents
    are read ahead of the one that is finished, so that an analyser of several processes is busy; by
    default it is this one."""
    analyser = analyser or Here(deps.chunker, deps.sparse)
    documents: list[Prepared] = []
    skipped: list[SkippedFile] = []
    chunks = 0
    begun: deque[_Begun | SkippedFile] = deque()
    to_read = iter(entries)
    for position, entry in enumerate(entries, start=1):
        for ahead in islice(to_read, _AHEAD - len(begun)):
            begun.append(begin(opened, ahead, spec, analyser, deps))
        one = finish(opened, entry, begun.popleft(), spec, deps)
        if isinstance(one, Prepared) and one.new:
            spec = replace(spec, attributes={**spec.attributes, **one.new})
        if isinstance(one, SkippedFile):
            skipped.append(one)
        else:
            documents.append(one)
            chunks += len(one.points)
        if max(chunks, len(documents)) >= deps.batch_chunks or position == len(entries):
            yield Batch(tuple(documents), tuple(skipped), position, entry.path)
            documents, skipped, chunks = [], [], 0


def prepare(
    opened: OpenSource, entry: Entry, spec: CollectionSpec, deps: IngestDeps
) -> Prepared | SkippedFile:
    """A file as points that lack their dense vectors, or why there are none."""
    begun = begin(opened, entry, spec, Here(deps.chunker, deps.sparse), deps)
    return finish(opened, entry, begun, spec, deps)


def begin(
    opened: OpenSource,
    entry: Entry,
    spec: CollectionSpec,
    analyser: Analyser,
    deps: IngestDeps,
) -> _Begun | SkippedFile:
    """A file that is read, with its pictures described, and being cut and weighed."""
    try:
        found = read(opened, entry, deps.refusals)
        if isinstance(found, SkippedFile):
            return found
        if deps.vision is not None:
            found = deps.vision.noted(found)
        return _Begun(found, analyser.submit(found.document, spec.average_length or ANY_AVERAGE))
    except Exception as error:  # noqa: BLE001 - a parser's crash costs one file
        return _failed(entry, error)


def finish(
    opened: OpenSource,
    entry: Entry,
    begun: _Begun | SkippedFile,
    spec: CollectionSpec,
    deps: IngestDeps,
) -> Prepared | SkippedFile:
    """A file with its attributes, as chunks that have been weighed."""
    if isinstance(begun, SkippedFile):
        return begun
    try:
        analysed = begun.pending.result()
        document = begun.file.document
        taken = {*opened.source.attributes, *begun.file.fields, *document.attributes, *spec.require}
        placed = with_places(analysed.sections, spec.attributes, taken)
        sections = with_fields(placed, spec.fields)
        described = describe(begun.file, sections, opened.source, spec)
        if isinstance(described, SkippedFile):
            return described
        found = described.file
        chunks = cut(found.document, described.sections, found.inherited)
        texts = tuple(enrich(chunk) for chunk in chunks)
        weighed = zip(chunks, analysed.weights, strict=True)
        points = tuple(Point(chunk, *weights) for chunk, weights in weighed)
        record = record_of(opened, entry, found, points, spec)
        lacking = unembedded_revision(opened, record, spec) if deps.words_only else ""
        return Prepared(record, points, texts, lacking, described.new)
    except Exception as error:  # noqa: BLE001 - a parser's crash costs one file
        return _failed(entry, error)


def _failed(entry: Entry, error: Exception) -> SkippedFile:
    said = error.message if isinstance(error, PinciteError) else f"{type(error).__name__}: {error}"
    return SkippedFile(entry.path, "failed", said)
