"""Files become documents that only lack their dense vectors: read, cut, enriched, weighed."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from types import MappingProxyType
from typing import Final

from pincite.chunkers import cut
from pincite.errors import PinciteError
from pincite.ingestion.analysis import (
    ANY_AVERAGE,
    COUNTS_ALONE,
    Analysed,
    Analyser,
    Counted,
    Here,
)
from pincite.ingestion.batch import Batch, Prepared, SkippedFile
from pincite.ingestion.begun import Begun, Sample
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.describe import describe
from pincite.ingestion.describe_images import Vision
from pincite.ingestion.enrich import enrich
from pincite.ingestion.fields import with_fields, with_places
from pincite.ingestion.read import read
from pincite.ingestion.refusals import Refusals
from pincite.ingestion.revisions import record_of, unembedded_revision
from pincite.ingestion.weigh import average_of, sample_of
from pincite.model import CollectionSpec, Point
from pincite.ports import SparseEncoder
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.sources import Entry, OpenSource

_AHEAD: Final = 64  # documents that are read before one of them is finished


def take_sample(
    opened: OpenSource,
    pending: Sequence[Entry],
    sparse: SparseEncoder,
    analyser: Analyser,
    vision: Vision | None = None,
    refusals: Refusals | None = None,
) -> Sample:
    """The average length of files from all over a source. What a model weighs by is not kept: it
    may want the true average."""
    read_first = [
        begin(opened, entry, COUNTS_ALONE, analyser, vision, refusals)
        for entry in sample_of(pending)
    ]
    found: list[tuple[Begun, Analysed]] = []
    for one in read_first:
        # a parser's crash costs one file, and is told when it is its turn
        with suppress(Exception):
            if isinstance(one, Begun):
                found.append((one, one.pending.result()))
    lengths = [length for _, analysed in found for _, length in analysed.weights]
    average = average_of(sum(lengths), len(lengths)) or 1.0
    if not isinstance(sparse, Bm25Encoder):
        return Sample(average)
    kept = [replace(one, pending=Counted(analysed, sparse, average)) for one, analysed in found]
    return Sample(average, {one.entry.path: one for one in kept})


def prepare_all(
    opened: OpenSource,
    entries: Sequence[Entry],
    spec: CollectionSpec,
    deps: IngestDeps,
    analyser: Analyser | None = None,
    sample: Mapping[str, Begun] = MappingProxyType({}),
) -> Iterator[Batch]:
    """Batches in the order of `entries`, weighed for the average length of the spec. Some documents
    are read ahead of the one that is finished, so that an analyser of several processes is busy; by
    default it is this one. Those of a `sample` were read before, and are let go of one by one."""
    analyser = analyser or Here(deps.chunker, deps.sparse)
    average = spec.average_length or ANY_AVERAGE
    documents: list[Prepared] = []
    skipped: list[SkippedFile] = []
    chunks = 0
    early = dict(sample)
    begun: deque[Begun | SkippedFile] = deque()
    to_read = iter(entries)
    for position, entry in enumerate(entries, start=1):
        for ahead in islice(to_read, _AHEAD - len(begun)):
            known = early.pop(ahead.path, None)
            if known is None or known.entry != ahead:
                asked = (opened, ahead, average, analyser, deps.vision, deps.refusals)
                begun.append(begin(*asked))
            else:
                begun.append(known)
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


def begin(
    opened: OpenSource,
    entry: Entry,
    average_length: float,
    analyser: Analyser,
    vision: Vision | None = None,
    refusals: Refusals | None = None,
) -> Begun | SkippedFile:
    """A file that is read, with its pictures described, and being cut and weighed."""
    read_ns = time.time_ns()
    try:
        found = read(opened, entry, refusals)
        if isinstance(found, SkippedFile):
            return found
        if vision is not None:
            found = vision.noted(found)
        return Begun(entry, found, read_ns, analyser.submit(found.document, average_length))
    except Exception as error:  # noqa: BLE001 - a parser's crash costs one file
        return _failed(entry, error)


def finish(
    opened: OpenSource,
    entry: Entry,
    begun: Begun | SkippedFile,
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
        record = record_of(opened, entry, found, points, spec, begun.read_ns)
        lacking = unembedded_revision(opened, record, spec) if deps.words_only else ""
        return Prepared(record, points, texts, lacking, described.new)
    except Exception as error:  # noqa: BLE001 - a parser's crash costs one file
        return _failed(entry, error)


def _failed(entry: Entry, error: Exception) -> SkippedFile:
    said = error.message if isinstance(error, PinciteError) else f"{type(error).__name__}: {error}"
    return SkippedFile(entry.path, "failed", said)
