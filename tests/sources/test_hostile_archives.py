"""Archives that are made to hide their rules, to end the run, or to take very long."""

from __future__ import annotations

import tarfile
import time
from typing import TYPE_CHECKING

import pytest

from pincite.sources import Skipped, SourceLimits, archived_tree, open_source, walk
from pincite.sources.match_time import MatchTime
from pincite.support.ignore_rules import parse_rules
from tests.sources.archives import add, tarred, zipped
from tests.sources.helpers import listed, opened, plant, skipped

if TYPE_CHECKING:
    from pathlib import Path

SLOW = "".join(f"*{number}*x*y*{number}\n" for number in range(10_000))


def test_many_patterns_over_deep_folders_have_a_limit(tmp_path: Path) -> None:
    """They took 74 s, where reading the patterns and matching one path takes 1 s."""
    began_s = time.process_time()
    rules = parse_rules("", SLOW.splitlines(keepends=True))
    assert rules is not None
    assert rules.verdict("d0/" + "a/" * 400) is None
    once_s = time.process_time() - began_s
    files = {f"d{number}/" + "a/" * 400 + "a.py": "x" for number in range(2)}
    place = tarred(tmp_path / "a.tar.gz", {".gitignore": SLOW, "b.py": "x", **files})
    began_s = time.process_time()
    with open_source(place, limits=SourceLimits(max_ratio=10_000)) as source:
        found = list(source.entries())
        assert source.find("b.py") in found
        assert source.find(next(iter(files))) is None
    assert time.process_time() - began_s < 40 * once_s
    assert [one.path for one in found if not isinstance(one, Skipped)] == ["b.py"]
    last = found[-1]
    assert isinstance(last, Skipped)
    assert (last.code, last.of_archive) == ("oversize", True)
    assert "too long" in last.detail


def test_members_of_one_folder_do_not_match_its_folders_again(tmp_path: Path) -> None:
    deep = "a/" * 60
    names = [f"{deep}{number}.py" for number in range(20)]
    patterns = "".join(f"*{number}*x*y*\n" for number in range(3000))
    place = tarred(tmp_path / "a.tar.gz", {".gitignore": patterns, **dict.fromkeys(names, "x")})
    with open_source(place, limits=SourceLimits()) as source:
        began_s = time.process_time()
        assert source.find(names[0])
        first_s = time.process_time() - began_s
        assert all(map(source.find, names[1:]))
        assert time.process_time() - began_s < 5 * first_s


def test_a_folder_whose_names_take_too_long_to_match_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "_MOST_S", 0.5)
    deep = "a/" * 150
    plant(tmp_path, {".gitignore": SLOW, "b.md": "x", f"{deep}secret.md": "x"})
    with opened(tmp_path) as source:
        document, left = sorted(source.entries(), key=lambda one: isinstance(one, Skipped))
    assert document.path == "b.md"
    assert isinstance(left, Skipped)
    assert left.code == "oversize"
    assert left.path.startswith("a/")
    assert "shorten" in left.detail


#: Patterns that try up to 700 characters at each position of a name, and then all of them again.
RETRIED = "".join(f"*{'[a-z]' * 700}{number}b*c\n" for number in range(10))


