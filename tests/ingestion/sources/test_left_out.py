"""What the catalog says of files that were left out of a source, part by part."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite.ingestion.report import IngestReport
from pincite.model import Source, SourceRecord
from pincite.model.left_out import is_of, line_of, path_of
from tests.ingestion.desk import Desk
from tests.sources.helpers import git

BINARY = "\0\1\2" * 200


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A checkout with two folders."""
    desk = Desk(tmp_path)
    git(tmp_path, "init", "--quiet")
    for path, text in {
        "docs/a.md": "# Lamps\n\nThey shine.\n",
        "docs/picture.bin": BINARY,
        "docs/deep/b.md": "# Bulbs\n\nThey glow.\n",
        "docs/deep/scan.bin": BINARY,
        "src/b.py": "def shine():\n    return 1\n",
        "src/empty.py": "",
    }.items():
        desk.write(path, text)
    return desk


def record(desk: Desk) -> SourceRecord:
    (info,) = asyncio.run(desk.index.collections())
    (found,) = info.sources
    return found


def listed(desk: Desk) -> tuple[dict[str, int], set[str]]:
    found = record(desk)
    return dict(found.skipped), {line.split(" (")[0] for line in found.skipped_paths}


ALL = (
    {"binary": 2, "empty": 1},
    {"binary: docs/picture.bin", "binary: docs/deep/scan.bin", "empty: src/empty.py"},
)


@pytest.mark.parametrize("parts", [("docs", "src"), ("src", "docs"), ("src", "docs/deep", "docs")])
def test_each_part_of_a_source_keeps_what_was_left_out_of_it(
    desk: Desk, tmp_path: Path, parts: tuple[str, ...]
) -> None:
    for part in parts:
        desk.run(part)
    assert listed(desk) == ALL
    desk.run()
    assert listed(desk) == ALL
    (tmp_path / "docs/picture.bin").unlink()
    desk.run("docs")
    assert listed(desk) == ({"binary": 1, "empty": 1}, ALL[1] - {"binary: docs/picture.bin"})
    desk.run("src")
    assert listed(desk) == ({"binary": 1, "empty": 1}, ALL[1] - {"binary: docs/picture.bin"})


def test_a_part_within_another_is_counted_once(desk: Desk) -> None:
    desk.run("docs")
    desk.run("docs/deep")
    assert listed(desk) == ({"binary": 2}, ALL[1] - {"empty: src/empty.py"})
    desk.run(".")
    assert listed(desk) == ALL
    assert record(desk).within == ("",)


PDF = "broken: it cannot be opened (Failed to load document (PDFium: Data format error).); open it"


@pytest.mark.parametrize("path", ["docs/a.pdf", "docs/a (1).pdf", "notes (old)", "a b/(c).md"])
@pytest.mark.parametrize("detail", ["", "TypeError: f() of (x)", PDF, "expected ')'", "a) or (b"])
def test_a_line_names_its_path_whatever_its_detail_says(path: str, detail: str) -> None:
    line = line_of("failed", path, detail)
    if detail or not path.endswith(")"):
        assert path_of(line) == path
    assert is_of(line, path)
    assert is_of(line, "")
    assert is_of(line, path.rpartition("/")[0])
    assert not is_of(line, path[:-1])
    assert not is_of(line, f"{path}x")


def test_a_folder_does_not_have_the_files_beside_it_whose_names_begin_alike() -> None:
    for path in ("docs (old).pdf", "docs (old)/a.pdf", "docs2/a.pdf"):
        assert not is_of(line_of("failed", path, PDF), "docs")
    assert is_of(line_of("failed", "docs/a.pdf", PDF), "docs")


def test_lines_of_files_are_replaced_and_stay_few() -> None:
    record = SourceRecord(Source("acme", "/acme", "folder"))
    for number in range(200):
        report = IngestReport("main", "acme")
        lines = (line_of("failed", f"{number}.pdf", PDF),)
        record = report.amended(record, (), lines)
    assert record.skipped == {"failed": 200}
    assert len(record.skipped_paths) == 50
    last = record.skipped_paths[0]
    again = IngestReport("main", "acme").amended(record, (last,), ("oversize: 199.pdf (9 MB)",))
    assert again.skipped == {"failed": 199, "oversize": 1}
    assert again.skipped_paths[:2] == ("oversize: 199.pdf (9 MB)", record.skipped_paths[1])
