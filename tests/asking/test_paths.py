"""Paths from where a caller stands, and absolute ones, become paths of sources."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite.asking import Placing, is_placed, within_sources
from pincite.model import PlacedPath, Scope, Source
from pincite.scope.paths import ListedPaths, path_test
from pincite.support.valid_text import valid_text

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


def places(path: str, here: str | None = None) -> tuple[PlacedPath, ...]:
    async def known(place: PlacedPath) -> bool:
        fits = path_test((place.pattern,))
        return any(fits(name, one) for name, files in FILES.items() for one in files)

    placing = Placing([("main", one) for one in ALL], here, known)
    scope = asyncio.run(placing.scope(Scope(paths=(path,), not_paths=(path,))))
    assert scope.placed is not None
    assert scope.placed == scope.not_placed
    assert scope.paths == scope.not_paths == (valid_text(path),)  # messages show what was typed
    return scope.placed


def placed(path: str, here: str | None = None) -> tuple[str, ...]:
    return tuple(one.pattern for one in places(path, here))


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
        ("/home/me/shopping", ()),
        ("/nowhere/src", ()),
        ("/src/keys.py", ()),  # no path from a root
        ("src", ("src",)),
        ("/home/me/\0", ()),
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
        ("/home/me/shop/src", "./docs", ("me/shop:docs",)),  # not here, but at this root
        ("/elsewhere", "./docs", ("./docs",)),  # not here, but at a root
        ("/home/me/shop", "src", ("src",)),
        ("/home/me", "shop", ("me/shop:./",)),
        ("/home/me", "shop/src/*.py", ("me/shop:src/*.py",)),
        ("/elsewhere", "src", ("src",)),
        ("/home/me/shop/src", "nothing", ("nothing", "me/shop:src/nothing")),
        ("/home/me/shop/src", "./todo.md", ("me/shop:src/todo.md", "me/shop:todo.md")),
        ("/home/me/notes", "./todo.md", ("notes:todo.md",)),
        ("/home/me/shop", ".", ("me/shop:./",)),
        ("/home/me", "./", ("me/shop:./", "notes:./")),
        ("/home/me/shop/build", ".", ("me/shop:build",)),  # not the whole source
        ("/home/me/shop/build", "././", ("me/shop:build/",)),
        ("/elsewhere", ".", ()),
        ("/home/me/shop/src", "", ("",)),
        ("/home/me/shop/src", ".github", (".github", "me/shop:src/.github")),
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

    async def known(place: PlacedPath) -> bool:
        return place.pattern in listed

    asked = Placing([("main", ODD)], f"{ODD.location}/{here}", known).path(path)
    fits = path_test(tuple(one.pattern for one in asyncio.run(asked)))
    assert {one for one in ODD_FILES if fits(ODD.name, one)} == found


def test_a_path_that_is_nowhere_has_all_meanings() -> None:
    """A document whose chunks alone know whether it may be read may match one of them."""
    assert placed("notes/todo.md") == ("notes:todo.md",)
    assert placed("notes/todoo.md") == ("notes/todoo.md", "notes:todoo.md")
    nowhere = ("me/shop/src/keyz.py", "me/shop:me/shop/src/keyz.py", "me/shop:src/keyz.py")
    assert placed("me/shop/src/keyz.py", "/home/me/shop") == nowhere


def test_what_counts_from_a_folder_is_bound_to_the_collection_of_its_source() -> None:
    assert places("/home/me/shop/src") == (PlacedPath("me/shop:src", "main"),)
    assert places("keys.py", "/home/me/shop/src") == (PlacedPath("me/shop:src/keys.py", "main"),)
    assert places("notes/todo.md") == (PlacedPath("notes:todo.md"),)
    assert places("src") == (PlacedPath("src"),)

    async def known(_: PlacedPath) -> bool:
        return True

    other = Source(SHOP.name, "/home/you/shop", "folder")
    placing = Placing([("main", SHOP), ("second", other), ("third", other)], None, known)
    assert asyncio.run(placing.path("/home/me/shop/a")) == (PlacedPath("me/shop:a", "main"),)
    assert asyncio.run(placing.path("/home/you/shop/a")) == (
        PlacedPath("me/shop:a", "second"),
        PlacedPath("me/shop:a", "third"),
    )


def test_a_path_that_is_no_valid_text_matches_what_is_shown_of_it() -> None:
    assert placed("src/\udcffeys.py") == ("src/[?]eys.py",)


def test_a_symlink_leads_where_it_led_when_the_source_was_opened(tmp_path: Path) -> None:
    real = tmp_path / "real"
    (real / "src").mkdir(parents=True)
    (tmp_path / "link").symlink_to(real)
    source = Source("real", str(real.resolve()), "folder")
    assert within_sources(f"{tmp_path}/link/src", [source]) == ((source, "src"),)
    (tmp_path / "round").symlink_to(tmp_path / "round")
    assert within_sources(f"{tmp_path}/round/src", [source]) == ()


def test_sources_are_asked_for_only_where_there_are_paths() -> None:
    assert is_placed(Scope())
    assert not is_placed(Scope(paths=("src/*.py",)))
    assert not is_placed(Scope(not_paths=("/home/me/shop",)))
    assert is_placed(Scope(paths=("src/*.py",), placed=(PlacedPath("src/*.py"),)))


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
    assert tuple((one.name, rest) for one, rest in within_sources(path, WINDOWS)) == found


def test_a_path_of_windows_counts_from_where_one_stands() -> None:
    async def known(place: PlacedPath) -> bool:
        return place.pattern == "docs:api/keys.md"

    placing = Placing([("main", one) for one in WINDOWS], r"C:\Users\me\docs\api", known)
    assert asyncio.run(placing.path(r".\keys.md")) == (PlacedPath("docs:api/keys.md", "main"),)


def test_what_may_be_read_is_asked_once_for_the_first_path_that_depends_on_it() -> None:
    asked = 0

    async def readable() -> list[tuple[str, Source]]:
        nonlocal asked
        asked += 1
        return [("main", SHOP)]

    async def known(place: PlacedPath) -> bool:
        return False

    placing = Placing([("main", one) for one in ALL], None, known, readable)
    for path in ("r5", "src/*.py", "a.py:3"):
        assert asyncio.run(placing.path(path)) == (PlacedPath(path),)
    assert asked == 0
    hidden = ALL[1]
    assert hidden != SHOP
    for path in (f"{hidden.name}/x", f"{hidden.name}/y"):
        assert asyncio.run(placing.path(path)) == (PlacedPath(path),)
    assert asyncio.run(placing.path(hidden.location)) == ()
    assert asyncio.run(placing.path(SHOP.location)) == (PlacedPath("me/shop:./", "main"),)
    assert asked == 1
