"""What stands in the way of a release is said before anything is built."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from release.ready import ROOT, linked, main, misplaced, problems, version_of

CHANGES = "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2030-01-02\n\n### Added\n\n#### A topic\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for path in ("pyproject.toml", "release/model/pyproject.toml"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    (tmp_path / "src/pincite").mkdir(parents=True)
    (tmp_path / "src/pincite/version.py").write_text('VERSION = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(CHANGES)
    return tmp_path


@pytest.fixture
def repository(tree: Path) -> str:
    (one,) = linked(tree / "pyproject.toml")
    return one


def test_a_tree_whose_tag_changes_and_links_agree_has_no_problem(
    tree: Path, repository: str
) -> None:
    assert problems(tree, "v1.2.0", repository) == ()


def test_another_tag_is_a_problem(tree: Path, repository: str) -> None:
    (found,) = problems(tree, "v1.3.0", repository)
    assert "v1.3.0" in found
    assert "v1.2.0" in found


def test_a_version_without_changes_or_date_is_a_problem(tree: Path, repository: str) -> None:
    (tree / "CHANGELOG.md").write_text(CHANGES.replace(" - 2030-01-02", ""))
    assert any("YYYY-MM-DD" in one for one in problems(tree, "v1.2.0", repository))


def test_a_fork_cannot_publish_a_page_that_links_elsewhere(tree: Path) -> None:
    found = problems(tree, "v1.2.0", "somebody/fork")
    assert [one.split()[0] for one in found] == ["pyproject.toml", "release/model/pyproject.toml"]


def test_the_changelog_of_this_project_has_the_form() -> None:
    assert misplaced((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")) == ()


def test_headings_that_are_no_version_and_no_kind_of_change_are_named() -> None:
    found = misplaced("## Unreleased\n### Improvements\n## [1.0] - today\n### Fixed\n")
    assert len(found) == 3


def test_the_command_says_what_is_wrong_and_ends_with_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--tag", "v0.0.0.dev0", "--repository", "somebody/fork"]) == 1
    assert f"v{version_of(ROOT)}" in capsys.readouterr().err
