"""Paths from where a caller stands, and absolute ones, become paths of sources."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite.asking import is_placed, place_paths, within_sources
from pincite.model import Scope, Source
from pincite.scope.paths import ListedPaths, path_test

SHOP = Source("me/shop", "/home/me/shop", "git")
NOTES = Source("notes", "/home/me/notes", "folder")
PAGE = Source("page.md", "/tmp/pages", "file")
RECORDS = Source("tickets", "records:tickets", "records")
ALL = (SHOP, NOTES, PAGE, RECORDS)
FILES = {
    "me/shop": ("src/stages/a.py", "src/keys.py", "docs/keys.md", "stages.md", "lib/docs/x.md"),
    "notes": ("todo.md",),
    "page.md": ("page.md",),
}


def placed(path: str, here: str | None = None) -> tuple[str, ...]:
    async def known(pattern: str) -> bool:
        fits = path_test((pattern,))
        return any(fits(name, one) for name, files in FILES.items() for one in files)

    scope = asyncio.run(place_paths(Scope(paths=(path,), not_paths=(path,)), ALL, here, known))
    assert scope.paths == scope.not_paths
    return scope.paths


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/home/me/shop/src", ("me/shop:src",)),
        ("/home/me/shop/src/", ("me/shop:src/",)),
        ("/home/me/shop/./src/../docs", ("me/shop:docs",)),
        ("/home/me/shop/src/**/*.py", ("me/shop:src/**/*.py",)),
        ("/home/me/shop", ("me/shop:./",)),
        ("/home/me", ("me/shop:./", "notes:./")),
        ("/", ("me/shop:./", "notes:./", "page.md:./")),
        ("/tmp/pages/page.md", ("page.md:page.md",)),
        ("/home/me/shopping", ("/home/me/shopping",)),
        ("/nowhere/src", ("/nowhere/src",)),
        ("src", ("src",)),
        ("/home/me/\0", ("/home/me/\0",)),
    ],
)
def test_an_absolute_path_is_placed_in_the_sources_that_it_lies_in(
    path: str, meant: tuple[str, ...]
) -> None:
    assert placed(path) == meant


@pytest.mark.parametrize(
    ("here", "path", "meant"),
    [
        ("/home/me/shop/src", "stages", ("me/shop:src/stages",)),
        ("/home/me/shop/src", "keys.py", ("me/shop:src/keys.py",)),
        ("/home/me/shop/lib", "docs", ("docs",)),  # both are there: the root wins
        ("/home/me/shop/lib", "./docs", ("me/shop:lib/docs",)),  # said to be from here
        ("/home/me/shop/src", ".", ("me/shop:src",)),
        ("/home/me/shop/src", "../docs", ("me/shop:docs",)),
        ("/home/me/shop/src", "./docs", ("./docs",)),  # not here, but at the root
        ("/home/me/shop", "src", ("src",)),
        ("/home/me", "shop", ("me/shop:./",)),
        ("/home/me", "shop/src/*.py", ("me/shop:src/*.py",)),
        ("/elsewhere", "src", ("src",)),
        ("/home/me/shop/src", "nothing", ("nothing",)),
        ("/home/me/shop/src", "", ("",)),
        ("/home/me/shop/src", ".github", (".github",)),
    ],
)
def test_a_relative_path_counts_from_the_root_or_else_from_where_one_stands(
    here: str, path: str, meant: tuple[str, ...]
) -> None:
    assert placed(path, here) == meant


ODD = Source("odd", "/home/me/s[0]", "folder")
ODD_FILES = ("a.md", "docs/a[1]/b[2].md", "docs/a[1]/x.md", "docs/a1/y.md", "docs/a{b,c}/z.md")


@pytest.mark.parametrize(
    ("here", "path", "found"),
    [
        ("docs/a[1]", "./*.md", {"docs/a[1]/b[2].md", "docs/a[1]/x.md"}),
        ("docs/a[1]", "x.*", {"docs/a[1]/x.md"}),
        ("docs/a[1]", "../a1/*.md", {"docs/a1/y.md"}),
        ("docs/a[1]", "./b[2].md", {"docs/a[1]/b[2].md"}),
        ("docs/a[1]", "./x.md", {"docs/a[1]/x.md"}),
        ("docs/a{b,c}", "./*.md", {"docs/a{b,c}/z.md"}),
        ("docs/a1", "./*.md", {"docs/a1/y.md"}),
    ],
)
def test_a_pattern_counts_from_a_folder_whose_name_looks_like_one(
    here: str, path: str, found: set[str]
) -> None:
    listed = ListedPaths((ODD.name, one) for one in ODD_FILES)

    async def known(pattern: str) -> bool:
        return pattern in listed

    asked = place_paths(Scope(paths=(path,)), (ODD,), f"{ODD.location}/{here}", known)
    fits = path_test(asyncio.run(asked).paths)
    assert {one for one in ODD_FILES if fits(ODD.name, one)} == found


def test_a_path_that_is_nowhere_stays_as_it_was_typed() -> None:
    """The name of a source is often the name of a folder in it: `notes/todoo.md` shows its slip."""
    assert placed("notes/todo.md") == ("notes:todo.md",)
    assert placed("notes/todoo.md") == ("notes/todoo.md",)
    assert placed("me/shop/src/keyz.py", "/home/me/shop") == ("me/shop/src/keyz.py",)


def test_a_symlink_leads_where_it_led_when_the_source_was_opened(tmp_path: Path) -> None:
    real = tmp_path / "real"
    (real / "src").mkdir(parents=True)
    (tmp_path / "link").symlink_to(real)
    source = Source("real", str(real.resolve()), "folder")
    assert within_sources(f"{tmp_path}/link/src", [source]) == (("real", "src"),)
    (tmp_path / "round").symlink_to(tmp_path / "round")
    assert within_sources(f"{tmp_path}/round/src", [source]) == ()


def test_sources_are_asked_for_only_where_there_are_paths() -> None:
    assert is_placed(Scope())
    assert not is_placed(Scope(paths=("src/*.py",)))
    assert not is_placed(Scope(not_paths=("/home/me/shop",)))


WINDOWS = (
    Source("docs", r"C:\Users\me\docs", "folder"),
    Source("share", r"\\server\team\wiki", "folder"),
    Source("unix", "/home/me/docs", "folder"),
)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (r"C:\Users\me\docs\api\Keys.md", (("docs", "api/Keys.md"),)),
        ("c:/users/ME/Docs/api/", (("docs", "api/"),)),
        (r"C:\Users\me\docs\..\docs\a.md", (("docs", "a.md"),)),
        (r"C:\Users\me\docs\CON", (("docs", "CON"),)),
        (r"C:\Users", (("docs", ""),)),
        (r"\\SERVER\team\wiki\a.md", (("share", "a.md"),)),
        (r"C:\Users\me\docs2\a.md", ()),
        (r"D:\Users\me\docs\a.md", ()),
    ],
)
def test_absolute_paths_of_windows_are_of_the_source_that_they_lie_in(
    path: str, found: tuple[tuple[str, str], ...]
) -> None:
    assert within_sources(path, WINDOWS) == found


def test_a_path_of_windows_counts_from_where_one_stands() -> None:
    async def known(path: str) -> bool:
        return path == "docs:api/keys.md"

    scope = Scope(paths=(r".\keys.md",))
    placed = asyncio.run(place_paths(scope, WINDOWS, r"C:\Users\me\docs\api", known))
    assert placed.paths == ("docs:api/keys.md",)
