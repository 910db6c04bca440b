"""A sample is of files from all over a source, and as large as the rounding of its average asks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.chunkers import ChunkerConfig, chunk_document, cut
from pincite.ingestion.analysis import Here
from pincite.ingestion.enrich import enrich, enrich_section
from pincite.ingestion.prepare import take_sample
from pincite.ingestion.sampling import parts_of, rounds_alike
from pincite.ingestion.weigh import average_of
from pincite.model import Document, SparseVector
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.sources import Entry, OpenSource, Selection, SourceLimits, open_source
from tests.ingestion.desk import Desk

SPARSE = Bm25Encoder("english")
HERE = Here(ChunkerConfig(), SPARSE)


def entries(count: int) -> list[Entry]:
    return [Entry(f"m{number:05}.py", 100, 1) for number in range(count)]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenSource]:
    """200 modules: every seventh has long functions, all others short ones."""
    for number in range(200):
        words = " + ".join(f"wick_{number}_{word}" for word in range(60 if number % 7 == 0 else 3))
        file = tmp_path / f"m{number:03}.py"
        file.write_text(f"def oil_{number}(lantern):\n    return {words}\n")
        os.utime(file, ns=(1_000_000_000, 1_000_000_000))
    with open_source(tmp_path, limits=SourceLimits(), selection=Selection()) as source:
        yield source


@given(st.integers(0, 3_000))
@example(0)
@example(1)
@example(95)
@example(96)
@example(97)
def test_the_parts_of_a_source_are_all_of_it_and_each_doubles_what_is_taken(count: int) -> None:
    files = entries(count)
    parts = list(parts_of(files))
    assert sorted(entry.path for part in parts for entry in part) == [one.path for one in files]
    assert all(parts)
    taken = 0
    for part in parts:
        assert len(part) <= max(taken * 2, 96)
        taken += len(part)


@given(st.integers(96, 3_000))
def test_every_part_has_files_from_all_over(count: int) -> None:
    for part in parts_of(entries(count)):
        places = [int(entry.path[1:6]) for entry in part]
        assert min(places) < count / 24
        assert max(places) > count - count / 24 - 1


@given(
    st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 60)), max_size=60),
    st.floats(0.001, 0.999),
)
@example([], 0.5)
@example([(0, 0), (0, 0)], 0.5)
@example([(40, 1)], 0.5)
def test_a_part_of_a_source_is_judged_whatever_it_has(
    counted: list[tuple[int, int]], share: float
) -> None:
    assert rounds_alike(counted, 1.0)
    if len(counted) < 2:
        assert not rounds_alike(counted, share)
    rounds_alike(counted, share)


def test_documents_that_are_alike_say_enough_and_those_that_differ_do_not() -> None:
    middle = [(round(1.1**40 * 1_000), 1_000)] * 48
    assert rounds_alike(middle, 0.01)
    limit = [(round(1.1**40.5 * 1_000) + 20 * (-1) ** number, 1_000) for number in range(48)]
    assert not rounds_alike(limit, 0.01)
    scattered = [(10 * (1 + number % 9), 1) for number in range(48)]
    assert not rounds_alike(scattered, 0.01)


def test_a_sample_grows_until_the_average_of_all_is_known(opened: OpenSource) -> None:
    files = [one for one in opened.entries() if isinstance(one, Entry)]
    analysed = [
        one.pending.result() for one in take_sample(opened, files, SPARSE, HERE).begun.values()
    ]
    first = len(next(parts_of(files)))
    assert first < len(analysed) <= len(files)
    whole = take_sample(opened, files, SPARSE, HERE, most_bytes=0)
    assert len(whole.begun) == first
    every = [HERE.submit(one, 100.0).result() for one in documents(opened, files)]
    lengths = [length for one in every for _, length in one.weights]
    truth = average_of(sum(lengths), len(lengths))
    assert take_sample(opened, files, SPARSE, HERE).average_length == truth


def test_many_tiny_files_are_not_all_kept_in_memory(opened: OpenSource) -> None:
    files = [one for one in opened.entries() if isinstance(one, Entry)]
    tiny = [replace(one, size=1) for one in files]
    first = len(next(parts_of(tiny)))
    assert len(take_sample(opened, tiny, SPARSE, HERE, most_bytes=first * 3_000).begun) == first
    assert len(take_sample(opened, tiny, SPARSE, HERE, most_bytes=first * 4_000).begun) > first


def test_a_first_index_is_weighed_once(tmp_path: Path) -> None:
    desk, lengths, weighed = Desk(tmp_path / "src"), Random(5), list[str]()
    for number in range(200):
        desk.write(f"n{number:03}.txt", "lantern " * lengths.randint(4, 60))
    weigh = desk.index.weigh

    async def noting(collection: str, revision: str, vectors: Mapping[str, SparseVector]) -> None:
        weighed.append(revision)
        await weigh(collection, revision, vectors)

    desk.index.weigh = noting  # type: ignore[method-assign]
    desk.run(".")
    with open_source(desk.folder, limits=SourceLimits(), selection=Selection()) as source:
        files = [one for one in source.entries() if isinstance(one, Entry)]
        first = take_sample(source, files, SPARSE, HERE, most_bytes=0)
    assert first.average_length != desk.spec().average_length  # the first part says otherwise
    assert weighed == []


def documents(opened: OpenSource, files: list[Entry]) -> list[Document]:
    sample = take_sample(opened, files, SPARSE, HERE, most_bytes=10**9)
    found = {path: one.file.document for path, one in sample.begun.items()}
    for entry in files:
        if entry.path not in found:
            one = take_sample(opened, [entry], SPARSE, HERE)
            found[entry.path] = one.begun[entry.path].file.document
    return [found[entry.path] for entry in files]


def test_what_is_weighed_of_a_section_is_what_is_read_of_its_chunk(opened: OpenSource) -> None:
    files = [one for one in opened.entries() if isinstance(one, Entry)]
    for document in documents(opened, files[:8]):
        sections = chunk_document(document, ChunkerConfig())
        chunks = cut(document, sections)
        assert [enrich_section(document, one) for one in sections] == list(map(enrich, chunks))
