"""Files and folders that were named, although the listing of their checkout leaves them out."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite.daemon.refresh.glance import glance, glance_at
from pincite.model import SourceRecord
from pincite.sources import SourceLimits, open_source
from tests.disks import unreadable
from tests.ingestion.desk import Desk
from tests.quick_folder import quick_folder
from tests.sources.helpers import git, listed, plant, skipped

FILES = {
    ".gitignore": "*.log\nbuild/\n",
    "lamp.md": "# Lamp\n",
    "notes.log.md": "# Log\n",
    "todo.log": "one thing\n",
    ".hidden.md": "# Hidden\n",
    "build/page.md": "# Page\n",
    "build/other.md": "# Other\n",
    "node_modules/pad/readme.md": "# Pad\n",
    "node_modules/left/readme.md": "# Left\n",
    "docs/guide.md": "# Guide\n",
    "docs/.draft.md": "# Draft\n",
}
NAMED = (".hidden.md", "build/page.md", "node_modules/pad/", "docs/.draft.md")
LISTED = {"docs/guide.md", "lamp.md", "notes.log.md"}
STAYING = {*LISTED, ".hidden.md", "build/page.md", "node_modules/pad/readme.md", "docs/.draft.md"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    for path, text in FILES.items():
        desk.write(f"repo/{path}", text)
    git(tmp_path / "repo", "init", "--quiet")
    return desk


def record_of(desk: Desk) -> SourceRecord:
    (info,) = asyncio.run(desk.index.collections())
    (record,) = info.sources
    return record


def test_they_stay_whether_the_checkout_is_named_before_or_after_them(desk: Desk) -> None:
    for part in NAMED[:2]:
        desk.run(f"repo/{part}")
    desk.run("repo")
    for part in NAMED[2:]:
        desk.run(f"repo/{part}")
    assert record_of(desk).within == ("", *sorted(NAMED))
    for paths in ((), ("repo",), ("repo/docs",), ()):
        desk.run(*paths)
        assert set(desk.records()) == STAYING
    assert record_of(desk).within == ("", *sorted(NAMED))


def test_one_command_may_name_the_checkout_and_a_file_of_it(desk: Desk) -> None:
    desk.run("repo/.hidden.md", "repo")
    assert set(desk.records()) == {*LISTED, ".hidden.md"}


def test_a_part_has_those_that_are_in_it(desk: Desk) -> None:
    desk.run("repo/docs")
    desk.run("repo/docs/.draft.md")
    for _ in range(2):
        (report,) = desk.run()
        assert (report.new, report.removed, report.unchanged) == (0, 0, 2)
    assert record_of(desk).within == ("docs/", "docs/.draft.md")


def test_changes_of_them_are_found_and_one_that_is_deleted_leaves(
    desk: Desk, tmp_path: Path
) -> None:
    desk.run("repo")
    for part in NAMED:
        desk.run(f"repo/{part}")
    desk.run()
    desk.write("repo/build/page.md", "# Page with more\n")
    (tmp_path / "repo/.hidden.md").unlink()
    record = record_of(desk)
    indexed = list(desk.records().values())
    changed = {"build/page.md": "changed", ".hidden.md": "gone"}
    seen = glance(record, indexed)
    assert seen.named == changed
    assert str(tmp_path / "repo/build") in seen.folders
    looked_at = ("build", ".hidden.md", "node_modules/pad/readme.md")
    some = [one for one in indexed if one.path in {*looked_at, "build/page.md"}]
    assert glance_at(record, some, looked_at).named == changed
    (report,) = desk.run()
    assert (report.changed, report.removed) == (1, 1)
    assert ".hidden.md" not in record_of(desk).within


def test_one_that_cannot_be_read_is_still_named() -> None:
    with quick_folder() as place:
        place.chmod(0o755)
        plant(place, {".gitignore": "build/\n", "build/page.md": "# Page\n", "a.md": "# A\n"})
        parts = ("", "build/page.md")
        with open_source(place, limits=SourceLimits()) as opened:
            opened.parts = parts
            assert listed(opened) == ["a.md", "build/page.md"]
            with unreadable(place / "build"):
                assert skipped(opened)["build/page.md"] == "unreadable"
                assert opened.parts_to_name(parts) == parts
            (place / "build/page.md").unlink()
            assert opened.parts_to_name(parts) == ("",)


def test_a_pattern_that_excludes_one_ends_that_it_stays(desk: Desk) -> None:
    desk.run("repo")
    for part in NAMED:
        desk.run(f"repo/{part}")
    desk.run("repo", exclude=("build/", ".hidden.md"))
    assert set(desk.records()) == STAYING - {"build/page.md", ".hidden.md"}
    assert record_of(desk).within == ("", "docs/.draft.md", "node_modules/pad/")
    desk.run("repo", exclude=("",))
    assert set(desk.records()) == STAYING - {"build/page.md", ".hidden.md"}


def test_a_file_that_the_checkout_lists_anyway_is_not_remembered(desk: Desk) -> None:
    desk.run("repo")
    desk.run("repo/lamp.md")
    desk.run("repo/docs")
    assert record_of(desk).within == ("",)


def test_a_file_whose_name_begins_like_that_of_a_named_one_stays(desk: Desk) -> None:
    desk.write("repo/lamp.md.txt", "A lamp.\n")
    desk.run("repo/lamp.md.txt")
    desk.run("repo/lamp.md")
    assert set(desk.records()) == {"lamp.md", "lamp.md.txt"}


def test_a_checkout_with_another_name_keeps_them(desk: Desk) -> None:
    desk.run("repo")
    desk.run("repo/.hidden.md")
    desk.run("repo", name="acme")
    assert set(desk.sources()) == {"acme"}
    assert set(desk.records()) == {*LISTED, ".hidden.md"}
