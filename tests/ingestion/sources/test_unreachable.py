"""A run that nobody asked for removes nothing that it cannot read now."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pincite.chunkers import ChunkerConfig
from pincite.ingest import ingest_all
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.sources.changes import Emptied
from pincite.model import CollectionSpec, Notice
from pincite.sources import Selection, SourceLimits, open_source
from tests.disks import unreadable
from tests.ingestion.desk import Index
from tests.ingestion.indexed_folder import SPARSE
from tests.quick_folder import quick_folder
from tests.readers.office_files import docx

SPEC = CollectionSpec("main", SPARSE.fingerprint, ChunkerConfig().fingerprint)


async def run(index: Index, folder: Path, *, careful: bool) -> tuple[list[str], list[Notice]]:
    """Index, and return the indexed paths and the notices."""
    notices: list[Notice] = []
    with open_source(folder, name="docs", limits=SourceLimits(), selection=Selection()) as opened:
        deps = IngestDeps(index, SPARSE, None, careful=careful, on_notice=notices.append)
        await ingest_all([(opened, Selection())], SPEC, deps)
    return sorted(one.path for one in await index.documents("main")), notices


def test_the_rest_is_indexed_and_the_folder_is_named() -> None:
    async def check(folder: Path) -> None:
        index = Index()
        await index.create(SPEC)
        for path in ("a.md", "gone.md", "inner/b.md", "inner/deep/c.md"):
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(f"# {path}\n\nThe fox.\n")
        await run(index, folder, careful=True)
        (folder / "gone.md").unlink()
        (folder / "new.md").write_text("# New\n\nThe hen.\n")
        with unreadable(folder / "inner"):
            paths, (notice,) = await run(index, folder, careful=True)
            assert paths == ["a.md", "inner/b.md", "inner/deep/c.md", "new.md"]
            assert notice.message.startswith("inner/ of docs cannot be read: Permission denied")
            paths, notices = await run(index, folder, careful=False)
            assert (paths, notices) == (["a.md", "new.md"], [])
        for path in ("a.md", "new.md"):
            (folder / path).unlink()
        (folder / "inner").rename(folder.with_name(f"{folder.name}-away"))
        with pytest.raises(Emptied, match="no longer has any files"):
            await run(index, folder, careful=True)

    with quick_folder() as place:
        place.chmod(0o755)
        (place / "docs").mkdir(mode=0o755)
        asyncio.run(check(place / "docs"))


def test_an_indexed_file_that_cannot_be_read_stays_until_it_can() -> None:
    async def check(folder: Path) -> None:
        index = Index()
        await index.create(SPEC)
        for path in ("a.md", "b.md"):
            (folder / path).write_text(f"# {path}\n\nThe fox.\n")
        await run(index, folder, careful=True)
        (folder / "b.md").write_text("# b.md\n\nThe fox and the hen.\n")
        (folder / "new.md").write_text("# new.md\n\nThe owl.\n")
        with unreadable(folder / "b.md", folder / "new.md"):
            paths, (notice,) = await run(index, folder, careful=True)
            assert paths == ["a.md", "b.md"]
            assert notice.message.startswith("b.md of docs cannot be read: Permission denied")
            (record,) = await index.sources("main")
            assert record.skipped_paths == (
                "unreadable: b.md (Permission denied)",
                "unreadable: new.md (Permission denied)",
            )
        paths, notices = await run(index, folder, careful=True)
        assert (paths, notices) == (["a.md", "b.md", "new.md"], [])
        (folder / "b.md").write_text("# b.md\n\nThe fox and two hens.\n")
        with unreadable(folder / "b.md"):
            paths, notices = await run(index, folder, careful=False)  # somebody asked for it
            assert (paths, notices) == (["a.md", "new.md"], [])

    with quick_folder() as place:
        place.chmod(0o755)
        (place / "docs").mkdir(mode=0o755)
        asyncio.run(check(place / "docs"))


def test_a_name_that_is_not_text_keeps_no_file_that_has_the_shown_one(tmp_path: Path) -> None:
    async def check() -> None:
        index = Index()
        await index.create(SPEC)
        for path in (os.fsdecode(b"a\xff.md"), "a\ufffd.md", "b.md"):
            (tmp_path / path).write_text("# Fox\n\nThe fox.\n")
        assert (await run(index, tmp_path, careful=True))[0] == ["a\ufffd.md", "b.md"]
        (tmp_path / "a\ufffd.md").unlink()
        assert await run(index, tmp_path, careful=True) == (["b.md"], [])

    asyncio.run(check())


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (lambda raw: raw[: len(raw) // 2], "failed: b.docx (it cannot be opened as a zip file"),
        (lambda _: b"", "unreadable: b.docx (the file has nothing in it)"),
        (lambda raw: b"\0" * len(raw), "failed: b.docx (the file has nothing in it)"),
    ],
    ids=["half", "empty", "zeros"],
)
def test_a_damaged_file_keeps_the_text_that_was_read_before(
    tmp_path: Path, broken: Callable[[bytes], bytes], said: str
) -> None:
    async def check() -> None:
        index = Index()
        await index.create(SPEC)
        (tmp_path / "a.md").write_text("# Fox\n\nThe fox.\n")
        whole = docx("A zeppelin.")
        (tmp_path / "b.docx").write_bytes(whole)
        await run(index, tmp_path, careful=True)
        (tmp_path / "b.docx").write_bytes(broken(whole))
        paths, (notice,) = await run(index, tmp_path, careful=True)
        assert paths == ["a.md", "b.docx"]
        assert notice.message.startswith("b.docx of ")
        assert "; the text read before stays in the index" in notice.message
        (record,) = await index.sources("main")
        assert record.skipped_paths[0].startswith(said)
        later = docx("A zeppelin and a kite.")
        (tmp_path / "b.docx").write_bytes(later)
        assert await run(index, tmp_path, careful=True) == (["a.md", "b.docx"], [])
        texts = [one.text for one in await index.document("main", "docs", "b.docx")]
        assert any("kite" in text for text in texts)
        (tmp_path / "b.docx").write_bytes(broken(later))
        assert await run(index, tmp_path, careful=False) == (["a.md"], [])  # somebody asked for it

    asyncio.run(check())
