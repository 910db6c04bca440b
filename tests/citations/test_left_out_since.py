"""A citation and an item of a pack have the same status after their file was replaced by something
that is not indexed, before and after the index knows of it."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from pincite.citations.check_item import Checked
from pincite.citations.claims import check_claims
from pincite.citations.compare_claim import Claim
from pincite.citations.verify import verify
from pincite.errors import StoreError, UsageError
from pincite.model import EvidencePack
from pincite.model.citation import cite
from pincite.model.revisions import content_ref
from pincite.ports import CollectionInfo, PagedIndex
from pincite.readers import content_hash_of
from pincite.support.fields import replace
from pincite.support.machine import this_machine
from tests.citations.indexed_file import Folder
from tests.citations.moved_texts import item_of, pack_with

TEXT = b"zebras and giraffes\n"
OTHER_FILE = b"# Lions\n\nThey roar.\n"
BINARY = b"\0\1\2" * 500
TOO_LARGE = b"some words\n" * 500_000


def a_link(place: Path) -> None:
    place.symlink_to("b.md")


def content(raw: bytes) -> Callable[[Path], None]:
    def put(place: Path) -> None:
        place.write_bytes(raw)

    return put


def nothing(place: Path) -> None:
    del place


REPLACED: dict[str, tuple[Callable[[Path], None], str]] = {
    "gone": (nothing, "deleted"),
    "link": (a_link, "deleted"),
    "fifo": (os.mkfifo, "deleted"),
    "folder": (Path.mkdir, "deleted"),
    "empty": (content(b""), "changed"),
    "blank": (content(b" \n"), "changed"),
    "binary": (content(BINARY), "changed"),
    "too large": (content(TOO_LARGE), "unknown"),
}


@pytest.fixture
def made(tmp_path: Path) -> Folder:
    made = Folder(tmp_path, TEXT, "a.md")
    made.put("b.md", OTHER_FILE)
    return made


def verified(index: PagedIndex, packed: EvidencePack, folder: Path) -> Checked:
    return asyncio.run(verify(index, packed, folder=folder))[0]


def put(made: Folder, put_there: Callable[[Path], None]) -> None:
    place = made.folder / "docs" / "a.md"
    place.unlink(missing_ok=True)
    put_there(place)


@pytest.mark.parametrize("kind", REPLACED)
@pytest.mark.parametrize("git", [False, True])
def test_a_pack_and_its_citation_have_the_same_status(tmp_path: Path, kind: str, git: bool) -> None:
    made = Folder(tmp_path, TEXT, "a.md", git=git)
    packed, cited = pack_with(item_of(made.chunk)), cite(made.chunk)
    put_there, status = REPLACED[kind]
    made.put("b.md", OTHER_FILE)
    put(made, put_there)
    for _ in range(2):
        assert verified(made.index, packed, made.folder).status == status
        assert made.check(cited).status == status
        assert made.check(cited, "zebras and giraffes").status == status
        made.run("docs")


def test_the_reason_is_that_of_the_current_file(made: Folder) -> None:
    cited = cite(made.chunk)
    put(made, content(BINARY))
    made.run("docs")
    assert made.check(cited).detail == "the file is binary"
    put(made, content(b""))
    assert made.check(cited).detail == "the file is empty"
    with pytest.raises(UsageError, match=r"a\.md is left out of the index: empty"):
        made.get("a.md")
    put(made, content(TOO_LARGE))
    assert "oversize" in made.check(cited).detail
    with pytest.raises(UsageError, match="oversize"):
        made.get("a.md")
    put(made, content(TEXT))
    with pytest.raises(UsageError, match=r"a\.md is there, but it is not indexed"):
        made.get("a.md")
    put(made, nothing)
    assert made.check(cited).status == "deleted"
    with pytest.raises(UsageError, match="no indexed file is named"):
        made.get("a.md")


def test_the_listed_reason_stands_where_the_source_cannot_be_opened(made: Folder) -> None:
    put(made, content(BINARY))
    made.run("docs")
    shutil.rmtree(made.folder / "docs")
    with pytest.raises(UsageError, match="binary"):
        made.get("a.md")


def test_a_text_that_is_not_indexed_is_not_read(made: Folder) -> None:
    never = f"docs@{made.chunk.ref}:never.md#L1"
    (made.folder / "docs" / "never.md").write_bytes(TEXT)
    for quote in ("", "zebras"):
        said = made.check(never, quote)
        assert (said.status, said.detail) == ("unknown", "never.md is there, but it is not indexed")


def test_a_file_that_was_always_binary_has_not_changed(made: Folder) -> None:
    (made.folder / "docs" / "data.txt").write_bytes(BINARY)
    ref = content_ref(content_hash_of(BINARY))
    said = made.check(f"docs@{ref}:data.txt#L1")
    assert (said.status, "binary" in said.detail) == ("unknown", True)


def test_nothing_is_known_of_a_source_that_the_index_does_not_have(made: Folder) -> None:
    item = item_of(replace(made.chunk, repo="g"))
    found = verified(made.index, pack_with(item), made.folder)
    assert (found.status, found.detail) == ("unknown", "source 'g' is not in this index")


class Elsewhere:
    """An index with changed records of its sources."""

    def __init__(self, index: PagedIndex, **changed: object) -> None:
        self._index, self._changed = index, changed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    async def collections(self) -> tuple[CollectionInfo, ...]:
        infos = await self._index.collections()
        return tuple(
            replace(info, sources=tuple(replace(one, **self._changed) for one in info.sources))
            for info in infos
        )


class Away(Elsewhere):
    """An index whose documents cannot be listed."""

    async def documents(self, collection: str, source: str | None = None) -> Any:
        raise StoreError(f"the store does not answer for {collection} {source}")


def test_an_index_that_does_not_answer_says_nothing_of_the_files(made: Folder) -> None:
    made.run("docs", ref="v1")
    (chunk,) = (one for one in made.chunks() if one.path == "a.md")
    away = cast(PagedIndex, Away(made.index))
    found = verified(away, pack_with(item_of(chunk)), made.folder)
    assert (found.status, "does not answer" in found.detail) == ("unknown", True)


def test_a_missing_folder_is_deleted_only_on_the_machine_of_the_index(made: Folder) -> None:
    packed, cited = pack_with(item_of(made.chunk)), Claim(cite(made.chunk), "zebras")
    (made.folder / "docs").rename(made.folder / "elsewhere")
    for machine, status in {"another": "unknown", this_machine(): "deleted"}.items():
        there = cast(PagedIndex, Elsewhere(made.index, machine=machine))
        assert verified(there, packed, made.folder).status == status
        (found,) = asyncio.run(check_claims(there, [cited], made.folder))
        assert found.status == status
