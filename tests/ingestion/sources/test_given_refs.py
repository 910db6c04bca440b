"""A ref that was given for a source is that of the content which the source had then."""

from __future__ import annotations

import asyncio
import zipfile
from pathlib import Path

import pytest

from pincite.errors import SourceError
from pincite.model.revisions import content_ref, dirty_ref
from pincite.readers import content_hash_of
from pincite.support.fields import replace
from tests.ingestion.desk import Desk
from tests.sources.helpers import commit, git


def refs(desk: Desk) -> dict[str, str]:
    return {path: one.ref for path, one in desk.records().items()}


def content(folder: Path, path: str) -> str:
    return content_ref(content_hash_of((folder / path).read_bytes()))


def dirty(commit: str, folder: Path, path: str) -> str:
    return dirty_ref(commit, content_hash_of((folder / path).read_bytes()))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.write("docs/lamp.md", "# Lamps\n\nThey shine.\n")
    desk.write("docs/bulb.md", "# Bulbs\n\nThey glow.\n")
    return desk


@pytest.mark.parametrize("again", [(), ("docs",)])
def test_what_changed_since_is_cited_by_its_content(
    desk: Desk, tmp_path: Path, again: tuple[str, ...]
) -> None:
    desk.run("docs", ref="v1")
    assert refs(desk) == {"lamp.md": "v1", "bulb.md": "v1"}
    desk.write("docs/lamp.md", "# Lamps\n\nThey are off.\n")
    desk.write("docs/new.md", "# New\n\nIt is new.\n")
    desk.run(*again)
    changed = {path: content(tmp_path / "docs", path) for path in ("lamp.md", "new.md")}
    assert refs(desk) == {"bulb.md": "v1", **changed}
    desk.write("docs/bulb.md", "# Bulbs\n\nThey glow.\n")  # with another time
    desk.run(*again)
    assert refs(desk) == {"bulb.md": "v1", **changed}
    desk.run("docs", ref="v2")
    assert set(refs(desk).values()) == {"v2"}


def test_a_run_that_goes_on_without_the_ref_says_so(desk: Desk) -> None:
    desk.run("docs", ref="v1")
    (info,) = asyncio.run(desk.index.collections())
    asyncio.run(desk.index.put_source("main", replace(info.sources[0], complete=False)))
    desk.write("docs/left.md", "# Left\n\nIt was not reached.\n")
    desk.run()
    (said,) = desk.said("ref_not_given")
    assert said.endswith(f"pincite index {desk.folder}/docs --ref v1")
    desk.run()
    assert len(desk.said("ref_not_given")) == 1
    desk.run("docs", ref="v1")
    assert set(refs(desk).values()) == {"v1"}


def test_a_ref_of_the_settings_is_given_once(desk: Desk, tmp_path: Path) -> None:
    desk.write("pincite.toml", '[[source]]\npath = "docs"\nref = "v1"\n')
    desk.run()
    desk.write("docs/lamp.md", "# Lamps\n\nThey are off.\n")
    desk.run()
    assert refs(desk) == {"bulb.md": "v1", "lamp.md": content(tmp_path / "docs", "lamp.md")}
    desk.write("pincite.toml", '[[source]]\npath = "docs"\nref = "v2"\n')
    desk.run()
    assert set(refs(desk).values()) == {"v2"}


def test_in_a_checkout_what_changed_is_of_its_commit(desk: Desk, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    first = commit(tmp_path)
    desk.run("docs", ref="v1")
    desk.write("docs/lamp.md", "# Lamps\n\nThey are off.\n")
    desk.run()
    assert refs(desk) == {
        "docs/bulb.md": "v1",
        "docs/lamp.md": dirty(first, tmp_path, "docs/lamp.md"),
    }
    second = commit(tmp_path)
    desk.run()
    assert refs(desk) == {"docs/bulb.md": "v1", "docs/lamp.md": second}


def test_an_abbreviated_commit_is_compared_and_a_branch_is_its_commit(
    desk: Desk, tmp_path: Path
) -> None:
    git(tmp_path, "init", "--quiet", "-b", "main")
    first = commit(tmp_path)
    desk.write("docs/lamp.md", "# Lamps\n\nThey are off.\n")
    second = commit(tmp_path)
    desk.run("docs", ref=first[:7])
    assert refs(desk) == {"docs/bulb.md": first[:7], "docs/lamp.md": second}
    for name in ("HEAD", "main", "refs/heads/main"):
        desk.run("docs", ref=name)
        assert set(refs(desk).values()) == {second}
    for name in ("HEAD~1", "main^", "main@{1}"):
        with pytest.raises(SourceError, match="is not a name of a revision") as seen:
            desk.run("docs", ref=name)
        assert seen.value.hint == f"give its commit: git rev-parse {name}"


@pytest.mark.parametrize("annotated", [False, True])
def test_a_tag_is_not_that_of_content_which_it_has_not(
    desk: Desk, tmp_path: Path, *, annotated: bool
) -> None:
    git(tmp_path, "init", "--quiet")
    first = commit(tmp_path)
    git(tmp_path, "tag", *(("-a", "-m", "The first.") if annotated else ()), "v1")
    desk.write("docs/lamp.md", "# Lamps\n\nThey are off.\n")
    desk.run("docs", ref="v1")
    assert refs(desk) == {
        "docs/bulb.md": "v1",
        "docs/lamp.md": dirty(first, tmp_path, "docs/lamp.md"),
    }
    second = commit(tmp_path)
    desk.run("docs", ref="v1")
    assert refs(desk) == {"docs/bulb.md": "v1", "docs/lamp.md": second}
    desk.run("docs", ref="no such tag")
    assert set(refs(desk).values()) == {"no such tag"}


@pytest.mark.parametrize(("file", "recorded"), [("acme.zip", None), ("acme-2.0.zip", "2.0")])
def test_of_another_archive_the_recorded_version_counts(
    tmp_path: Path, file: str, recorded: str | None
) -> None:
    desk = Desk(tmp_path)

    def pack(lamp: str) -> None:
        with zipfile.ZipFile(tmp_path / file, "w") as archive:
            archive.writestr("lamp.md", lamp)
            archive.writestr("bulb.md", "# Bulbs\n\nThey glow.\n")

    pack("# Lamps\n\nThey shine.\n")
    desk.run(file, ref="v1")
    assert set(refs(desk).values()) == {"v1"}
    pack("# Lamps\n\nThey are off.\n")
    desk.run()
    of_content = content_ref(content_hash_of(b"# Lamps\n\nThey are off.\n"))
    assert refs(desk) == {"bulb.md": "v1", "lamp.md": recorded or of_content}


def test_content_that_is_indexed_again_keeps_its_ref(desk: Desk) -> None:
    desk.run("docs", ref="v1")
    desk.run(rebuild=True)
    assert set(refs(desk).values()) == {"v1"}


def test_a_commit_that_cannot_be_read_costs_no_file_its_revision(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = commit(tmp_path)
    desk.run(".")
    desk.write("docs/bulb.md", "# Bulbs\n\nThey are out.\n")
    later = commit(tmp_path)
    with monkeypatch.context() as without_git:
        without_git.setenv("PATH", "")
        desk.run(".")
        bulb = content(tmp_path, "docs/bulb.md")
        assert refs(desk) == {"docs/lamp.md": earlier, "docs/bulb.md": bulb}
        (said,) = desk.said("commit_unread")
        assert f"commit {later[:12]} of " in said
    desk.run(".")
    assert set(refs(desk).values()) == {later}
    assert len(desk.said("commit_unread")) == 1
