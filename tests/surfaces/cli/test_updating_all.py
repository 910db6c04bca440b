"""`pincite index` without paths: every collection of the index and of `pincite.toml`."""

from __future__ import annotations

import json

from tests.surfaces.conftest import Cli

TABLE = '[[source]]\npath = "{}"\ncollection = "{}"\n'


def documents(cli: Cli) -> dict[str, int]:
    return {one["spec"]["name"]: one["documents"] for one in cli.json("collections")}


def test_sources_of_the_file_go_into_the_collections_that_it_names(cli: Cli) -> None:
    cli.write("a/a.md", "# A\n\nAn axolotl.\n")
    cli.write("c/c.md", "# C\n\nA capybara.\n")
    cli.write("pincite.toml", TABLE.format("a", "ca"))
    said = cli("index", "--lexical").stderr
    assert any(line.startswith("a: 1 new document") for line in said.splitlines())
    cli.write("pincite.toml", TABLE.format("a", "ca") + TABLE.format("c", "cc"))
    said = cli("index", "--lexical").stderr
    assert "a in ca: 1 unchanged document" in said
    assert "c in cc: 1 new document" in said
    assert documents(cli) == {"ca": 1, "cc": 1}


def test_every_collection_of_the_index_is_updated(cli: Cli) -> None:
    for name in ("main", "other"):
        cli.write(f"{name}/a.md", "# A\n\nAn axolotl.\n")
        cli("index", name, "-c", name, "--lexical", PINCITE_REFRESH="manual")
        cli.write(f"{name}/b.md", "# B\n\nA badger.\n")
    reports = json.loads(cli("index", "--json", PINCITE_REFRESH="manual").stdout)
    assert [(one["collection"], one["new"]) for one in reports] == [("main", 1), ("other", 1)]
    assert documents(cli) == {"main": 2, "other": 2}


def test_a_named_collection_is_updated_alone(cli: Cli) -> None:
    for name in ("ca", "cb"):
        cli.write(f"{name}/a.md", "# A\n\nAn axolotl.\n")
        cli("index", name, "-c", name, "--lexical")
    asked = cli("index", "-c", "cb", "--json"), cli("index", "--json", QDRANT_COLLECTION="cb")
    for done in asked:
        assert [one["collection"] for one in json.loads(done.stdout)] == ["cb"]
    assert [one["collection"] for one in cli.json("index")] == ["ca", "cb"]
    said = cli("search", "axolotl", "-c", "cb", "--by", "vector", code=2).stderr
    assert "run `pincite index --upgrade -c cb`" in said


def test_an_error_of_one_collection_hides_no_report_of_another(cli: Cli) -> None:
    for name in ("ca", "cb", "cc"):
        cli.write(f"{name}/a.md", f"# A\n\nAn axolotl of {name}.\n")
        cli("index", name, "-c", name, "--lexical", PINCITE_REFRESH="manual")
    (cli.folder / "cb").rename(cli.folder / "moved")
    done = cli("index", "--json", code=1, PINCITE_REFRESH="manual")
    assert [one["collection"] for one in json.loads(done.stdout)] == ["ca", "cc"]
    assert "ca in ca: 1 unchanged document" in done.stderr
    assert "cc in cc: 1 unchanged document" in done.stderr
    assert "error: cb: " in done.stderr
    assert "try: restore it; if it was moved" in done.stderr
    (cli.folder / "moved").rename(cli.folder / "cb")
    done = cli("index", "--model", "bundled", code=2)
    assert done.stderr.count("is lexical, but --model names bundled") == 3


def test_without_any_collection_the_default_one_is_said_to_be_empty(cli: Cli) -> None:
    cli.write("pincite.toml", "[select]\nresults = 5\n")
    said = cli("index", "--lexical", code=1).stderr
    assert "no index exists" in said
    cli.write("a/a.md", "# A\n")
    cli("index", "a", "-c", "ca", "--lexical")
    cli("collections", "drop", "ca", "--yes")
    said = cli("index", code=2).stderr
    assert "collection 'main' is still empty" in said


def test_the_same_notice_of_two_collections_is_printed_once(cli: Cli) -> None:
    for name in ("main", "other"):
        cli.write(f"{name}/a.md", "# A\n\nAn axolotl.\n")
        cli("index", name, "-c", name, "--lexical", PINCITE_REFRESH="manual")
        cli.write(f"{name}/b.md", "---\nname: B\n---\n\nA badger.\n")
    said = cli("index", PINCITE_REFRESH="manual").stderr
    assert said.count("attribute `name` has the type keyword (first seen in b.md)") == 1
