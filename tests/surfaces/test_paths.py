"""`--path` and `paths=` as people type them, on a real index."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.surfaces.conftest import Cli


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    cli = Cli(tmp_path_factory.mktemp("paths"))
    for path in ("shop/src/stages/keys.py", "shop/docs/keys.md", "shop/lib/docs/keys.md"):
        cli.write(path, f"To rotate a key of {path}, call rotate_key.\n")
    cli("index", "shop", "--lexical", "--name", "shop")
    yield cli
    cli("stop")


@pytest.mark.parametrize(
    ("standing", "given", "found"),
    [
        (".", "src", {"src/stages/keys.py"}),
        (".", "./src/", {"src/stages/keys.py"}),
        (".", "shop/src", {"src/stages/keys.py"}),
        (".", "**/keys.md", {"docs/keys.md", "lib/docs/keys.md"}),
        (".", "{folder}/shop/lib", {"lib/docs/keys.md"}),
        ("shop/src", "stages", {"src/stages/keys.py"}),
        ("shop/src", "../docs/keys.md", {"docs/keys.md"}),
        ("shop/lib", "docs", {"docs/keys.md"}),
        ("shop/lib", "./docs", {"lib/docs/keys.md"}),
    ],
)
def test_a_search_takes_the_path(indexed: Cli, standing: str, given: str, found: set[str]) -> None:
    there = Cli(indexed.folder / standing)
    index = ("--index", str(indexed.folder / ".pincite"))
    path = given.format(folder=indexed.folder)
    pack = there.json("search", "rotate a key", "--all", "--path", path, *index)
    assert {item["path"] for item in pack["evidence"]} == found
    others = there.json("search", "rotate a key", "--all", "--not-path", path, *index)
    assert not found & {item["path"] for item in others["evidence"]}
    assert others["evidence"]


def test_a_path_that_fits_nothing_is_named_as_it_was_typed(indexed: Cli) -> None:
    done = indexed("search", "rotate a key", "--path", "scr/stages", code=3)
    assert "no indexed document matches paths=['scr/stages']; near: src/stages/" in done.stderr


@pytest.mark.parametrize(
    ("standing", "locator", "found"),
    [
        ("shop/lib", "./docs/keys.md:1", "lib/docs/keys.md"),
        ("shop/lib", "../docs/keys.md:1-1", "docs/keys.md"),
        ("shop/lib", "./src/stages/keys.py:1", "src/stages/keys.py"),  # not here, but indexed
        (".", "{folder}/shop/lib/docs/keys.md#L1", "lib/docs/keys.md"),
    ],
)
def test_lines_are_read_from_where_one_stands(
    indexed: Cli, standing: str, locator: str, found: str
) -> None:
    index = ("--index", str(indexed.folder / ".pincite"))
    done = Cli(indexed.folder / standing)("get", locator.format(folder=indexed.folder), *index)
    assert done.stderr.startswith("shop@")
    assert f":{found}#L1" in done.stderr


def test_a_place_of_one_of_several_sources_is_read_as_a_search_shows_it(
    cli: Cli,
) -> None:
    cli.write("docs/keys.md", "To rotate a key, call rotate_key.\n")
    cli.write("src/keys.py", "def rotate_key():\n    return 1\n")
    cli("index", "docs", "src", "--lexical")
    shown = cli("search", "rotate a key", "--all").stdout
    assert "src/keys.py:1-2" in shown
    for locator in ("src/keys.py:1-2", "src/keys.py:1:2", "./src/keys.py#L1-L2"):
        assert cli("get", locator).stdout == "def rotate_key():\n    return 1\n"
    cli.write("more/src/keys.py", "another\n")
    cli("index", "more", "--lexical")
    assert cli("get", "src/keys.py:1").stdout == "another\n"  # the whole path of a file comes first
