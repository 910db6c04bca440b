"""A project moves with its index, is copied with it, or is reached by a link."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite.errors import SourceError
from pincite.support.fields import replace
from tests.disks import unreadable
from tests.ingestion.desk import Desk
from tests.quick_folder import quick_folder
from tests.sources.helpers import git


def begun(folder: Path) -> Desk:
    """A desk whose documents in `old/docs` are indexed."""
    desk = Desk(folder)
    for number in range(3):
        desk.write(f"old/docs/{number}.md", f"# Lamp {number}\n\nIt shines.\n")
    desk.run("old/docs", course="ml")
    return desk


def test_a_moved_source_keeps_its_documents_and_attributes(tmp_path: Path) -> None:
    desk = begun(tmp_path)
    before = {path: one.revision for path, one in desk.records().items()}
    (tmp_path / "old").rename(tmp_path / "new")
    (report,) = desk.run("new/docs")
    assert (report.unchanged, report.new, report.removed) == (3, 0, 0)
    assert {path: one.revision for path, one in desk.records().items()} == before
    source = desk.sources()["docs"]
    assert source.location == str(tmp_path / "new/docs")
    assert source.attributes == {"course": "ml"}
    assert desk.said("source_moved") == [
        f"docs was at {tmp_path}/old/docs, which no longer exists, and is now at"
        f" {tmp_path}/new/docs"
    ]
    desk.run()
    assert list(desk.sources()) == ["docs"]


def test_a_moved_source_keeps_how_it_is_read(tmp_path: Path) -> None:
    desk = begun(tmp_path)
    (info,) = asyncio.run(desk.index.collections())
    (record,) = info.sources
    rule = r"(.*)\.md=>https://docs.example/\1"
    record = replace(record, source=replace(record.source, url_rule=rule, anchors="github"))
    asyncio.run(desk.index.put_source("main", record))
    (tmp_path / "old").rename(tmp_path / "new")
    desk.run("new/docs")
    source = desk.sources()["docs"]
    assert (source.url_rule, source.anchors) == (rule, "github")


def test_a_copied_source_is_refused_and_the_hint_works(tmp_path: Path) -> None:
    desk = begun(tmp_path)
    desk.write("copy/docs/0.md", "# Lamp 0\n\nIt shines.\n")
    with pytest.raises(SourceError, match="already indexed from") as caught:
        desk.run("copy/docs")
    assert caught.value.hint.endswith("first: pincite collections forget docs")
    asyncio.run(desk.index.forget("main", "docs"))
    desk.run("copy/docs")
    assert desk.sources()["docs"].location == str(tmp_path / "copy/docs")


def test_a_place_on_another_machine_is_not_taken_over(tmp_path: Path) -> None:
    desk = begun(tmp_path)
    (info,) = asyncio.run(desk.index.collections())
    asyncio.run(desk.index.put_source("main", replace(info.sources[0], machine="another")))
    (tmp_path / "old").rename(tmp_path / "new")
    with pytest.raises(SourceError, match="already indexed from"):
        desk.run("new/docs")


@pytest.mark.parametrize("order", [("a/docs", "b/docs"), ("b/docs", "a/docs")])
def test_of_two_paths_of_one_name_none_moves(tmp_path: Path, order: tuple[str, str]) -> None:
    desk = begun(tmp_path)
    (tmp_path / "old").rename(tmp_path / "a")
    desk.write("b/docs/other.md", "# Other\n\nIt is dark.\n")
    with pytest.raises(SourceError, match="two of these paths are named 'docs'"):
        desk.run(*order)
    assert desk.sources()["docs"].location == str(tmp_path / "old/docs")
    assert desk.said("source_moved") == []


def test_another_folder_of_that_name_takes_nothing_over(tmp_path: Path) -> None:
    desk = begun(tmp_path)
    (tmp_path / "old").rename(tmp_path / "unmounted")
    desk.write("home/docs/0.md", "# Lamp 0\n\nIt shines.\n")  # from the same template
    desk.write("home/docs/b.md", "# Letters\n\nTo the bank.\n")
    with pytest.raises(SourceError, match="fewer than four of five of the documents") as caught:
        desk.run("home/docs")
    assert caught.value.hint.endswith("because it has moved here: --name docs")
    assert sorted(desk.records()) == ["0.md", "1.md", "2.md"]
    desk.run("home/docs", name="home")
    assert desk.sources()["home"].attributes == {}
    assert len(desk.records()) == 4
    assert desk.said("source_moved") == []


def test_the_refusal_of_an_edited_source_says_what_is_true(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("old/docs/a.md", "# Lamp\n\nIt shines.\n")
    desk.run("old/docs")
    (tmp_path / "old").rename(tmp_path / "new")
    desk.write("new/docs/a.md", "# Lamp\n\nIt shines brightly.\n")
    with pytest.raises(SourceError) as caught:
        desk.run("new/docs")
    assert caught.value.message == (
        f"a source named 'docs' is already indexed from {tmp_path}/old/docs, which no longer"
        " exists, and fewer than four of five of the documents compared are the same here;"
        " files that cannot be read do not count"
    )
    assert caught.value.hint.endswith("because it has moved here: --name docs")
    (report,) = desk.run("new/docs", name="docs")
    assert (report.changed, report.new, report.removed) == (1, 0, 0)


def test_files_that_cannot_be_read_do_not_count_as_the_same() -> None:
    with quick_folder() as place:
        place.chmod(0o755)
        desk = begun(place)
        (place / "old").rename(place / "new")
        with (
            unreadable(place / "new/docs/0.md"),
            pytest.raises(SourceError, match="files that cannot be read do not count"),
        ):
            desk.run("new/docs")
        (report,) = desk.run("new/docs")
        assert report.unchanged == 3


def test_a_source_without_documents_moves_to_a_folder_of_its_name(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("old/docs/picture.bin", "no document")
    desk.run("old/docs", course="ml")
    assert desk.records() == {}
    (tmp_path / "old").rename(tmp_path / "new")
    desk.write("new/docs/a.md", "# Lamp\n\nIt shines.\n")
    desk.run("new/docs")
    assert list(desk.records()) == ["a.md"]
    assert desk.sources()["docs"].attributes == {"course": "ml"}
    assert len(desk.said("source_moved")) == 1


def test_a_given_name_takes_over_what_has_other_content(tmp_path: Path) -> None:
    desk = begun(tmp_path)
    (tmp_path / "old").rename(tmp_path / "unmounted")
    desk.write("new/docs/b.md", "# Lamp\n\nIt was written again.\n")
    desk.run("new/docs", name="docs")
    assert list(desk.records()) == ["b.md"]
    assert desk.sources()["docs"].attributes == {"course": "ml"}


def test_a_moved_source_may_have_changed_a_little(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for number in range(100):
        desk.write(f"old/docs/{number}.md", f"# Lamp {number}\n\nIt shines.\n")
    desk.run("old/docs")
    (tmp_path / "old").rename(tmp_path / "new")
    for number in range(10):
        desk.write(f"new/docs/{number}.md", f"# Lamp {number}\n\nIt is broken.\n")
    (report,) = desk.run("new/docs")
    assert (report.unchanged, report.changed) == (90, 10)


def test_a_project_that_is_renamed_with_its_index_stays_one_source(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "project")
    desk.write("a.md", "# Lamp\n\nIt shines.\n")
    desk.run(".", course="ml")
    desk.folder = desk.folder.rename(tmp_path / "renamed")
    (report,) = desk.run(".")
    assert (report.source, report.unchanged, report.new) == ("project", 1, 0)
    (source,) = desk.sources().values()
    assert (source.location, source.attributes) == (str(desk.folder), {"course": "ml"})


def test_a_missing_source_says_what_to_do_if_it_was_moved(tmp_path: Path) -> None:
    desk = begun(tmp_path)
    (tmp_path / "old").rename(tmp_path / "new")
    with pytest.raises(SourceError) as caught:
        desk.run()
    assert "if it was moved: pincite index PATH --name docs" in caught.value.hint


def test_a_link_is_followed_once_and_said(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("release/1/a.md", "# Lamp\n\nIt shines.\n")
    (tmp_path / "current").symlink_to("release/1")
    desk.run("current")
    (said,) = desk.said("link_followed")
    assert said.startswith(f"{tmp_path}/current is a link to {tmp_path}/release/1: ")
    assert ": that place is indexed, as 1, " in said
    assert desk.sources()["1"].location == str(tmp_path / "release/1")
    desk.run("release/1")
    assert len(desk.said("link_followed")) == 1


def test_a_link_with_a_name_is_said_to_have_that_name(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("release/1/a.md", "# Lamp\n\nIt shines.\n")
    (tmp_path / "current").symlink_to("release/1")
    desk.run("current", name="project")
    (said,) = desk.said("link_followed")
    assert ": that place is indexed, as project, " in said
    assert list(desk.sources()) == ["project"]


@pytest.mark.parametrize("place", ["old/docs", "old/docs/1.md"])
def test_what_becomes_part_of_a_checkout_keeps_its_paths(tmp_path: Path, place: str) -> None:
    desk = Desk(tmp_path)
    for number in range(3):
        desk.write(f"old/docs/{number}.md", f"# Lamp {number}\n\nIt shines.\n")
    desk.run(place)
    before = desk.records()
    (name,) = desk.sources()
    git(tmp_path / "old", "init", "--quiet")
    desk.write("old/docs/1.md", "# Lamp 1\n\nIt is off.\n")
    (report,) = desk.run()
    assert (report.changed, report.unchanged) == (1, len(before) - 1)
    (report,) = desk.run(place)
    assert report.unchanged == len(before)
    assert desk.records().keys() == before.keys()
    (said,) = desk.said("not_in_checkout")
    assert f"pincite collections forget {name}" in said
    asyncio.run(desk.index.forget("main", name))
    desk.run(place)
    ((root, source),) = desk.sources().items()
    assert (root, source.kind) == ("old", "git")
    assert all(path.startswith("docs/") for path in desk.records())
