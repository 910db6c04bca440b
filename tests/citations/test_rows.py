"""Tables of sheets are cited by their rows, as whoever opens the file sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pincite import Pincite
from pincite.citations.compare_claim import Claim
from pincite.citations.forms import spans
from pincite.errors import UsageError
from pincite.model.citation import parse_citation
from pincite.settings.load import load_settings
from pincite.surfaces.text.render import render
from tests.readers.office_files import xlsx
from tests.surfaces.packs import text_of

EMPTY: list[object] = []
FARES: list[list[object]] = [
    ["City", "Fare"],
    ["Ulm", 3],
    EMPTY,
    EMPTY,
    ["Airship", "Harbour"],
    ["Zeppelin", "Bregenz"],
    ["Blimp", "Akron\nOhio"],
    ["Kite", "Fano"],
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    write(tmp_path, FARES)
    return tmp_path


def write(folder: Path, rows: Sequence[Sequence[object]]) -> None:
    sheets: dict[str, list[list[object]]] = {
        "Notes": [["nothing"]],
        "Fares": [list(row) for row in rows],
    }
    (folder / "docs" / "fares.xlsx").write_bytes(xlsx(sheets))


@pytest.fixture
def pincite(folder: Path) -> Iterator[Pincite]:
    with Pincite(load_settings({}, folder)) as made:
        made.index(folder / "docs", lexical=True)
        yield made
        made.stop()


def test_a_table_is_cited_and_shown_with_the_rows_that_it_has_in_its_sheet(
    pincite: Pincite,
) -> None:
    pack = pincite.search("zeppelin harbour bregenz")
    found = pack[0]
    assert (found.page, found.rows) == (2, (5, 8))
    assert "#sheet=2&row=5-8&char=" in found.citation
    assert "fares.xlsx, sheet 2, row 5-8" in text_of(render(pack, "table"))
    assert {one.status for one in pincite.verify(pack)} == {"fresh"}
    passage = pincite.get(found.citation)
    assert (passage.text, passage.citation) == (found.text, found.citation)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ("6", "Zeppelin | Bregenz"),
        ("6-7", "Zeppelin | Bregenz\nBlimp | Akron Ohio"),
        ("1-6", "City | Fare\nUlm | 3\n\nAirship | Harbour\nZeppelin | Bregenz"),
        ("7-999", "Blimp | Akron Ohio\nKite | Fano"),
    ],
)
def test_rows_can_be_read_without_knowing_characters(
    pincite: Pincite, rows: str, text: str
) -> None:
    found = pincite.get(f"fares.xlsx#sheet=2&row={rows}")
    assert found.text == text
    assert pincite.get(found.citation).text == text


@pytest.mark.parametrize("rows", ["3-4", "9", "0"])
def test_rows_that_have_nothing_are_an_error(pincite: Pincite, rows: str) -> None:
    with pytest.raises(UsageError, match=f"is empty in row {rows}"):
        pincite.get(f"fares.xlsx#sheet=2&row={rows}")


def test_rows_that_are_put_in_above_move_the_passage_though_its_text_stays_where_it_was(
    pincite: Pincite, folder: Path
) -> None:
    pack = pincite.search("zeppelin harbour bregenz", limit=1)
    write(folder, [*FARES[:3], EMPTY, *FARES[3:]])
    (checked,) = pincite.verify(pack)
    assert checked.status == "moved"
    assert "row 6-9" in checked.detail
    (claimed,) = pincite.check([Claim(pack[0].citation, "Zeppelin | Bregenz")])
    assert claimed.status == "moved"
    assert "row 6-9" in claimed.detail
    for _ in range(60):  # the daemon reads the file before it shows the passage, or meanwhile
        found = pincite.search("zeppelin harbour bregenz", limit=1)[0]
        if found.truth != "unchecked":
            break
    assert (found.truth, found.rows) == ("moved", (6, 9))
    assert "&row=6-9&" in found.citation


def test_a_quote_is_checked_within_its_rows(pincite: Pincite) -> None:
    cited = "fares.xlsx#sheet=2&row=6"
    claims = [Claim(cited, "Zeppelin | Bregenz"), Claim(cited, "Kite | Fano")]
    assert [one.status for one in pincite.check(claims)] == ["fresh", "moved"]


def test_a_long_table_is_cut_between_rows_and_each_part_has_its_own(
    pincite: Pincite, folder: Path
) -> None:
    rows: list[list[object]] = [
        ["Name", "Harbour of the airship"],
        *(list[object]((f"Airship {n}", f"Town {n}")) for n in range(400)),
    ]
    write(folder, [EMPTY, *rows])
    pincite.index()
    found = pincite.search("airship 321 town 321")[0]
    assert found.rows is not None
    first, last = found.rows
    lines = found.text.split("\n")[-(last - first + 1) :]
    for number, line in enumerate(lines, start=first):
        if number > 2:
            assert line == f"Airship {number - 3} | Town {number - 3}"
    assert "Airship 321 | Town 321" in lines


def test_people_and_models_may_write_rows_in_prose() -> None:
    (span,) = [one for one in spans("fares.xlsx, sheet 2&row=4-9") if one.page]
    assert (span.name, span.page, span.page_unit, span.rows) == ("fares.xlsx", 2, "sheet", (4, 9))
    cited = parse_citation("notes@v1:fares.xlsx#sheet=2&row=9")
    assert cited is not None
    assert cited.rows == (9, 9)
