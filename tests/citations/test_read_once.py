"""A request about citations reads of a document no more than it needs, and that once."""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from pincite.citations.claims import check_claims
from pincite.citations.compare_claim import Claim
from pincite.citations.current_file import CurrentFiles
from pincite.citations.get import get
from pincite.citations.resolve import NotNamed
from pincite.engine import AsyncPincite
from pincite.model import Chunk
from pincite.ports import PagedIndex
from pincite.settings.load import load_settings
from pincite.sources import OpenSource
from pincite.sources.reopening import reopen_source
from tests.citations.shelf import Shelf
from tests.records.desk import run

WORDS = "The printer is on fire, and the brigade is away."


class Counted:
    """An index that keeps the paths of the documents whose chunks it was asked for."""

    def __init__(self, index: PagedIndex) -> None:
        self._index = index
        self.read: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        self.read.append(path)
        return await self._index.document(collection, source, path)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    made = Shelf(tmp_path)
    texts = {"a": WORDS, "b": WORDS.upper()}
    run(
        made.upsert(
            [{"id": id_, "text": text, "attributes": {"team": id_}} for id_, text in texts.items()]
        )
    )
    return made


def statuses(index: Counted, claims: Sequence[Claim], folder: Path) -> list[str]:
    found = run(check_claims(cast(PagedIndex, index), claims, folder))
    assert [one.citation for one in found] == [one.citation for one in claims]
    return [one.status for one in found]


def test_a_citation_is_read_and_found_fresh_without_the_chunks_of_its_document(
    shelf: Shelf,
) -> None:
    index = Counted(shelf.index)
    read = run(get(cast(PagedIndex, index), "records:a#char=4,11", folder=shelf.root))
    assert read.text == "printer"
    assert statuses(index, [Claim("records:a#char=4,11", "printer")], shelf.root) == ["fresh"]
    assert index.read == []


def test_tags_of_documents_are_compared_without_their_chunks(shelf: Shelf) -> None:
    index = Counted(shelf.index)
    paged = cast(PagedIndex, index)
    assert run(get(paged, "records:a", folder=shelf.root, tags={"team": "a"})).text == WORDS
    with pytest.raises(NotNamed):
        run(get(paged, "records:a", folder=shelf.root, tags={"team": "b"}))
    assert index.read == []


def test_claims_about_one_document_read_its_chunks_once_wherever_they_are(shelf: Shelf) -> None:
    index = Counted(shelf.index)
    claims = [
        Claim(f"records:{id_}#char=4,11", text[1 : 12 + number])
        for number in range(10)
        for id_, text in (("a", WORDS), ("b", WORDS.upper()))
    ]
    claims += [claims[0], Claim("records:a", WORDS), Claim("records:c", WORDS)]
    found = statuses(index, claims, shelf.root)
    assert found == ["changed"] * 21 + ["fresh", "unknown"]
    assert index.read == ["a", "b"]


def test_a_quote_that_is_nowhere_is_not_looked_for_in_chunks(shelf: Shelf) -> None:
    index = Counted(shelf.index)
    claims = [Claim("records:a#char=4,11", "no such text"), Claim("records:a", "he printer")]
    assert statuses(index, claims[:1], shelf.root) == ["changed"]
    assert index.read == []
    assert statuses(index, claims, shelf.root) == ["changed", "changed"]
    assert index.read == ["a"]


def test_the_last_file_is_kept_and_no_other(shelf: Shelf) -> None:
    (info,) = run(shelf.index.collections())
    files = CurrentFiles()
    with reopen_source(info.sources[0], folder=shelf.root, only_read=True) as opened:
        first = files.at(opened, "main", "a")
        assert first is not None
        assert files.at(opened, "main", "a") is first
        assert files.at(opened, "another", "a") is not first
        other = files.at(opened, "main", "b")
        assert other is not None
        assert other.document.text == WORDS.upper()
        assert files.at(opened, "main", "no such record") is None
        again = files.at(opened, "main", "a")
    assert again is not None
    assert again is not first
    assert again.document == first.document


def test_a_name_of_no_indexed_file_opens_a_folder_once_and_an_archive_never(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs, archive = tmp_path / "docs", tmp_path / "lib-1.0.tar.gz"
    docs.mkdir()
    (docs / "a.md").write_text("# A\n\nThe fox.\n")
    with tarfile.open(archive, "w:gz") as file:
        file.add(docs, "lib-1.0")
    closed: list[str] = []

    def close_and_count(self: OpenSource, *_: object) -> None:
        closed.append(self.source.kind)
        self.close()

    async def session() -> str:
        async with AsyncPincite(load_settings({}, tmp_path)) as engine:
            await engine.index([docs, archive], lexical=True)
            monkeypatch.setattr(OpenSource, "__exit__", close_and_count)
            (found,) = await engine.check("src/none/mod.py:12-20")
            await engine.stop()
            return found.status

    assert run(session()) == "unknown"
    assert closed == ["folder"]
