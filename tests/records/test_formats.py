"""Records out of files: a line is a record or a named failure, and a broken one costs itself."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

import pytest

from pincite.errors import InvalidRecord, SourceError, UsageError
from pincite.records import csv_rows, formats
from pincite.records.field_map import FieldMap
from pincite.records.formats import format_of, read_records
from pincite.records.normalise import Placed, Unreadable, accept


def read(
    raw: bytes, kind: formats.Format, fields: FieldMap = FieldMap()
) -> list[Placed | Unreadable]:
    return list(read_records("-", kind, fields, io.BytesIO(raw)))


def failures(found: list[Placed | Unreadable]) -> list[tuple[str, int]]:
    return [(one.code, one.position) for one in found if isinstance(one, Unreadable)]


def records(found: list[Placed | Unreadable]) -> list[object]:
    return [one.given for one in found if isinstance(one, Placed)]


def test_lines_of_json_are_records_as_they_are() -> None:
    raw = b'\xef\xbb\xbf{"id": "a", "text": "x"}\r\n\n{"id": "b", "attributes": {"year": 2026}}'
    found = read(raw, "jsonl")
    assert records(found) == [
        {"id": "a", "text": "x"},
        {"id": "b", "attributes": {"year": 2026}},
    ]
    assert [one.position for one in found] == [1, 3]


def test_broken_lines_are_named_by_their_number() -> None:
    raw = b'{"id": "a"\n[1]\n{"id": "b"}\n\xff\n' + b"[" * 100_000 + b'\n{"id": NaN}\n'
    assert failures(read(raw, "jsonl")) == [
        *(("unreadable", 1), ("wrong_type", 2), ("unreadable", 4), ("unreadable", 5)),
        ("unreadable", 6),
    ]


def test_a_line_that_is_too_long_costs_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "_LONGEST_LINE", 100)
    raw = b'{"id": "' + b"x" * 1_000 + b'"}\n{"id": "b"}\n'
    found = read(raw, "jsonl")
    assert (failures(found), records(found)) == ([("too_large", 1)], [{"id": "b"}])


def test_columns_are_named_for_json_too() -> None:
    fields = FieldMap({"id": "key", "text": "body"}, {"course": "c"}, "markdown")
    assert records(read(b'{"key": 7, "body": "x", "c": "ml", "more": 1}', "jsonl", fields)) == [
        {"id": 7, "text": "x", "attributes": {"course": "ml"}, "language": "markdown"}
    ]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_table_has_columns_and_lines_in_quotes(separator: str) -> None:
    raw = io.StringIO()
    writer = csv.writer(raw, delimiter=separator)
    writer.writerow(["id", "text", "year"])
    writer.writerow(["a", 'two\nlines, "quoted"; \t|', "2026"])
    writer.writerow(["b", "x", ""])
    fields = FieldMap(attributes={"year": "year"})
    found = read(b"\xef\xbb\xbf" + raw.getvalue().encode(), "csv", fields)
    assert records(found) == [
        {
            "id": "a",
            "text": 'two\nlines, "quoted"; \t|',
            "attributes": {"year": "2026"},
        },
        {"id": "b", "text": "x", "attributes": {"year": ""}},
    ]


def test_a_row_with_too_few_columns_costs_itself() -> None:
    found = read(b"id,text\na,x\nb\nc,y,z\nd,w\n", "csv")
    assert failures(found) == [("unreadable", 3), ("unreadable", 4)]
    assert len(records(found)) == 2


def test_a_field_without_an_end_ends_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_rows, "MOST_TEXT_CHARS", 1_000)
    before = csv.field_size_limit()
    found = read(b'id,text\na,x\nb,"' + b"never ends\n" * 1_000, "csv")
    assert failures(found) == [("too_large", 3)]
    assert len(records(found)) == 1
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("rest", "line"),
    [
        ('c,"never\nends\nd,y\n', 4),
        ('c,"never\nends\nd,y', 4),
        ('c,"', 4),
        ('c,"\n', 4),
        ('c,"\n\n', 4),
        ('"c\nc","never', 5),
        ('c,"say ""hi""', 4),
        ('c,y\n"never', 5),
    ],
)
def test_a_quote_without_an_end_is_reported_by_the_line_where_it_begins(
    rest: str, line: int, end: str
) -> None:
    raw = f'id,text\na,"two\nlines"\n{rest}'.replace("\n", end)
    found = read(raw.encode(), "csv")
    assert failures(found) == [("unreadable", line)]
    assert f"the quote that begins in line {line} has no end" in found[-1].message  # type: ignore[union-attr]
    assert records(found)[0] == {"id": "a", "text": f"two{end}lines", "attributes": {}}


def test_quotes_within_and_after_a_field_are_text() -> None:
    found = records(read(b'id,text\na,"x"y\nb,x "y" z\nc,"x"', "csv"))
    assert [one["text"] for one in found] == ["xy", 'x "y" z', "x"]  # type: ignore[index]


def test_a_header_whose_quote_has_no_end_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SourceError, match="the quote that begins in line 1 has no end"):
        read(b'id,"text\na,x\n', "csv")
    monkeypatch.setattr(csv_rows, "MOST_TEXT_CHARS", 1_000)
    with pytest.raises(SourceError, match="the header of the standard input cannot be read"):
        read(b'id,"text\n' + b"a,x\n" * 1_000, "csv")


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match="has no column 'id'; its columns: key, body"):
        read(b"key,body\na,x\n", "csv")
    with pytest.raises(UsageError, match="has no column 'course'"):
        read(b"id,text\na,x\n", "csv", FieldMap(attributes={"course": "course"}))


def test_rows_of_parquet_are_typed(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = {"id": [1, 2], "body": ["x", "y"], "year": [2026, None], "labels": [["a"], []]}
    place = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table(rows), place)
    fields = FieldMap({"text": "body"}, {"year": "year", "labels": "labels"})
    found = list(read_records(str(place), None, fields, io.BytesIO()))
    assert records(found) == [
        {"id": 1, "text": "x", "attributes": {"year": 2026, "labels": ["a"]}},
        {"id": 2, "text": "y", "attributes": {"year": None, "labels": []}},
    ]


def of_parquet(
    place: Path, columns: Mapping[str, Any], fields: FieldMap = FieldMap()
) -> list[Placed | Unreadable]:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    count = len(next(iter(columns.values())))
    held = {"id": list(range(count)), "text": ["x"] * count, **columns}
    parquet.write_table(pyarrow.table(held), place)
    return list(read_records(str(place), "parquet", fields, io.BytesIO()))


def attributes_of(found: list[Placed | Unreadable]) -> list[object]:
    return [one["attributes"] for one in records(found)]  # type: ignore[index]


def test_nanoseconds_are_cut_to_microseconds(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    kind = pyarrow.timestamp("ns", "UTC")
    moment, nanos = datetime(2023, 11, 14, 22, 13, 20, 123456, UTC), 1_700_000_000_123_456_789
    nested = pyarrow.array([{"due": nanos}, None], pyarrow.struct({"due": kind}))
    columns = {"ts": pyarrow.array([nanos, None], kind), "attributes": nested}
    found = of_parquet(tmp_path / "a", columns, FieldMap(attributes={"ts": "ts"}))
    assert attributes_of(found) == [{"due": moment, "ts": moment}, {"ts": None}]
    clock = pyarrow.array([1_001], pyarrow.time64("ns"))
    found = of_parquet(tmp_path / "b", {"t": clock}, FieldMap(attributes={"t": "t"}))
    assert attributes_of(found) == [{"t": time(0, 0, 0, 1)}]


@pytest.mark.parametrize("unit", ["ms", "us"])
@pytest.mark.parametrize("zone", [None, "UTC", "America/New_York"])
def test_a_time_beyond_the_years_of_python_costs_its_row(
    tmp_path: Path, unit: str, zone: str | None
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    far = pyarrow.array([0, 2**62, None, -(2**62), 0], pyarrow.timestamp(unit, zone))
    found = of_parquet(tmp_path / "a", {"ts": far}, FieldMap(attributes={"ts": "ts"}))
    assert failures(found) == [("unreadable", 2), ("unreadable", 4)]
    assert "the value of 'ts' cannot be read" in found[1].message  # type: ignore[union-attr]
    assert [one.position for one in found] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("kind", ["list_", "large_list", "fixed"])
def test_nanoseconds_within_lists_are_cut(tmp_path: Path, kind: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    inner = pyarrow.timestamp("ns")
    listed = pyarrow.list_(inner, 1) if kind == "fixed" else getattr(pyarrow, kind)(inner)
    cells = pyarrow.array([[1_700_000_000_123_456_789], None], listed)
    found = of_parquet(tmp_path / "a", {"at": cells}, FieldMap(attributes={"at": "at"}))
    moment = datetime(2023, 11, 14, 22, 13, 20, 123456)
    assert attributes_of(found) == [{"at": [moment]}, {"at": None}]


def test_a_time_zone_that_nobody_knows_costs_the_rows_with_a_time(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    odd = pyarrow.array([0, None], pyarrow.timestamp("us", "Nowhere/Land"))
    found = of_parquet(tmp_path / "a", {"ts": odd}, FieldMap(attributes={"ts": "ts"}))
    assert failures(found)[:1] == [("unreadable", 1)]


def test_a_map_of_parquet_has_attributes(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    kind = pyarrow.map_(pyarrow.string(), pyarrow.string())
    rows = [[("course", "ml")], [], None, [("a", "x"), ("a", "y")]]
    found = of_parquet(tmp_path / "a", {"attributes": pyarrow.array(rows, kind)})
    assert attributes_of(found) == [{"course": "ml"}, {}, {}]
    assert failures(found) == [("unreadable", 4)]
    found = of_parquet(tmp_path / "b", {"attributes": [["a"], []]})
    assert attributes_of(found) == [["a"], []]


def test_attributes_in_a_text_are_a_json_object_or_refused() -> None:
    table = (
        'id;text;attributes;year\na;x;{"course": "ml"};2026\nb;x;course=ml;1\nc;x;;\nd;x;[1];1\n'
    )
    found = read(table.encode(), "csv", FieldMap(attributes={"year": "year"}))
    held = [{"course": "ml", "year": "2026"}, "course=ml", {"year": ""}, "[1]"]
    assert attributes_of(found) == held
    for given in (records(found)[1], records(found)[3]):
        with pytest.raises(InvalidRecord, match="the column 'attributes' is a text") as caught:
            accept(given, 1, {})
        assert caught.value.hint.endswith("--attribute NAME=attributes")
    as_it_is = records(read(b'{"id": 1, "text": "x", "attributes": "y"}', "jsonl"))[0]
    with pytest.raises(InvalidRecord, match="`attributes` is a str, not a mapping"):
        accept(as_it_is, 1, {})
    empty = read(b"id,text,attributes\na,x,null\nb,x, null \n", "csv")
    assert attributes_of(empty) == [{}, {}]
    lines = b'{"id": 1, "text": "x", "attributes": "{\\"a\\": 1}"}\n'
    assert attributes_of(read(lines, "jsonl")) == [{"a": 1}]
    assert attributes_of(read(lines, "jsonl", FieldMap({"text": "text"}))) == [{"a": 1}]
    odd = b'{"id": 1, "text": "x", "attributes": [["a", "b"]]}\n'
    for fields in (FieldMap(), FieldMap({"text": "text"})):
        with pytest.raises(InvalidRecord, match="`attributes` is a list, not a mapping"):
            accept(records(read(odd, "jsonl", fields))[0], 1, {})


def test_a_column_that_is_an_attribute_is_not_a_field_too() -> None:
    table = b"id,text,language,url,title,attributes,pages\n7,x,de,x.org,T,y,3\n"
    named = {one: one for one in ("id", "text", "language", "url", "title", "attributes", "pages")}
    found = records(read(table, "csv", FieldMap({"title": "title"}, named, "markdown")))
    values = {"language": "de", "url": "x.org", "attributes": "y", "pages": "3"}
    assert found == [
        {
            "id": "7",
            "text": "x",
            "title": "T",
            "language": "markdown",
            "attributes": {**values, "id": "7", "text": "x", "title": "T"},
        }
    ]


def test_what_is_no_parquet_file_is_named(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    place = tmp_path / "a.parquet"
    place.write_bytes(b"PAR1 or so")
    with pytest.raises(SourceError, match="is not a Parquet file"):
        list(read_records(str(place), None, FieldMap(), io.BytesIO()))


def test_the_format_is_seen_by_the_name() -> None:
    assert [format_of(one, None) for one in ("-", "a.JSONL", "b.tsv", "c.parquet")] == [
        *("jsonl", "jsonl", "csv"),
        "parquet",
    ]
    assert format_of("a.txt", "csv") == "csv"
    with pytest.raises(UsageError, match=r"a\.txt: the format is not clear"):
        format_of("a.txt", None)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(SourceError, match=r"gone\.jsonl cannot be read"):
        list(read_records("gone.jsonl", None, FieldMap(), io.BytesIO()))


TABLE = "id;text\r\na;Müller in Zürich – 5 €\r\nb;Gäumann\r\n"
ROWS = [{"id": "a", "text": "Müller in Zürich – 5 €", "attributes": {}},
        {"id": "b", "text": "Gäumann", "attributes": {}}]  # fmt: skip


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-32", "utf-16-be"]
)
def test_a_table_of_a_spreadsheet_is_decoded_as_a_file_is(encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    assert records(read((mark + TABLE).encode(encoding), "csv")) == ROWS


def test_a_long_table_is_decoded_as_it_begins() -> None:
    rows = "".join(f"{number};Küche im Haus {number}\n" for number in range(60_000))
    assert len(rows) > 1_000_000
    for encoding in ("cp1252", "utf-16", "utf-8"):
        found = records(read(f"id;text\n{rows}".encode(encoding), "csv"))
        assert len(found) == 60_000
        assert found[-1] == {"id": "59999", "text": "Küche im Haus 59999", "attributes": {}}


def test_a_broken_row_of_a_table_in_utf_8_costs_itself() -> None:
    found = read("id,text\na,Küche\nb,Tür\n".encode() + b"c,\xfc\nd,x\n", "csv")
    assert failures(found) == [("unreadable", 4)]
    assert len(records(found)) == 3


def test_a_table_in_utf_16_that_ends_within_a_character_says_so() -> None:
    found = read(TABLE.encode("utf-16") + b"x", "csv")
    assert failures(found)[-1][0] == "unreadable"
    with pytest.raises(SourceError, match="is not valid utf-16-le"):
        read(b"\xff\xfex", "csv")


def test_two_columns_of_one_name_are_an_error() -> None:
    with pytest.raises(UsageError, match="has 2 columns 'text'"):
        read(b"id,text,text\na,x,y\n", "csv")
    assert records(read(b"id,text,,\na,x,,\n", "csv")) == [
        {"id": "a", "text": "x", "attributes": {}}
    ]
