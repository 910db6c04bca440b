"""`--path` and `paths=` as people type them, on a real index."""

from __future__ import annotations

import json
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


@pytest.mark.parametrize("path", [".", "./", "/src", "{folder}/shop/build"])
def test_a_folder_without_documents_is_no_whole_source(indexed: Cli, path: str) -> None:
    (indexed.folder / "shop/build").mkdir(exist_ok=True)
    there, index = Cli(indexed.folder / "shop/build"), ("--index", str(indexed.folder / ".pincite"))
    given = path.format(folder=indexed.folder)
    done = there("search", "rotate a key", "--path", given, *index, code=3)
    assert f"no indexed document matches paths=[{given!r}]" in done.stderr
    kept = there.json("search", "rotate a key", "--all", "--not-path", given, *index)
    assert len({item["path"] for item in kept["evidence"]}) == 3
    assert there.json("ls", given, *index, code=3)["files"] == []


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


def test_the_name_of_a_source_is_a_path_where_nothing_else_has_it(cli: Cli) -> None:
    cli.write("one/guide/keys.md", "To rotate a key of one, call rotate_key.\n")
    cli.write("two/keys.md", "To rotate a key of two, call rotate_key.\n")
    cli("index", "one", "--lexical", "--name", "guide")
    cli("index", "two", "--lexical", "--name", "acme/two")
    elsewhere = cli.folder / "away"
    elsewhere.mkdir()
    there, index = Cli(elsewhere), ("--index", str(cli.folder / ".pincite"))

    def found(path: str) -> set[str]:
        pack = there.json("search", "rotate a key", "--all", "--path", path, *index)
        return {item["citation"].partition("@")[0] for item in pack["evidence"]}

    assert found("acme/two") == found("acme/two/") == found("acme/two/keys.md") == {"acme/two"}
    assert found("guide") == {"guide"}  # a folder that is indexed, in a source of that name
    done = there("search", "rotate a key", "--path", "acme", *index, code=3)
    assert "paths=['acme']" in done.stderr


def test_files_of_several_sources_are_named_with_their_source(cli: Cli) -> None:
    cli.write("one/keys.md", "To rotate a key of one, call rotate_key.\n")
    cli.write("two/keys.md", "To rotate a key of two, call rotate_key.\n")
    cli("index", "one", "two", "--lexical")
    shown = cli("search", "rotate a key", "--all", "--format", "files").stdout.splitlines()
    assert sorted(shown) == ["one:keys.md:1-1", "two:keys.md:1-1"]
    for line in shown:
        assert f"of {line[:3]}," in cli("get", line).stdout
    alone = cli("search", "rotate a key", "--all", "--path", "two", "--format", "files").stdout
    assert alone == "two:keys.md:1-1\n"  # `get keys.md` would be ambiguous
    assert "of two," in cli("get", alone.strip()).stdout
    cli("stop")  # and without a process that has the index open
    null = ("search", "rotate a key", "--path", "two", "--format", "files", "-0")
    assert cli(*null).stdout == "two:keys.md:1-1\0"


def test_get_prints_the_lines_that_a_search_lists_and_no_others(cli: Cli) -> None:
    filler = "".join(f"A sentence about barges, number {n}.\n" for n in range(200))
    for number, name in enumerate(("keys.md", 'two\nli"nes\\\u202e.md', "7:1-2.md")):
        found = f"# Boats\n\nA gondola in canal {number}{number}{number}.\n"
        cli.write(f"docs/{name}", f"# Barges\n\n{filler}\n{found}\n# End\n\n{filler}")
    record = {"id": "kb:1", "text": "A record.\nA gondola."}
    cli.write("kb.jsonl", json.dumps(record) + "\n")
    cli("index", "docs", "--lexical")
    cli("import", "kb.jsonl", "--lexical")
    search = ("search", "gondola", "--all")
    pack = cli.json(*search)
    texts = [item["text"].rstrip("\n") for item in pack["evidence"]]
    assert sum(item["start_line"] > 1 for item in pack["evidence"]) == 3
    listed = cli(*search, "--format", "files").stdout.splitlines()
    unchanged = cli(*search, "--format", "files", "-0").stdout.removesuffix("\0").split("\0")
    for places in (listed, unchanged):
        assert [cli("get", "--", place).stdout.rstrip("\n") for place in places] == texts


