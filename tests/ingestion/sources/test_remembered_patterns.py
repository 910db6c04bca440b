"""Patterns of a source that is indexed again are those of the run before, or those given."""

from __future__ import annotations

import shlex
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pincite.errors import SourceError
from pincite.sources import archive
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
    desk.run("docs", exclude=("deep/",))
    for part in ("docs/deep", "docs/deep/wire.md"):
        with pytest.raises(SourceError, match="excluded by a pattern") as caught:
            desk.run(part)
        assert caught.value.hint == f"pincite index {tmp_path / part} --exclude ''"
    assert paths(desk) == ["bulb.md", "lamp.md"]
    desk.run("docs/deep", exclude=("",))
    assert paths(desk) == ["bulb.md", "deep/plug.txt", "deep/wire.md", "lamp.md"]


def test_its_hint_keeps_the_patterns_that_do_not_exclude_it(desk: Desk, tmp_path: Path) -> None:
    desk.write("my docs/deep/wire.md", "# Wire\n\nIt glows.\n")
    desk.write("my docs/secrets/key.md", "# Key\n\nNobody may read it.\n")
    git(tmp_path / "my docs", "init", "--quiet")
    desk.run("my docs", exclude=("deep/", "!deep/none.md", "secrets/"))
    with pytest.raises(SourceError, match="of the source my docs: deep/\n") as caught:
        desk.run("my docs/deep")
    command, index, place, *options = shlex.split(str(caught.value.hint))
    assert (command, index, place) == ("pincite", "index", str(tmp_path / "my docs/deep"))
    assert options == ["--exclude", "!deep/none.md", "--exclude", "secrets/"]
    desk.run("my docs/deep", exclude=tuple(options[1::2]))
    desk.run("my docs")
    assert paths(desk) == ["deep/wire.md"]


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
    place = tmp_path / "docs/deep"
    assert said.endswith(f"for all: pincite index {place} --include '*.md' --include /deep/")
    with pytest.raises(SourceError, match="does not match the patterns of docs") as caught:
        desk.run("docs/deep/plug.txt")
    fix = f"pincite index {place / 'plug.txt'} --include '*.md' --include /deep/plug.txt"
    assert caught.value.hint == fix
    assert "deep/plug.txt" not in paths(desk)
    for kept in ("/deep/", "/deep/plug.txt"):
        desk.run("docs/deep", include=("*.md", kept))
        desk.run("docs")
        assert paths(desk) == ["bulb.md", "deep/plug.txt", "deep/wire.md", "lamp.md"]
    assert len(desk.said("include_kept")) == 1


def test_a_change_over_a_part_names_the_command_for_the_other_files(
    desk: Desk, tmp_path: Path
) -> None:
    git(tmp_path / "docs", "init", "--quiet")
    desk.run("docs/deep", include=("*.md",))
    desk.run("docs/deep", include=("*.txt",))
    assert desk.said("part_only") == []
    desk.run("docs")
    desk.run("docs/deep", include=("*.txt", "/deep/"))
    assert desk.said("part_only") == []
    desk.run("docs/deep", exclude=("lamp.md",))
    (said,) = desk.said("part_only")
    assert "patterns of docs have changed" in said
    assert said.endswith(f": pincite index {tmp_path / 'docs'}")


@pytest.mark.parametrize("pattern", ["deep/**", "deep/*", "/deep/", "*", "**/*"])
def test_patterns_that_leave_nothing_of_a_part_out_are_not_mentioned(
    desk: Desk, tmp_path: Path, pattern: str
) -> None:
    git(tmp_path / "docs", "init", "--quiet")
    desk.run("docs", include=(pattern,))
    desk.run("docs/deep")
    assert desk.said("include_kept") == []
    assert {"deep/plug.txt", "deep/wire.md"} <= set(paths(desk))


def test_the_hint_for_a_file_that_they_do_not_include_names_it_with_escapes(
    desk: Desk, tmp_path: Path
) -> None:
    desk.write("docs/[id]*.txt", "It glows.\n")
    desk.write("docs/i1.txt", "It does not.\n")
    git(tmp_path / "docs", "init", "--quiet")
    desk.run("docs", include=("*.md",))
    with pytest.raises(SourceError) as caught:
        desk.run("docs/[id]*.txt")
    desk.run("docs", include=tuple(shlex.split(str(caught.value.hint))[4::2]))
    assert paths(desk) == ["[id]*.txt", "bulb.md", "deep/wire.md", "lamp.md"]


def test_a_known_source_is_opened_once_with_them(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for site in ("all", "some"):
        with zipfile.ZipFile(tmp_path / f"{site}.zip", "w") as file:
            for name in ("lamp.md", "bulb.md"):
                file.writestr(f"{site}/{name}", "# Lamps\n\nThey shine.\n")
    desk.run("all.zip")
    desk.run("some.zip", exclude=("bulb.md",))
    opens, opened = archive.open_archive, []

    def counted(place: Path, **options: Any) -> archive.ArchiveSource:
        opened.append(place.stem)
        return opens(place, **options)

    monkeypatch.setattr(archive, "open_archive", counted)
    desk.run("all.zip", "some.zip")  # the first one is also opened to read it early
    assert opened.count("some") == 1
