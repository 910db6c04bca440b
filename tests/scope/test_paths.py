"""Paths and patterns as people type them."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import UsageError
from pincite.scope.paths import MOST_CHARS, ListedPaths, as_name, of_source, path_test, plain_path
from tests.counting import grows_in_proportion
from tests.time_limits import GROWS_S


def fits(pattern: str, path: str, source: str = "acme") -> bool:
    return path_test((pattern,))(source, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("httpx", "httpx/a/b.py"),
        ("httpx/", "httpx/a.py"),
        ("./httpx", "httpx/a.py"),
        ("httpx//", "httpx/a.py"),
        ("/httpx", "httpx/a.py"),
        ("a//b/./c", "a/b/c"),
        ("README.md", "README.md"),
        (".", "a/b"),
        ("./", "a/b"),
        ("src/**/*.py", "src/a.py"),
        ("src/**/*.py", "src/a/b/c.py"),
        ("src/*.py", "src/a/b.py"),
        ("**/b.md", "b.md"),
        ("**/tests", "a/tests/b.py"),
        ("src/**", "src/a"),
        ("a?c", "abc"),
        ("[ab].md", "b.md"),
        ("[!a].md", "b.md"),
        ("*.{ts,tsx}", "web/a.tsx"),
        ("src\\stages", "src/stages/a.py"),
        (".\\src\\", "src/a.py"),
        ("app/[slug]/page.tsx", "app/[slug]/page.tsx"),
        ("app/[slug]", "app/[slug]/page.tsx"),
        ("[z-a]", "[z-a]"),
        ("a\\b", "a\\b"),
        ("acme:src", "src/a.py"),
        (".github", ".github/workflows/ci.yml"),
        ("a\nb", "a\nb/c"),
    ],
)
def test_a_path_fits(pattern: str, path: str) -> None:
    assert fits(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("httpx/", "httpx"),
        ("httpx", "httpx2/a.py"),
        ("httpx", "src/httpx/a.py"),
        ("", "a"),
        ("[!a].md", "a.md"),
        ("[z-a]", "z"),
        ("a.md", "axmd"),
        ("other:src", "src/a.py"),
        ("SRC", "src/a.py"),
        ("src/**/*.py", "srcx/a.py"),
        ("../src", "src/a.py"),
    ],
)
def test_a_path_does_not_fit(pattern: str, path: str) -> None:
    assert not fits(pattern, path)


_PATHS = st.lists(st.text("ab[]{}*?!-,.:%@ é\\\n", min_size=1, max_size=4), min_size=1).map(
    "/".join
)


@given(_PATHS)
def test_every_path_fits_itself_and_every_folder_what_is_in_it(path: str) -> None:
    kept = plain_path(path)
    if kept:
        assert fits(path, kept) or path.endswith("/.")
        assert fits(path, f"{kept}/below")


@given(_PATHS, st.text("acme/@:%* é", min_size=1, max_size=8))
def test_a_path_of_a_source_fits_there_and_nowhere_else(path: str, source: str) -> None:
    kept = plain_path(path)
    pattern = of_source(source, kept)
    assert fits(pattern, kept or "anything", source)
    if kept:
        assert not fits(pattern, kept, f"{source}x")


@given(st.text("ab*?/", min_size=1, max_size=8), st.text("ab/", min_size=1, max_size=8))
def test_what_a_star_over_slashes_let_pass_still_passes(pattern: str, path: str) -> None:
    """The meaning of patterns before folders were known, on paths that can be."""
    if plain_path(pattern) == pattern and plain_path(path) == path and fnmatchcase(path, pattern):
        assert fits(pattern, path)


@pytest.mark.parametrize(
    "pattern",
    ["*a" * 2000, "**/" * 1300, "[" * 4000, "{a," * 1300, "*" * 4000, "[a-" * 1300, "\\" * 4000],
)
def test_no_pattern_hangs(pattern: str) -> None:
    assert fits(pattern, "a/" * 2000 + "b") in (True, False)


@pytest.mark.parametrize("choice", ["{a,a}", "{a,aa}", "{,a}", "{a,a,a}"])
def test_combinations_of_choices_do_not_hang(choice: str) -> None:
    begun = process_time()
    assert not fits(choice * 40 + "b", "a" * 80)
    assert process_time() - begun < GROWS_S


def test_a_pattern_that_is_no_unicode_matches_what_is_shown_of_it() -> None:
    assert fits("caf\udce9*", "caf?.md")
    assert not fits("\ud800", "ab")
    assert not fits("caf\udce9.md", "cafe.md")  # no wildcard
    listed = ListedPaths([("acme", "cafe.md")])
    assert not any("caf\udce9.md" in listed for _ in range(20))


@given(st.text("ab*?{},/.\n", max_size=8), _PATHS)
def test_a_pattern_means_the_same_to_both_libraries(pattern: str, path: str) -> None:
    slow = path_test((pattern, "[x]***/*/*/*"))  # with another one that only re2 looks for
    kept = plain_path(path)
    if "x" not in kept:
        assert fits(pattern, kept) == slow("acme", kept)


def test_what_is_too_long_or_too_much_is_refused() -> None:
    with pytest.raises(UsageError, match="longer than the limit of 4,096 characters"):
        fits("[" * (MOST_CHARS + 1), "a")
    many = tuple(f"{n}{'*?' * 2000}" for n in range(300))
    with pytest.raises(UsageError, match=re.escape("exceed a limit (300 patterns")):
        path_test(many)


@given(
    st.sampled_from(["", "acme:", "acme/docs:", "acme%2Fdocs:", "a:"]),
    st.text("ab./*?[{,}]\\", max_size=8),
    st.lists(st.tuples(st.sampled_from(["acme/docs", "a"]), st.text("ab./:[", max_size=6))),
)
def test_listed_paths_are_those_that_a_pattern_matches(
    source: str, pattern: str, documents: list[tuple[str, str]]
) -> None:
    path = f"{source}{pattern}"
    test, listed = path_test((path,)), ListedPaths(documents)
    found = {path in listed for _ in range(20)}  # by comparing all, then by looking up
    assert found == {any(test(*one) for one in documents)}


@given(st.text("ab*?{},[]!-/", min_size=1, max_size=8), st.text("ab*?{},[]!-/", max_size=8))
def test_a_name_as_a_pattern_matches_this_name_only(name: str, other: str) -> None:
    if plain_path(name) == name:
        assert fits(as_name(name), name)
        below = other == name or other.startswith(f"{name}/")
        assert fits(as_name(name), other) is below


def test_a_path_that_is_too_long_is_listed_by_no_document() -> None:
    listed = ListedPaths([("acme", "a"), ("acme", "caf?.md")])
    for _ in range(20):
        with pytest.raises(UsageError, match="longer than the limit"):
            assert "a" * (MOST_CHARS + 1) in listed
        assert "caf\udce9.md" in listed


def test_many_names_are_looked_up_and_not_compared_with_all_documents() -> None:
    documents = [("acme", f"src/{number}.py") for number in range(200)]

    def ask(names: int) -> None:
        listed = ListedPaths(documents * (names // 200))
        assert not any(f"lib/{number}.py" in listed for number in range(names))

    assert grows_in_proportion(ask, 400)