def test_a_file_named_with_its_source_is_no_file_of_another_source(cli: Cli) -> None:
    cli.write("docs/keys.md", "A gondola of the docs.\n")
    cli.write("repo/docs/keys.md", "A gondola of the repository.\n")
    cli("index", "docs", "repo", "--lexical")
    shown = cli("search", "gondola", "--all", "--format", "files").stdout.splitlines()
    assert {cli("get", line).stdout for line in shown} == {
        "A gondola of the docs.\n",
        "A gondola of the repository.\n",
    }


def test_a_line_behind_the_last_newline_is_none(cli: Cli) -> None:
    cli.write("docs/keys.md", "one\ntwo rotates\n")
    cli("index", "docs", "--lexical")
    assert cli("get", "keys.md:2").stdout == "two rotates\n"
    assert "has 2 lines: line 3 does not exist" in cli("get", "keys.md:3", code=2).stderr
    cited = cli("search", "rotates", "--json").stdout
    (item,) = json.loads(cited)["evidence"]
    head = item["citation"].partition("#")[0]
    assert cli("verify", f"{head}#L1-L2", code=0)
    assert "has 2 lines" in cli("verify", f"{head}#L3", code=3).stdout


@pytest.mark.parametrize(
    ("locator", "why", "better"),
    [
        ("keys.md:5-3", "its last line comes before its first", "keys.md:3-5"),
        ("docs/keys.md#L5-L3", "its last line comes before its first", "docs/keys.md:3-5"),
        ("shop:docs/keys.md#L5-L3", "line 3 comes before line 5", "shop:docs/keys.md:3-5"),
        ("keys.md:12,14", "it may mean a range of lines, or a line and a column", "keys.md:12-14"),
    ],
)
def test_lines_that_cannot_be_meant_are_refused_with_what_to_write(
    indexed: Cli, locator: str, why: str, better: str
) -> None:
    done = indexed("get", locator, code=2)
    assert why in done.stderr
    assert f"pincite get {better}" in done.stderr


def test_a_citation_of_line_0_is_not_read_as_the_whole_file(indexed: Cli) -> None:
    for lines in ("L0", "L0-L1"):
        done = indexed("get", f"shop:docs/keys.md#{lines}", code=2)
        assert "has 1 line: line 0 does not exist" in done.stderr


@pytest.mark.parametrize(
    ("standing", "given", "found"),
    [
        (".", "src", {"src/stages/keys.py"}),
        (".", "shop/src", {"src/stages/keys.py"}),
        (".", "shop/docs/*.md", {"docs/keys.md"}),
        (".", "shop:docs/keys.md", {"docs/keys.md"}),
        (".", "{folder}/shop/lib", {"lib/docs/keys.md"}),
        ("shop/src", "stages/*.py", {"src/stages/keys.py"}),
        ("shop/src", "../docs/keys.md", {"docs/keys.md"}),
        ("shop/lib", "docs", {"docs/keys.md"}),
        ("shop/lib", "./docs", {"lib/docs/keys.md"}),
    ],
)
def test_files_are_listed_and_read_by_the_same_paths(
    indexed: Cli, standing: str, given: str, found: set[str]
) -> None:
    there = Cli(indexed.folder / standing)
    asked = (given.format(folder=indexed.folder), "--index", str(indexed.folder / ".pincite"))
    assert {one["path"] for one in there.json("ls", *asked)["files"]} == found
    assert {one["path"] for one in there.json("multi-get", *asked)["passages"]} == found


def test_a_locator_of_several_files_is_no_path_and_stays_as_it_is(indexed: Cli) -> None:
    (chunk,) = indexed.json("search", "rotate a key", "--all", "--path", "src")["evidence"]
    for name in ("shop/src/stages/keys.py:1-1", f"#{chunk['chunk_id'][:12]}", chunk["citation"]):
        (read,) = indexed.json("multi-get", name)["passages"]
        assert (read["path"], read["end_line"]) == ("src/stages/keys.py", 1)


def test_a_list_without_files_says_so(indexed: Cli, cli: Cli) -> None:
    assert indexed("ls", "scr", code=3).stderr == "no indexed file matches\n"
    (cli.folder / "empty").mkdir()
    cli("index", "empty", "--lexical")
    assert cli("ls", code=3).stderr == "no file is indexed: pincite index PATH\n"
