"""What we leave out is what git leaves out, asked on generated trees."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pincite.support.ignore_rules import parse_rules
from tests.sources.helpers import commit, git, listed, opened, plant, skipped

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("a.md", "b.md", "build", "doc", "x.log", "sub", "deep")
PATTERNS = (
    "*.log", "build", "build/", "/build", "doc/*.md", "**/deep", "sub/**", "!a.md", "!build/",
    "!sub/a.md", "*", "!*/", "a.*", "[ab].md", "x?log", "/sub/deep/", "deep/**/b.md", "# comment",
    "\\#odd", "doc/", "!doc", "sub/*", "**/sub/a.md", "trailing   ", "*.md/", "/*", "a.md ", "",
    "!", "/", "**", "**/", "/**", "[!x]*.md", "[[:alpha:]].md", "[a-", "*[]]*", "d?c",
    "su*/**/b.md", "**b.md", "sub**", "\\a.md", "a.md\\ ",
    "*e*p*", "**/*e*/**/a.md", "?*.*d", "**/**/b.md", "*u*b/*a*d", "[d-s]*e*", "**/d*/**/*.md",
)  # fmt: skip
LINES = st.lists(st.sampled_from(PATTERNS), max_size=5).map("\n".join)
FOLDERS = st.sampled_from(["", "sub/", "doc/", "build/", "sub/deep/"])
FILES = ["a.md", "b.md", "x.log", "sub/a.md", "sub/x.log", "sub/deep/a.md", "sub/deep/b.md",
         "doc/a.md", "doc/deep/b.md", "build/a.md", "build/sub/a.md", "deep/sub/b.md", "xylog/a.md",
         "#odd", "trailing", "sub/build"]  # fmt: skip


@given(LINES, FOLDERS, LINES, FOLDERS, LINES, LINES)
@example("!a.md", "", "", "", "", "sub/*")
@example("!build/", "", "", "", "", "/**")
@example("!build/", "", "", "", "", "/**/")
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_generated_trees_are_listed_as_git_lists_them(
    tmp_path_factory: pytest.TempPathFactory,
    top: str,
    one: str,
    in_one: str,
    two: str,
    in_two: str,
    excluded: str,
) -> None:
    root = tmp_path_factory.mktemp("tree")
    plant(root, dict.fromkeys(FILES, "x"))
    plant(root, {f"{two}.gitignore": in_two})
    plant(root, {f"{one}.gitignore": in_one})
    plant(root, {".gitignore": top})
    git(root, "init", "-q")
    plant(root, {".git/info/exclude": excluded})
    seen = git(root, "ls-files", "-z", "--others", "--exclude-standard").split("\0")
    expected = sorted(each for each in seen if each and ".gitignore" not in each)
    with opened(root) as source:
        assert listed(source) == expected


CLASSES = (
    "[\\d]", "[\\w-z]", "[a-\\c]", "[\\]]", "[[:foo:]a]", "[a\\-z]", "[b-a]", "[a-]", "[--0]",
    "[!!]", "[^^]", "[[:digit:]-z]", "[a&&b]", "[a-c-e]", "[[:space:]]", "[]-]", "[[:d]",
    "[|~~]", "[a", "[\\", "***/a", "x/***/a", "x/***", "/***", "***", "***/",
)  # fmt: skip
PLACES = (*"abcdewyz0159-!^&~|[]\\ \x1c", "x/a", "x/y/a", "x/b", "xa", "xx/a", "f/")


def ignored_by_git(folder: Path, pattern: str, places: tuple[str, ...]) -> list[str]:
    git(folder, "init", "-q")
    (folder / ".gitignore").write_text(f"{pattern}\n", encoding="utf-8")
    command = ["git", "-C", str(folder), "check-ignore", "--no-index", "--stdin", "-z"]
    names = "\0".join(places).encode()
    done = subprocess.run(command, input=names, capture_output=True, check=False)
    return [each for each in done.stdout.decode().split("\0") if each]


def ignored_here(pattern: str, places: tuple[str, ...]) -> list[str]:
    rules = parse_rules("", [pattern])
    return [each for each in places if rules is not None and rules.covers(each)]


@pytest.mark.parametrize("pattern", CLASSES)
def test_classes_and_runs_of_stars_match_as_in_git(tmp_path: Path, pattern: str) -> None:
    assert ignored_here(pattern, PLACES) == ignored_by_git(tmp_path, pattern, PLACES)


@pytest.mark.parametrize(
    "pattern", ["a\0b", "b\0", "\0c", "y \0", "z\\ \0x", "#\0a", "d\0\r", "!\0"]
)
def test_a_line_ends_at_a_nul_byte_as_in_git(tmp_path: Path, pattern: str) -> None:
    places = (*"abcdexyz", "z ", "y ")
    assert ignored_here(pattern, places) == ignored_by_git(tmp_path, pattern, places)


#: Stars after the first characters of a name, escaped marks, and characters of several bytes.
PREFIXED = (
    "/ab**/a", "b***/x*/", "a**/[ab]", "ab**/secret.md", "/ab**", "/ab**/**", "ab**/*", "ab**/*/a",
    "b/a**/a", "a**/**/a", "/a**b/a", "a**\\/a", "**\\/a", "?b**/a", "\\ab**/a", "*b**/a", "ab*/a",
    "a\\\\ ", "a\\\\\\ ", "a\\  ",
    "?", "??", "x/?", "[!a]", "[^b]", "é", "\\é", "[é]", "é*/a", "*é",
)  # fmt: skip
DEEPER = (
    "a", "b", "é", "éa", "xé", "x/é", "x/b", "a ", "a\\", "a\\ ", "ab", "aba", "ab/a", "abx/a",
    "ab/x/a", "abx/y/a", "abx/y/b", "ab/secret.md", "abx/y/secret.md", "bx/xa/b", "bb/x/xa/b",
    "b/aa", "b/ax/a", "b/a/x/y/a", "x/y/a", "éx/a", "b/x/ab/a",
)  # fmt: skip


@pytest.mark.parametrize("pattern", PREFIXED)
def test_stars_inside_of_names_and_characters_of_several_bytes_match_as_in_git(
    tmp_path: Path, pattern: str
) -> None:
    assert ignored_here(pattern, DEEPER) == ignored_by_git(tmp_path, pattern, DEEPER)


def test_rules_of_a_folder_whose_name_is_not_ascii_apply_in_it(tmp_path: Path) -> None:
    plant(tmp_path, {"é/.gitignore": "/a?.md\n", "é/ab.md": "x", "é/aé.md": "x", "ab.md": "x"})
    with opened(tmp_path) as source:
        assert listed(source) == ["ab.md", "é/aé.md"]


def test_a_mark_of_the_encoding_is_no_part_of_the_first_pattern(tmp_path: Path) -> None:
    plant(tmp_path, {".gitignore": b"\xef\xbb\xbfa.md\n", "a.md": "x", "b.md": "x"})
    with opened(tmp_path) as source:
        assert listed(source) == ["b.md"]


def test_ignored_folders_are_named_once_and_not_entered(tmp_path: Path) -> None:
    plant(tmp_path, {".gitignore": "build/\n*.log\n", "build/a.md": "x", "a.log": "x", "a.md": "x"})
    with opened(tmp_path) as source:
        assert listed(source) == ["a.md"]
        assert skipped(source) == {"build/": "ignored", "a.log": "ignored"}
    with opened(tmp_path, ignore_files=False) as source:
        assert listed(source) == ["a.log", "a.md", "build/a.md"]


def test_our_own_ignore_file_goes_beyond_that_of_git(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            ".gitignore": "*.txt\n", ".pinciteignore": "old/\n!keep.txt\n",
            "old/a.md": "x", "keep.txt": "x", "other.txt": "x", "a.md": "x",
        },
    )  # fmt: skip
    with opened(tmp_path) as source:
        assert listed(source) == ["a.md", "keep.txt"]


def test_a_folder_inside_a_checkout_obeys_the_rules_above_it(tmp_path: Path) -> None:
    plant(tmp_path, {".gitignore": "*.log\n/docs/old\n", "docs/a.md": "x", "docs/a.log": "x",
                     "docs/old/b.md": "x", "src/c.md": "x"})  # fmt: skip
    commit(tmp_path)
    with opened(tmp_path / "docs") as source:
        assert listed(source) == ["docs/a.md"]


def test_an_ignore_file_that_is_no_text_or_malformed_stops_nothing(tmp_path: Path) -> None:
    plant(tmp_path, {".gitignore": b"\xff\xfe[\n!\n*.log\n[z-a]\n", "a.log": "x", "a.md": "x"})
    with opened(tmp_path) as source:
        assert listed(source) == ["a.md"]


HOSTILE = (
    "*a" * 25 + "b", "**/a*a*a/" * 25 + "b", "**/" * 500 + "b", "?*" * 120 + "b",
    "[a-z]*" * 300 + "[!a]", "*" * 4000 + "b", "a*/" * 200 + "**/b", "*a" * 2000 + "/b",
    "a" + "**/" * 500 + "b", "aa**/" + "*a*/**/" * 300 + "b", "a" + "**\\/" * 500 + "b",
)  # fmt: skip


@pytest.mark.parametrize("pattern", HOSTILE, ids=[each[:8] for each in HOSTILE])
def test_no_pattern_takes_longer_than_its_length_times_that_of_the_path(
    tmp_path: Path, pattern: str
) -> None:
    deep = "/".join(["a" * 30] * 60)
    plant(tmp_path, {".gitignore": f"{pattern}\n", "a" * 200: "x", f"{deep}/a.md": "x"})
    with opened(tmp_path) as source:
        assert set(listed(source)) == {"a" * 200, f"{deep}/a.md"}
    with opened(tmp_path, ignore_files=False, include=("*",), exclude=(pattern,)) as source:
        assert len(listed(source)) == 2
    with opened(tmp_path, ignore_files=False, include=(pattern,)) as source:
        assert listed(source) == []


def test_a_folder_with_an_ignore_file_of_absurd_size_is_left_out(tmp_path: Path) -> None:
    """Its files were indexed, although the file may exclude them."""
    plant(tmp_path, {"sub/.gitignore": "*.md\n" * 300_000, "sub/a.md": "x", "b.md": "x"})
    with opened(tmp_path) as source:
        assert listed(source) == ["b.md"]
        assert skipped(source) == {"sub/": "oversize"}
        assert source.find("sub/a.md") is None
    with opened(tmp_path / "sub") as source:
        assert listed(source) == []


def _costly(number: int) -> str:
    """Patterns that cost a fifth of the limit by the estimate. They are malformed, so that the test
    takes no time."""
    return "\n".join(f"{number}-{one}[{'a' * 3_900}" for one in range(230))


def test_the_ignore_files_of_a_walk_have_a_limit_together(tmp_path: Path) -> None:
    """100 folders with a megabyte of patterns each took 40 minutes."""
    plant(tmp_path, {f"d{number}/.gitignore": _costly(number) for number in range(8)})
    plant(tmp_path, {f"d{number}/a.md": "x" for number in range(8)})
    plant(tmp_path, {"e/.gitignore": "b.md\n", "e/a.md": "x", "e/b.md": "x"})
    with opened(tmp_path) as source:
        kept, left_out = listed(source), skipped(source)
    assert kept == [*(f"d{number}/a.md" for number in range(5)), "e/a.md"]  # short ones still fit
    assert left_out == {
        "d5/": "oversize",
        "d6/": "oversize",
        "d7/": "oversize",
        "e/b.md": "ignored",
    }


def test_equal_ignore_files_count_once(tmp_path: Path) -> None:
    plant(tmp_path, {f"d{number}/.gitignore": _costly(0) for number in range(8)})
    plant(tmp_path, {f"d{number}/a.md": "x" for number in range(8)})
    with opened(tmp_path) as source:
        assert len(listed(source)) == 8


def test_an_open_class_takes_a_time_that_grows_with_its_length() -> None:
    """For each `[:`, the next `]` was looked for: 16 s for a megabyte of such lines."""
    began_s = time.process_time()
    assert parse_rules("", [f"{number}{'[:' * 2_000}" for number in range(300)]) is None
    assert time.process_time() - began_s < 3


def test_many_patterns_take_a_time_that_grows_with_their_number() -> None:
    """A path that one of 20,000 patterns matched took a second. The limit guards against that."""
    lines = [*(f"lamp{number}" for number in range(20_000)), "!lamp7"]
    began_s = time.process_time()
    rules = parse_rules("lamps/", lines)
    assert rules is not None
    verdicts = [rules.verdict(f"lamps/lamp{number}") for number in range(300)]
    assert verdicts == [number != 7 for number in range(300)]
    assert rules.verdict("lamps/wick") is None
    assert time.process_time() - began_s < 60


def test_of_equal_patterns_only_the_last_is_matched() -> None:
    """2,000 equal lines cost 3 ms for each path, in each of four walks of a run."""
    rules = parse_rules("", ["*.md", *["*a*a*b"] * 2_000, "!*.md", "*a*a*b", "x.md"])
    assert rules is not None
    assert [len(ignored) for _, ignored in rules.blocks] == [3]
    assert rules.verdict("a.md") is False
    assert rules.verdict("x.md") is True
    assert rules.verdict("aab") is True


def test_half_of_a_surrogate_pair_matches_itself() -> None:
    rules = parse_rules("", ["x\ud83c", "é"])
    assert rules is not None
    assert [rules.verdict(path) for path in ("x\ud83c", "é", "x", "\ud83c")] == [
        True,
        True,
        None,
        None,
    ]
