"""What git ignores, asked without a walk, as git answers and in a limited time."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from pincite.sources.git_ignored import GitIgnored
from tests.sources.helpers import git, plant

if TYPE_CHECKING:
    from pathlib import Path

PLACES = ("a.md", "build", "build/a.md", "doc/x.log", "doc/deep/b.md", "sub/deep", "é/a b", "#odd")
LINES = (
    "*.log", "build", "build/", "/build", "doc/*.md", "**/deep", "**/deep/", "sub/**", "a.*",
    "[ab].md", "x?log", "/sub/deep/", "doc/**/b.md", "\\#odd", "#odd", "doc/", "doc/*\n!doc/deep",
    "*\n!a.md", "!a.md\na.md\n!a.md", "**", "é", "?", "a\\ b", "a b  ", "a b\r", "/é/a*", "[a", "",
)  # fmt: skip


def ignored(root: Path) -> list[str]:
    asked = GitIgnored(root.resolve())
    return [place for place in PLACES if asked.has(root.resolve() / place)]


@pytest.mark.parametrize("lines", LINES)
@pytest.mark.parametrize("file", [".gitignore", ".git/info/exclude"])
def test_it_answers_as_git_does(tmp_path: Path, lines: str, file: str) -> None:
    plant(tmp_path, {place: "x" for place in PLACES if place not in ("build", "sub/deep")})
    (tmp_path / "sub/deep").mkdir(parents=True)
    git(tmp_path, "init", "-q")
    (tmp_path / file).write_text(f"{lines}\n", encoding="utf-8")
    command = ["git", "-C", str(tmp_path), "check-ignore", "--no-index", "--stdin", "-z"]
    done = subprocess.run(command, input="\0".join(PLACES).encode(), capture_output=True)
    assert ignored(tmp_path) == [one for one in done.stdout.decode().split("\0") if one]


def test_rules_of_a_nested_checkout_and_of_the_one_around_it_apply(tmp_path: Path) -> None:
    """Only in submodules and linked worktrees the innermost rules apply alone
    (`test_nested_checkouts.py`)."""
    plant(tmp_path, {"sub/keys/a": "x", "sub/own/a": "x", "sub/docs/a": "x", "other/sub/a": "x"})
    for folder in (tmp_path, tmp_path / "sub", tmp_path / "other/sub"):
        git(folder, "init", "-q")
    (tmp_path / ".gitignore").write_text("own\nother\n")
    (tmp_path / "sub/.git/info/exclude").write_text("keys\n")
    (tmp_path / "sub/.gitignore").write_text("!own\n")
    asked = GitIgnored(tmp_path.resolve())
    places = ("sub/keys", "sub/own", "sub/docs", "other/sub")
    assert [asked.has(tmp_path.resolve() / one) for one in places] == [True, True, False, True]


def test_rules_from_above_a_folder_apply_but_do_not_ignore_it(tmp_path: Path) -> None:
    plant(tmp_path, {"vendor/lamp/keys/a": "x", "vendor/lamp/docs/a": "x"})
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("vendor/\nkeys/\n")
    place = tmp_path.resolve() / "vendor/lamp"
    asked = GitIgnored(place)
    assert [asked.has(place / one) for one in ("keys", "docs", "none", "../lamp", ".")] == [
        True, False, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line", ["?{}*", "*a" * 100 + "b{}*", "{}*", "[!{}]*[!b]?*", "**/" + "*a*/**/" * 20 + "{}*"]
)
def test_ignore_files_of_others_take_no_time(tmp_path: Path, line: str) -> None:
    """A file of just under a megabyte took 8 s, once for each source."""
    lines = [line.format(number) for number in range(900_000 // (len(line) + 8))]
    (tmp_path / ".gitignore").write_text("\n".join(lines))
    deep = "/".join(["a" * 30] * 40)
    (tmp_path / deep).mkdir(parents=True)
    asked = GitIgnored(tmp_path.resolve())
    began_s = time.process_time()
    found = {asked.has(tmp_path.resolve() / one) for one in ["a" * 30, deep] * 500}
    assert time.process_time() - began_s < 5
    assert found == {None}, "it gives up, and stays with that"


def test_many_plain_lines_are_judged(tmp_path: Path) -> None:
    lines = [f"lamp{number}" for number in range(50_000)]
    (tmp_path / ".gitignore").write_text("\n".join(lines))
    (tmp_path / "lamp7").mkdir()
    (tmp_path / "wick").mkdir()
    asked = GitIgnored(tmp_path.resolve())
    assert [asked.has(tmp_path.resolve() / one) for one in ("lamp7", "wick")] == [True, False]


def test_an_ignore_file_above_a_megabyte_gives_no_answer(tmp_path: Path) -> None:
    plant(tmp_path, {".gitignore": "*.md\n" * 300_000, "a/b": "x"})
    assert GitIgnored(tmp_path.resolve()).has(tmp_path.resolve() / "a") is None
