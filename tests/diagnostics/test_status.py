"""What `pincite status` says of an index that is not finished."""

from __future__ import annotations

from pincite.daemon.freshness import Condition, Freshness, Pending
from pincite.diagnostics.status import Status, status_table
from pincite.model import CollectionSpec, Source, SourceRecord
from pincite.ports import CollectionInfo


def table(*, indexing: bool) -> str:
    record = SourceRecord(Source("docs", "/docs", "folder"), complete=False)
    spec = CollectionSpec("main", dense="model", sparse="bm25", chunker="c")
    info = CollectionInfo(spec, (record,), 2, 10, 0, unembedded=5)
    fresh = Freshness(auto=True, indexing=indexing, pending=(Pending("main", "docs", 1),))
    found = Status(
        "/index", 1, "1", "bundled", (info,), (), condition=Condition(1.0, (), "", fresh)
    )
    return status_table(found)


def test_what_is_being_indexed_is_not_called_incomplete() -> None:
    said = table(indexing=True)
    assert "docs (folder), being indexed" in said
    assert "found by word\n" in said
    assert "1 file of docs in main" in said


def test_what_was_cut_off_is_incomplete_and_says_what_to_do() -> None:
    said = table(indexing=False)
    assert "docs (folder), incomplete" in said
    assert "found by word: pincite index" in said