def test_patterns_that_are_tried_at_every_position_have_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archive of 1,065 bytes took 12 s: it was charged as if each were `*.md`."""
    monkeypatch.setattr(archived_tree, "_MOST_S", 0.5)
    names = ["a" * 4_000 + f"{number:04}.md" for number in range(40)]
    files = {".gitignore": RETRIED, **dict.fromkeys(names, "x")}
    with opened(tarred(tmp_path / "a.tar.gz", files)) as source:
        *members, last = source.entries()
    assert len(members) < len(names)
    assert isinstance(last, Skipped)
    assert (last.code, last.of_archive) == ("oversize", True)


@pytest.mark.parametrize(
    ("path", "patterns"), [("a" * 4_000, RETRIED), ("d/a.py", "x\n")], ids=["name", "folder"]
)
def test_one_member_is_not_matched_above_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, patterns: str
) -> None:
    """A folder brings no time of its own, and a member only a little."""
    with opened(tarred(tmp_path / "a.tar", {".gitignore": patterns, path: "x"}, "w")) as source:
        monkeypatch.setattr(archived_tree, "_MOST_S", 0)
        assert source.find(path) is None
        left = source.left_out(path)
    assert left is not None
    assert left.code == "oversize"


def test_each_name_of_a_folder_brings_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "_MOST_S", 0)
    plant(tmp_path, {".gitignore": "*.log\n", "a.md": "x", "inner/b.md": "x", "inner/b.log": "x"})
    with opened(tmp_path) as source:
        assert listed(source) == ["a.md", "inner/b.md"]


def test_the_time_of_a_pattern_grows_with_what_is_tried_at_every_position() -> None:
    usual = ["build/", "*.log", "*.py[co]", "/docs/**", "docs/api/*.md", "**/build", "a[a-z]" * 9]
    usual += ["**/node_modules/", "[Bb]in/", "!*.egg-info", "a" * 200, "*", "a/" * 200 + "b"]
    rules = parse_rules("", usual)
    assert rules is not None
    assert (rules.patterns, rules.retried) == (len(usual), 1)  # of `*.py[co]`
    assert MatchTime(0.02, 0).pays((rules,), ["x" * 250] * 1_000, 0)
    for slow in (
        "*" + "[a-z]" * 100 + "b", "*" + "a" * 100 + "*c", "**/" + "a/" * 100 + "b",
        "x/*" + "?" * 100, "a**/" + "b/" * 100 + "**/c", "*/".join(["**/", *"a" * 100]),
    ):  # fmt: skip
        found = parse_rules("", [slow])
        assert found is not None
        assert found.retried > 80
        assert not MatchTime(0.02, 0).pays((found,), ["x" * 250] * 1_000, 0)


def test_the_rest_of_a_path_is_not_tried_at_every_folder() -> None:
    """These took 30 ms each."""
    rules = parse_rules("", [f"**/[{number}a]/**/" for number in range(1_000)])
    assert rules is not None
    began_s = time.process_time()
    assert rules.verdict("a/" * 2_000 + "x") is None
    assert time.process_time() - began_s < 10
    assert rules.verdict("b/a/x/") is True
    assert rules.verdict("b/a/") is None


def test_the_others_of_a_folder_are_not_matched_to_find_one(tmp_path: Path) -> None:
    names = [f"{'a' * 240}{number}.md" for number in range(40)]
    lines = [f"*{'[a-z]' * 200}{number}b*c" for number in range(30)]
    plant(tmp_path, {".gitignore": "\n".join(lines), "b.md": "x", **dict.fromkeys(names, "x")})
    parse_rules("", lines)  # the expressions are compiled once
    with opened(tmp_path) as source:
        began_s = time.process_time()
        assert source.find("b.md")
        one_s = time.process_time() - began_s
        began_s = time.process_time()
        assert len(listed(source)) == 41
        assert one_s < (time.process_time() - began_s) / 2


def test_a_large_ordinary_tree_is_matched(tmp_path: Path) -> None:
    """As many files as in the largest repositories: 500,000 in folders of 100."""
    rules = parse_rules("", [f"{name}{number}" for number in range(40) for name in (
        "build/", "*.log", "/out/", "*.py[co]", "node_modules/")])  # fmt: skip
    assert rules is not None
    path = "packages/module/src/main/java/org/example/project/component/internal/impl/" + "A" * 24
    assert len(path) == 98
    for most_s, each_us, paths in ((20, 1_000, 500_000), (5, 125, 200_000)):
        allowed = MatchTime(most_s, each_us)
        assert all(allowed.pays((rules,), [path] * 100, 100) for _ in range(paths // 100))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("name", ["a.md", ".gitignore"])
def test_a_link_hides_no_member_of_the_same_name(
    tmp_path: Path, name: str, order: tuple[int, int]
) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for kind in order:
            if kind:
                add(archive, name, kind=tarfile.SYMTYPE)
            else:
                add(archive, name, "secret.py\n")
        add(archive, "secret.py")
        add(archive, "b.py")
    with opened(tmp_path / "a.tar") as source:
        expected = ["a.md", "b.py", "secret.py"] if name == "a.md" else ["b.py"]
        assert listed(source) == expected
        if name == "a.md":
            assert skipped(source) == {"a.md": "link"}
            assert source.find("a.md")


@pytest.mark.parametrize("text", ["secret.py\n", "#" * 1_000_001])
def test_a_link_beside_the_single_folder_hides_no_ignore_file_in_it(
    tmp_path: Path, text: str
) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        add(archive, ".gitignore", kind=tarfile.SYMTYPE)
        add(archive, "pkg/.gitignore", text)
        add(archive, "pkg/secret.py")
        add(archive, "pkg/b.py")
    with opened(tmp_path / "a.tar") as source:
        assert listed(source) == (["b.py"] if len(text) < 100 else [])


def test_outer_ignore_files_of_an_archive_apply_first(tmp_path: Path) -> None:
    """A large one in a folder that sorts before took the place of the one of the root."""
    files = {"(app)/.gitignore": "#" * 999_995, "(app)/a.py": "x", ".gitignore": "secret.py\n"}
    files |= {"b.py": "x", "secret.py": "x"}
    place = tarred(tmp_path / "a.tar", files, "w")
    with opened(place) as source:
        assert listed(source) == ["b.py"]
        assert skipped(source) == {"(app)/": "oversize", "secret.py": "ignored"}


def test_an_exclude_file_above_the_limit_leaves_its_folder_out(tmp_path: Path) -> None:
    files = {"p/.git/HEAD": "ref: refs/heads/main\n", "p/a.py": "x", "b.py": "x"}
    files["p/.git/info/exclude"] = "secret.py\n#" + "x" * 600_000
    files[".gitignore"] = "#" * 600_000
    place = tarred(tmp_path / "a.tar", files, "w")
    with opened(place) as source:
        assert listed(source) == ["b.py"]
        assert skipped(source) == {"p/": "oversize"}
        (left,) = [one for one in source.entries() if isinstance(one, Skipped)]
    assert left.detail.startswith("the ignore files up to p/.git/info/exclude are together above")


@pytest.mark.parametrize("name", [".", "./.", "./", "//", "\\."])
def test_a_member_without_a_name_is_outside(tmp_path: Path, name: str) -> None:
    """Pincite ended with a traceback."""
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        add(archive, "a.py")
        add(archive, name, kind=tarfile.SYMTYPE)
    places = [tmp_path / "a.tar"]
    if not name.endswith("/"):  # a folder
        places.append(zipped(tmp_path / "a.zip", {"a.py": "x", name: "y"}))
    for place in places:
        with opened(place) as source:
            assert listed(source) == ["a.py"]
            assert set(skipped(source).values()) == {"outside"}
