"""A folder of two pages, and what a catalog has of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.model import DocumentRecord, Source, SourceRecord
from pincite.readers import content_hash_of


def record_of(folder: Path) -> SourceRecord:
    return SourceRecord(Source("docs", str(folder), "folder"), complete=True)


def indexed(folder: Path) -> list[DocumentRecord]:
    """What a catalog would have of all files, by their times of now."""
    found = []
    for path in sorted(folder.rglob("*.md")):
        seen, name = path.stat(), path.relative_to(folder).as_posix()
        digest = content_hash_of(path.read_bytes())
        one = DocumentRecord(
            "docs", name, name, digest, "ref", seen.st_size, seen.st_mtime_ns, 1, 1
        )
        found.append(one)
    return found


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "inner").mkdir(parents=True)
    for name in ("a.md", "inner/b.md"):
        (folder / name).write_text(f"# {name}\n")
    return folder
