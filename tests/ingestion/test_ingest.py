"""The write path on the reference store: an index that mirrors its source, whatever happens."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pincite.catalog.sqlite import SqliteCatalog
from pincite.chunkers import ChunkerConfig
from pincite.errors import StoreError
from pincite.index.idf import rounded
from pincite.index.local import LocalIndex
from pincite.ingest import ingest
from pincite.ingestion.batch import BATCH_CHUNKS
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.enrich import enrich
from pincite.ingestion.report import IngestReport, Progress
from pincite.ingestion.sources.changes import find_changes
from pincite.ingestion.sources.revisions import made_with_no_other
from pincite.model import Chunk, CollectionSpec, IndexedDocument
from pincite.ports import SearchRequest
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.sources import Entry, Selection, SourceLimits, open_source
from pincite.stores.memory import MemoryStore


class Counting(LocalIndex):
    """An index that can be told to fail at a certain document."""

    def __init__(self) -> None:
        super().__init__(MemoryStore(), SqliteCatalog(":memory:"))
        self.written: list[str] = []
        self.fail_at = 10**9

    async def replace(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        if len(self.written) >= self.fail_at:
            raise StoreError("the machine is on fire")
        await super().replace(collection, documents)
        self.written += [record.path for record, _ in documents]


@dataclass
class Bench:
    """A folder and an index of it."""

    folder: Path
    index: Counting = field(default_factory=Counting)
    progress: list[Progress] = field(default_factory=list)
    batch: int = BATCH_CHUNKS
    clock: Iterator[int] = field(default_factory=lambda: itertools.count(1_000_000_000, 1000))

    def write(self, path: str, text: str) -> None:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        stamp = next(self.clock)  # long ago: not racy
        os.utime(place, ns=(stamp, stamp))

    def run(self, *, name: str = "acme") -> IngestReport:
        async def work() -> IngestReport:
            sparse = Bm25Encoder()
            known = {info.spec.name: info.spec for info in await self.index.collections()}
            spec = known.get("main")
            if spec is None:
                spec = CollectionSpec("main", sparse.fingerprint, ChunkerConfig().fingerprint)
                await self.index.create(spec)
            deps = IngestDeps(
                self.index, sparse, None, batch_chunks=self.batch, progress=self.progress.append
            )
            selection = Selection()
            with open_source(
                self.folder, name=name, limits=SourceLimits(), selection=selection
            ) as opened:
                return await ingest(opened, selection, spec, deps)

        return asyncio.run(work())

    def chunks(self) -> tuple[Chunk, ...]:
        return asyncio.run(self.index.page("main", None, 100_000))

    def scores(self, word: str) -> list[tuple[str, float]]:
        query = Bm25Encoder().encode_query(word)
        (ranking,) = asyncio.run(self.index.search("main", SearchRequest(sparse=query)))
        return [(hit.id, hit.score) for hit in ranking.hits]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    folder = tmp_path / "source"
    folder.mkdir()
    return Bench(folder)


def test_a_second_run_without_changes_writes_nothing(bench: Bench) -> None:
    bench.write("a.md", "# A\n\nalpha")
    bench.write("b.md", "# B\n\nbeta")
    assert bench.run().new == 2
    report = bench.run()
    assert (report.unchanged, report.new, report.changed) == (2, 0, 0)
    assert bench.index.written == ["a.md", "b.md"]


def test_a_touched_file_is_read_but_not_written(bench: Bench) -> None:
    bench.write("a.md", "# A\n\nalpha")
    bench.run()
    os.utime(bench.folder / "a.md", ns=(5, 5))
    assert bench.run().unchanged == 1
    (record,) = asyncio.run(bench.index.documents("main"))
    assert record.mtime_ns == 5
    assert bench.index.written == ["a.md"]


def test_a_file_edited_within_the_clocks_grain_is_not_missed(bench: Bench) -> None:
    place = bench.folder / "a.md"
    place.write_text("# A\n\nalpha")
    bench.run()
    stamp = place.stat().st_mtime_ns
    place.write_text("# A\n\nomega")  # the same size
    os.utime(place, ns=(stamp, stamp))  # and the same time
    assert bench.run().changed == 1
    assert "omega" in bench.chunks()[0].text


def test_other_words_of_the_same_size_under_an_old_time_stamp_are_indexed(bench: Bench) -> None:
    bench.write("a.md", "# A\n\nalpha")
    bench.write("b.md", "# B\n\nbeta")
    bench.run()
    stamp = (bench.folder / "a.md").stat().st_mtime_ns
    (bench.folder / "a.md").write_text("# A\n\nomega")
    os.utime(bench.folder / "a.md", ns=(stamp, stamp))  # as archives and copies set it
    report = bench.run()
    assert (report.changed, report.unchanged) == (1, 1)
    assert bench.scores("omega")
    assert not bench.scores("alpha")


def test_a_file_is_not_read_again_if_nothing_of_it_changed_since_the_last_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write("a.md", "# A\n\nalpha")
    bench.run()
    read: list[str] = []
    with open_source(bench.folder, name="acme", limits=SourceLimits()) as opened:
        real = opened.read

        def counted(entry: Entry) -> bytes:
            read.append(entry.path)
            return real(entry)

        monkeypatch.setattr(opened, "read", counted)
        records = asyncio.run(bench.index.documents("main"))
        (info,) = asyncio.run(bench.index.collections())
        (entry,) = opened.entries()
        assert isinstance(entry, Entry)
        for since_ns, expected in ((None, []), (entry.changed_ns + 1, []), (1, ["a.md"])):
            read.clear()
            changes = find_changes(
                opened, records, info.spec, made_with_no_other, since_ns=since_ns
            )
            assert (read, changes.unchanged) == (expected, 1)


def test_a_file_edited_at_once_and_put_back_to_the_beginning_of_time_is_not_missed(
    bench: Bench,
) -> None:
    place = bench.folder / "a.md"
    place.write_text("# A\n\nalpha")
    bench.run()
    place.write_text("# A\n\nomega")  # the same size
    os.utime(place, ns=(0, 0))  # as in images that are built reproducibly
    assert bench.run().changed == 1
    assert bench.run().unchanged == 1
    assert "omega" in bench.chunks()[0].text


def test_files_from_a_far_future_are_indexed(bench: Bench) -> None:
    for number, year in enumerate((2_300, 9_000)):
        bench.write(f"{number}.md", "# A\n\nalpha")
        seconds = (year - 1970) * 31_556_952
        os.utime(bench.folder / f"{number}.md", (seconds, seconds))
    assert bench.run().new == 2
    assert bench.run().unchanged == 2


def test_a_file_that_turns_into_junk_is_not_served_any_more(bench: Bench) -> None:
    bench.write("a.txt", "alpha")
    bench.run()
    (bench.folder / "a.txt").write_bytes(b"\0" * 5000)
    report = bench.run()
    assert report.skipped == {"binary": 1}
    assert bench.chunks() == ()


def test_a_failing_write_ends_the_run_and_the_next_one_goes_on(bench: Bench) -> None:
    for number in range(6):
        bench.write(f"{number}.md", f"# Number {number}\n\nword{number}")
    bench.batch = 1
    bench.index.fail_at = 3
    with pytest.raises(StoreError, match="fire"):
        bench.run()
    assert len(bench.chunks()) == 3
    (info,) = asyncio.run(bench.index.collections())
    assert not info.sources[0].complete
    bench.index.fail_at = 10**9
    report = bench.run()
    assert (report.new, report.unchanged) == (3, 3)
    assert bench.index.written == [f"{number}.md" for number in range(6)]


def test_the_first_batch_is_weighed_as_the_others_are(bench: Bench) -> None:
    for number in range(300):  # more than a batch
        bench.write(f"{number}.md", f"# {number}\n\n" + "alpha beta gamma " * 5)
    bench.run()
    (info,) = asyncio.run(bench.index.collections())
    sparse = Bm25Encoder()
    points = asyncio.run(bench.index._store.export("main", None, 1_000))
    assert len(points) == 300
    for _, point in points:
        text = enrich(point.chunk)
        weights, length = sparse.encode_document(text, info.spec.average_length)
        assert (point.sparse, point.length) == (rounded(weights), length)


def test_two_sources_in_one_collection_leave_each_other_alone(bench: Bench, tmp_path: Path) -> None:
    bench.write("a.md", "# A\n\nalpha")
    bench.run()
    other = Bench(tmp_path / "other", bench.index)
    other.write("a.md", "# B\n\nbeta")
    other.run(name="other")
    (other.folder / "a.md").unlink()
    assert other.run(name="other").removed == 1
    assert [chunk.repo for chunk in bench.chunks()] == ["acme"]


def test_progress_is_told_file_by_file(bench: Bench) -> None:
    for number in range(3):
        bench.write(f"{number}.md", f"# Number {number}\n\nword")
    bench.run()
    steps = [p for p in bench.progress if p.stage == "index"]
    assert steps[-1].done == steps[-1].total == 3


WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta " * 40])
FILES = st.dictionaries(st.sampled_from("abcdef"), st.lists(WORDS, min_size=1, max_size=30))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(FILES, min_size=1, max_size=4))
def test_however_it_came_about_an_index_equals_a_clean_build(
    tmp_path_factory: pytest.TempPathFactory, states: list[dict[str, list[str]]]
) -> None:
    folder = tmp_path_factory.mktemp("mirror")
    grown = Bench(folder / "source")
    for state in states:
        for old in (folder / "source").glob("*"):
            old.unlink()
        (folder / "source").mkdir(exist_ok=True)
        for name, words in state.items():
            grown.write(f"{name}.md", f"# {name}\n\n" + "\n\n".join(words))
        grown.run()
    clean = Bench(folder / "source")
    clean.run()
    assert grown.chunks() == clean.chunks()
    assert grown.scores("alpha zeta") == clean.scores("alpha zeta")
