"""Packs whose items were changed: what `verify` prints is what it has compared."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.surfaces.conftest import Cli

FILE = "a walrus sleeps on ice\nand dreams of fish\n"


@pytest.fixture
def pack(cli: Cli) -> dict[str, Any]:
    cli.write("notes/walrus.txt", FILE)
    cli(
        "index",
        "notes",
        "--lexical",
        "--language",
        "english",
        "--url-rule",
        r"(.*)\.txt=>https://a.b/\1",
    )
    found: dict[str, Any] = cli.json("search", "walrus dreams of fish")
    return found


def verify(cli: Cli, pack: dict[str, Any], code: int = 3, **changes: object) -> tuple[str, str]:
    """Status and detail of the first item with these changes."""
    first = pack["evidence"][0] | changes
    cli.write("pack.json", json.dumps(pack | {"evidence": [first]}))
    found = cli.json("verify", "pack.json", code=code)[0]
    assert found["citation"] == first["citation"]
    return found["status"], found["detail"]


def test_items_as_they_were_written_are_fresh(cli: Cli, pack: dict[str, Any]) -> None:
    first = pack["evidence"][0]
    assert first["citation"].endswith(":https://a.b/walrus#L1-L2")
    assert verify(cli, pack, 0) == ("fresh", "")
    by_path = first["citation"].replace("https://a.b/walrus", "walrus.txt")
    assert verify(cli, pack, 0, citation=by_path, url=None) == ("fresh", "")


@pytest.mark.parametrize(
    "other",
    [
        "other@sha256-111111111111:secret/contract.md#L400-L500",
        "notes@{ref}:walrus.txt#L400-L500",
        "notes@{ref}:walrus.txt#L1-L2C3",
        "notes@{ref}:walrus.txt",
        "notes@{ref}:walrus.txt#char=0,5",
        "notes@{ref}:other.txt#L1-L2",
        "notes@sha256-111111111111:walrus.txt#L1-L2",
        "not a citation",
    ],
)
def test_a_citation_of_another_place_is_unknown(cli: Cli, pack: dict[str, Any], other: str) -> None:
    ref = pack["evidence"][0]["ref"]
    forged = other.format(ref=ref)
    said = f"its citation names {forged}, and its fields name notes@{ref}:walrus.txt#L1-L2"
    assert verify(cli, pack, citation=forged) == ("unknown", said)


def test_an_address_that_the_file_does_not_have_is_not_fresh(
    cli: Cli, pack: dict[str, Any]
) -> None:
    url = "https://a.b/contract"
    forged = pack["evidence"][0]["citation"].replace("https://a.b/walrus", url)
    assert verify(cli, pack, citation=forged)[0] == "unknown"
    assert verify(cli, pack, citation=forged, url=url) == ("moved", "now at https://a.b/walrus")


def test_a_page_whose_address_has_changed_has_moved(cli: Cli, pack: dict[str, Any]) -> None:
    cli("index", "notes", "--url-rule", r"(.*)\.txt=>https://new.b/\1.html")
    assert verify(cli, pack) == ("moved", "now at https://new.b/walrus.html")
    by_path = pack["evidence"][0]["citation"].replace("https://a.b/walrus", "walrus.txt")
    assert verify(cli, pack, 0, citation=by_path) == ("fresh", "")
    cli.write("notes/walrus.txt", "A seal.\n" + FILE)
    said = "now at https://new.b/walrus.html; now lines 2-3; the revision is now sha256-"
    assert verify(cli, pack)[1].startswith(said)


def test_a_text_that_was_cut_to_nothing_is_unknown(cli: Cli, pack: dict[str, Any]) -> None:
    pack["warnings"] = [{"code": "text_cut", "message": "texts are cut to 8 characters"}]
    assert verify(cli, pack, 0, text="a walrus")[0] == "fresh"
    for nothing in ("", " \n"):
        said = "its text was cut to nothing that can be compared"
        assert verify(cli, pack, text=nothing) == ("unknown", said)


@pytest.mark.parametrize(
    ("start", "end"), [(-5, -1), (-2, -1), (0, 0), (0, 2), (2, 1), (-2, 2), (1, -1)]
)
def test_lines_that_no_file_has_are_unknown(
    cli: Cli, pack: dict[str, Any], start: int, end: int
) -> None:
    status, detail = verify(cli, pack, start_line=start, end_line=end)
    assert (status, detail.startswith("no file has such a place: ")) == ("unknown", True)


@pytest.mark.parametrize(
    "columns", [{"start_column": 0}, {"end_column": -1}, {"start_column": -3, "end_column": -1}]
)
def test_columns_that_no_line_has_are_unknown(
    cli: Cli, pack: dict[str, Any], columns: dict[str, int]
) -> None:
    assert verify(cli, pack, **columns)[0] == "unknown"


@pytest.mark.parametrize("last", [19, 900])
def test_columns_beyond_the_end_of_a_line_are_not_fresh(
    cli: Cli, pack: dict[str, Any], last: int
) -> None:
    cited = f"{pack['evidence'][0]['citation']}C{last}"
    assert verify(cli, pack, 0, citation=cited.replace(f"C{last}", "C18"), end_column=18)
    assert verify(cli, pack, citation=cited, end_column=last)[0] == "changed"


@pytest.mark.parametrize("path", ["", "/", ".", "..", "a\0b", "x" * 5_000])
def test_a_path_that_no_file_has_does_not_end_the_check_of_the_others(
    cli: Cli, pack: dict[str, Any], path: str
) -> None:
    first = pack["evidence"][0]
    forged = first | {"path": path, "url": None}
    cli.write("pack.json", json.dumps(pack | {"evidence": [forged, first]}))
    found = cli.json("verify", "pack.json", code=3)
    assert [one["status"] for one in found] == ["unknown", "fresh"]


@pytest.mark.parametrize("chars", [(-9, -1), (5, 5), (9, 2), (-1, 4)])
def test_characters_that_no_text_has_are_unknown(
    cli: Cli, pack: dict[str, Any], chars: tuple[int, int]
) -> None:
    assert verify(cli, pack, start_char=chars[0], end_char=chars[1])[0] == "unknown"


def test_lines_beyond_the_end_of_the_file_are_not_fresh(cli: Cli, pack: dict[str, Any]) -> None:
    cited = pack["evidence"][0]["citation"].replace("#L1-L2", "#L1-L900")
    assert verify(cli, pack, citation=cited, end_line=900)[0] == "changed"  # its revision has not


def test_lines_around_an_item_that_its_file_does_not_have_are_not_fresh(
    cli: Cli, pack: dict[str, Any]
) -> None:
    cli.write("notes/walrus.txt", f"A seal.\n{FILE}The end.\n")
    cli("index", "notes")
    first = cli.json("search", "walrus dreams of fish")["evidence"][0]
    pack["evidence"] = [first | {"text": FILE.rstrip(), "start_line": 2, "end_line": 3}]
    cited = first["citation"].replace("#L1-L4", "#L2-L3")
    around = {"start_line": 1, "end_line": 3, "text": f"A seal.\n{FILE.rstrip()}"}
    assert verify(cli, pack, 0, citation=cited, context=around) == ("fresh", "")
    said = "the lines shown around it are not those of the file"
    for forged in (around | {"text": "the walrus is EVIL"}, around | {"start_line": 2}):
        assert verify(cli, pack, citation=cited, context=forged) == ("changed", said)
    cli.write("notes/walrus.txt", f"A whale.\n{FILE}The end.\n")
    status, detail = verify(cli, pack, 0, citation=cited, context=around)
    assert (status, detail.endswith("; the lines around it have changed")) == ("fresh", True)
