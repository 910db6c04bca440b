"""Files that were read before their turn are not read and cut once more."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.chunkers import ChunkerConfig, chunks_of, sections_of
from pincite.errors import SourceError
from pincite.ingestion.analysis.analyse import Analysed, Here, Pending
from pincite.ingestion.batch import Batch, FileUnderAnalysis, Prepared
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.enrich import enrich, enrich_section
from pincite.ingestion.prepare import complete, prepare_all, read_and_analyse
from pincite.model import CollectionSpec, Document
from pincite.ports import DenseEncoder, Index, SparseEncoder
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.sources import Entry, OpenSource, Selection, SourceLimits, open_source
from pincite.support.fields import replace

SPARSE = Bm25Encoder("english")
SPEC = CollectionSpec("main", SPARSE.fingerprint, ChunkerConfig().fingerprint, average_length=40.0)


class Failed:
    """What comes of a file whose parser crashes."""

    def result(self) -> Analysed:
        raise SourceError("its parser has crashed")


class Noting:
    """Analyses here, and notes how often each file was given to it."""

    def __init__(self, sparse: SparseEncoder = SPARSE, crashes_on: str = "") -> None:
        self.seen: Counter[str] = Counter()
        self._here = Here(ChunkerConfig(), sparse)
        self._crashes_on = crashes_on

    def submit(self, document: Document, average_length: float) -> Pending:
        self.seen[document.path] += 1
        if document.path == self._crashes_on:
            return Failed()
        return self._here.submit(document, average_length)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenSource]:
    """A folder of nine modules that were written long ago."""
    for number in range(9):
        body = f"    return {number} * lantern_{number}\n\n\n" * (number + 1)
        file = tmp_path / f"m{number}.py"
        file.write_text(f"def oil_{number}(lantern):\n{body}")
        os.utime(file, ns=(1_000_000_000, 1_000_000_000))
    with open_source(tmp_path, limits=SourceLimits(), selection=Selection()) as source:
        yield source


def entries_of(opened: OpenSource) -> list[Entry]:
    return [one for one in opened.entries() if isinstance(one, Entry)]


def deps_of(index: Index, sparse: SparseEncoder = SPARSE) -> IngestDeps:
    return IngestDeps(index, sparse, None)


def all_of(batches: Iterator[Batch]) -> tuple[list[Prepared], list[str]]:
    found = list(batches)
    documents = [one for batch in found for one in batch.documents]
    return documents, [one.path for batch in found for one in batch.skipped]


@pytest.fixture
def deps() -> IngestDeps:
    """What preparing asks: no index."""
    index: Index = None  # type: ignore[assignment]
    return deps_of(index)


def early_of(
    opened: OpenSource, entries: list[Entry], noting: Noting
) -> dict[str, FileUnderAnalysis]:
    begun = [read_and_analyse(opened, entry, SPEC.average_length, noting) for entry in entries]
    return {one.entry.path: one for one in begun if isinstance(one, FileUnderAnalysis)}


def test_files_that_were_read_early_are_analysed_once(opened: OpenSource, deps: IngestDeps) -> None:
    entries, noting = entries_of(opened), Noting()
    early = early_of(opened, entries[2:7], noting)
    prepared, _ = all_of(prepare_all(opened, entries, SPEC, deps, noting, early))
    assert noting.seen == {entry.path: 1 for entry in entries}
    assert [one.record.path for one in prepared] == [entry.path for entry in entries]
    without, _ = all_of(prepare_all(opened, entries, SPEC, deps, Noting()))
    assert prepared == without


def test_a_crash_in_what_is_read_early_costs_one_file_and_is_told(
    opened: OpenSource, deps: IngestDeps
) -> None:
    entries, noting = entries_of(opened), Noting(crashes_on="m3.py")
    early = early_of(opened, entries, noting)
    prepared, skipped = all_of(prepare_all(opened, entries, SPEC, deps, noting, early))
    assert skipped == ["m3.py"]
    assert len(prepared) == 8


def test_texts_are_made_for_a_dense_model_only(opened: OpenSource, deps: IngestDeps) -> None:
    entries = entries_of(opened)
    without, _ = all_of(prepare_all(opened, entries, SPEC, deps, Noting()))
    assert [one.texts for one in without] == [()] * len(entries)
    model: DenseEncoder = object()  # type: ignore[assignment]
    prepared, _ = all_of(prepare_all(opened, entries, SPEC, replace(deps, dense=model), Noting()))
    for one in prepared:
        assert one.texts == tuple(enrich(point.chunk) for point in one.points)
    assert [one.points for one in prepared] == [one.points for one in without]


def test_what_is_weighed_of_a_section_is_what_is_read_of_its_chunk(opened: OpenSource) -> None:
    for one in early_of(opened, entries_of(opened), Noting()).values():
        document = one.file.document
        sections = sections_of(document, ChunkerConfig())
        chunks = chunks_of(document, sections)
        assert [enrich_section(document, one) for one in sections] == list(map(enrich, chunks))


def test_a_file_that_was_young_when_it_was_read_is_looked_at_again(
    opened: OpenSource, deps: IngestDeps
) -> None:
    entry = entries_of(opened)[0]
    begun = read_and_analyse(opened, entry, 40.0, Noting())
    assert isinstance(begun, FileUnderAnalysis)
    for later_ns, remembered in ((3_000_000_000, entry.mtime_ns), (1_000_000_000, 0)):
        read = FileUnderAnalysis(entry, begun.file, entry.mtime_ns + later_ns, begun.pending)
        found = complete(opened, entry, read, SPEC, deps)
        assert isinstance(found, Prepared)
        assert found.record.mtime_ns == remembered
