"""Turn files into documents that lack only their dense vectors: read them, describe their images,
analyse them (sections, weights), and complete them (attributes, chunks)."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Final

from pincite.chunkers import chunks_of
from pincite.errors import PinciteError
from pincite.ingestion.analysis.analyse import Analyser, Here
from pincite.ingestion.attributes.automatic import with_fields, with_places
from pincite.ingestion.attributes.of_files import attributed
from pincite.ingestion.batch import UNREADABLE, Batch, FileUnderAnalysis, Prepared, SkippedFile
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.describe_images import Vision
from pincite.ingestion.enrich import enrich
from pincite.ingestion.read import read
from pincite.ingestion.refusals import Refusals
from pincite.ingestion.size_limits import excess_of_attributes, excess_of_count
from pincite.ingestion.sources.revisions import record_of, unembedded_revision
from pincite.model import CollectionSpec, Point
from pincite.sources import Entry, OpenSource, UnreadableFile
from pincite.support.fields import replace

_AHEAD: Final = 64  # documents read before one of them is finished


def prepare_all(
    opened: OpenSource,
    entries: Sequence[Entry],
    spec: CollectionSpec,
    deps: IngestDeps,
    analyser: Analyser | None = None,
    early: Mapping[str, FileUnderAnalysis] = MappingProxyType({}),
) -> Iterator[Batch]:
    """Yield batches in the order of `entries`, with sparse weights for the average length of the
    spec. Up to 64 documents are read ahead, so that an analyser with several processes stays busy;
    the default analyser is in this process. `early` has files that were read in advance, by path.
    """
    analyser = analyser or Here(deps.chunker, deps.sparse)
    documents: list[Prepared] = []
    skipped: list[SkippedFile] = []
    chunks = 0
    known = dict(early)
    begun: deque[FileUnderAnalysis | SkippedFile] = deque()
    to_read = iter(entries)
    for position, entry in enumerate(entries, start=1):
        for ahead in islice(to_read, _AHEAD - len(begun)):
            there = known.pop(ahead.path, None)
            if there is None or there.entry != ahead:
                asked = (spec.average_length, analyser, deps.vision, deps.refusals)
                begun.append(read_and_analyse(opened, ahead, *asked))
            else:
                begun.append(there)
        one = complete(opened, entry, begun.popleft(), spec, deps)
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


def read_and_analyse(
    opened: OpenSource,
    entry: Entry,
    average_length: float,
    analyser: Analyser,
    vision: Vision | None = None,
    refusals: Refusals | None = None,
) -> FileUnderAnalysis | SkippedFile:
    """Read a file, describe its pictures, and start its analysis. Errors give a SkippedFile."""
    read_ns = time.time_ns()
    try:
        found = read(opened, entry, refusals)
        if isinstance(found, SkippedFile):
            return found
        if vision is not None:
            found = vision.noted(found)
        pending = analyser.submit(found.document, average_length)
        return FileUnderAnalysis(entry, found, read_ns, pending)
    except UnreadableFile as error:
        return SkippedFile(entry.path, UNREADABLE, error.reason)
    except Exception as error:  # noqa: BLE001 - a parser's crash costs one file
        return _failed(entry, error)


def complete(
    opened: OpenSource,
    entry: Entry,
    begun: FileUnderAnalysis | SkippedFile,
    spec: CollectionSpec,
    deps: IngestDeps,
) -> Prepared | SkippedFile:
    """Wait for the analysis of a file, and return its chunks with attributes and sparse vectors.
    Errors give a SkippedFile."""
    if isinstance(begun, SkippedFile):
        return begun
    try:
        analysed = begun.pending.result()
        document = begun.file.document
        if excess := excess_of_count(len(analysed.sections), spec.dimensions):
            return SkippedFile(entry.path, "failed", excess)
        taken = {*opened.source.attributes, *begun.file.fields, *document.attributes, *spec.require}
        placed = with_places(analysed.sections, spec.attributes, taken)
        sections = with_fields(placed, spec.fields)
        described = attributed(begun.file, sections, opened.source, spec)
        if isinstance(described, SkippedFile):
            return described
        found = described.file
        chunks = chunks_of(found.document, described.sections, found.inherited)
        if excess := excess_of_attributes(chunks):
            return SkippedFile(entry.path, "failed", excess)
        texts = () if deps.dense is None else tuple(enrich(chunk) for chunk in chunks)
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
