"""The progress of a run is that of all its sources, not of one after the other."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path

import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.chunkers import ChunkerConfig
from pincite.index.local import LocalIndex
from pincite.ingest import ingest_all
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.report import Progress
from pincite.ingestion.run_progress import Counted
from pincite.model import CollectionSpec
from pincite.sources import Selection, SourceLimits, open_source
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from pincite.testing.fakes import HashingEncoder
from tests.ingestion.indexed_folder import SPARSE, functions
from tests.sources.helpers import commit, plant

WHOLE = Selection()
SMALL, LARGE = 2, 5  # files


async def told_of(root: Path, dense: HashingEncoder | None, *names: str) -> list[Progress]:
    """The progress of a run over a large and a small folder, which have these names as sources."""
    told: list[Progress] = []
    index = LocalIndex(MemoryStore(), SqliteCatalog(":memory:"))
    await index.open()
    spec = CollectionSpec("main", SPARSE.fingerprint, ChunkerConfig().fingerprint)
    if dense is not None:
        spec = replace(spec, dense=dense.fingerprint, dimensions=dense.dimensions)
    await index.create(spec)
    deps = IngestDeps(index, SPARSE, dense, batch_chunks=2, much_bytes=5_000, progress=told.append)
    with ExitStack() as stack:
        opened = []
        for part, name in zip(("large", "small"), names, strict=True):
            source = open_source(root / part, name=name, limits=SourceLimits(), selection=WHOLE)
            opened.append((stack.enter_context(source), WHOLE))
        await ingest_all(opened, spec, deps)
    assert len(await index.documents("main")) == SMALL + LARGE
    return told


@pytest.mark.parametrize("names", [("large", "small"), ("acme", "acme")])
@pytest.mark.parametrize("vectors", [True, False])
def test_every_pass_counts_the_files_of_all_sources_in_it(
    tmp_path: Path, vectors: bool, names: tuple[str, str]
) -> None:
    for part, count, lines in (("small", SMALL, 3), ("large", LARGE, 60)):
        files = {f"{part}/{n}.py": functions(f"{part}{n}", lines=lines) for n in range(count)}
        plant(tmp_path, dict(files))
    if names[0] == names[1]:  # parts of one checkout
        commit(tmp_path)
    told = asyncio.run(told_of(tmp_path, HashingEncoder(16) if vectors else None, *names))
    counts = [(one.done, one.total) for one in told if one.stage in ("index", "embed")]
    words = [one for one in counts if one[1] == LARGE]  # of the large source alone
    passes = [words, counts[len(words) :]] if vectors else [counts]
    for found, total in zip(passes, (LARGE, SMALL + LARGE)[-len(passes) :], strict=True):
        assert {one for _, one in found} == {total}
        done = [one for one, _ in found]
        assert (done[0], done[-1]) == (0, total)
        assert done == sorted(done)
    stages = [stage for stage, _ in groupby(told, lambda one: one.stage) if stage != "diff"]
    assert stages[-1] == ("embed" if vectors else "index")  # the large source's vectors are last
    assert stages.count("embed") == vectors


def test_a_source_without_changes_counts_nothing(tmp_path: Path) -> None:
    told: list[Progress] = []
    counted = Counted({0: 3, 1: 4}, told.append)
    counted.source(0)(Progress("index", 0, 0))  # somebody else has indexed them meanwhile
    counted.source(1)(Progress("diff", 0, 9))
    counted.source(1)(Progress("index", 2, 4, 5, "a.md"))
    assert told == [
        Progress("index", 0, 4),
        Progress("diff", 0, 9),
        Progress("index", 2, 4, 5, "a.md"),
    ]
