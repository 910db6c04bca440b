"""Patterns of a source that is indexed again are those of the run before, or those given."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import SourceError
from tests.ingestion.desk import Desk
from tests.sources.helpers import git


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    for path in ("lamp.md", "bulb.md", "deep/wire.md", "deep/plug.txt"):
        desk.write(f"docs/{path}", f"# {path}\n\nIt shines.\n")
    return desk


def paths(desk: Desk) -> list[str]:
    return sorted(desk.records())


def test_they_hold_for_the_next_run_over_the_same_folder(desk: Desk) -> None:
    desk.run("docs", include=("*.md",), exclude=("bulb.md",))
    assert paths(desk) == ["deep/wire.md", "lamp.md"]
    desk.run("docs")
    assert paths(desk) == ["deep/wire.md", "lamp.md"]
    desk.run("docs", exclude=("lamp.md",))  # the other kind stays
    assert paths(desk) == ["bulb.md", "deep/wire.md"]
    desk.run("docs", include=("",))
    assert paths(desk) == ["bulb.md", "deep/plug.txt", "deep/wire.md"]
    desk.run("docs", exclude=("",))
    assert paths(desk) == ["bulb.md", "deep/plug.txt", "deep/wire.md", "lamp.md"]
    desk.run("docs")
    assert len(paths(desk)) == 4


def test_a_part_of_a_checkout_that_they_exclude_is_an_error(desk: Desk, tmp_path: Path) -> None:
    git(tmp_path / "docs", "init", "--quiet")
    desk.run("docs", exclude=("deep/", "bulb.md"))
    assert paths(desk) == ["lamp.md"]
    for part in ("docs/deep", "docs/deep/wire.md", "docs/bulb.md"):
        with pytest.raises(SourceError, match="excluded by a pattern") as caught:
            desk.run(part)
        assert caught.value.hint == f"pincite index {tmp_path / part} --exclude ''"
    assert paths(desk) == ["lamp.md"]
    desk.run("docs/deep", exclude=("",))
    assert paths(desk) == ["deep/plug.txt", "deep/wire.md", "lamp.md"]


def test_another_source_of_the_same_checkout_takes_none_of_them_away(
    desk: Desk, tmp_path: Path
) -> None:
    git(tmp_path / "docs", "init", "--quiet")
    desk.run("docs", exclude=("deep/",))
    desk.run("docs/deep/wire.md", name="wire")
    desk.run("docs")
    assert paths(desk) == ["bulb.md", "deep/wire.md", "lamp.md"]
    assert {one.source for one in desk.records().values()} == {"docs", "wire"}


def test_those_of_a_configured_source_are_those_of_its_table(desk: Desk, tmp_path: Path) -> None:
    config = tmp_path / "pincite.toml"
    config.write_text('[[source]]\npath = "docs"\nexclude = ["deep/"]\n')
    desk.run("docs")
    assert paths(desk) == ["bulb.md", "lamp.md"]
    config.write_text('[[source]]\npath = "docs"\n')
    desk.run("docs")
    assert len(paths(desk)) == 4


def test_it_is_said_that_only_some_files_of_a_part_are_included(desk: Desk, tmp_path: Path) -> None:
    git(tmp_path / "docs", "init", "--quiet")
    desk.run("docs", include=("*.md",))
    assert desk.said("include_kept") == []
    desk.run("docs/deep")
    (said,) = desk.said("include_kept")
    assert said.endswith(f"for all: pincite index {tmp_path / 'docs/deep'} --include ''")
    with pytest.raises(SourceError, match="does not match the patterns of docs"):
        desk.run("docs/deep/plug.txt")
    assert "deep/plug.txt" not in paths(desk)
    desk.run("docs/deep", include=("",))
    assert "deep/plug.txt" in paths(desk)
    assert len(desk.said("include_kept")) == 1


def test_a_source_that_has_moved_keeps_them(desk: Desk, tmp_path: Path) -> None:
    desk.run("docs", exclude=("deep/",))
    (tmp_path / "away").mkdir()
    (tmp_path / "docs").rename(tmp_path / "away" / "docs")
    desk.run("away/docs")
    assert paths(desk) == ["bulb.md", "lamp.md"]
