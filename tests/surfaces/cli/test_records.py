"""Records as users of the command line and of Python meet them."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

import pincite as package
from pincite import AsyncPincite, Pincite, Record, UsageError, load_settings
from pincite.model.pack import EvidencePack
from pincite.surfaces.mcp.tools import ReadArguments, tools
from tests.surfaces.conftest import Cli

ROWS: list[dict[str, Any]] = [
    {"id": "t1", "text": "The printer is on fire.", "attributes": {"course": "ml"}},
    {"id": "t2", "text": "The scanner is slow.", "url": "https://desk.example/t2"},
]


def lines(*rows: object) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def test_a_file_of_records_is_imported_searched_cited_and_deleted(cli: Cli) -> None:
    cli.write("a.jsonl", lines(*ROWS) + "\n\nno json\n" + lines({"id": "t1", "text": "again"}))
    done = cli("import", "a.jsonl", "--lexical", code=1)
    assert "a.jsonl: 2 written, 2 failed records" in done.stderr
    assert "unreadable: line 5: the line is not valid JSON" in done.stderr
    assert "duplicate_id: line 6 ('t1'): line 1 has the same id and was used" in done.stderr
    assert "warning: attribute_new: attribute `course` has the type keyword" in done.stderr
    assert done.stdout == ""

    pack = json.loads(cli("search", "slow scanner", "--json").stdout)
    first = pack["evidence"][0]
    assert first["citation"].endswith(":t2#char=0,20")
    assert (first["url"], first["start_char"], first["end_char"]) == (ROWS[1]["url"], 0, 20)
    table = cli("search", "slow scanner").stdout
    assert "t2#char=0,20" in table
    assert "https://desk.example/t2" in table
    assert cli("get", first["citation"]).stdout == "The scanner is slow."
    cli.write("pack.json", json.dumps(pack))
    assert "fresh" in cli("verify", "pack.json").stdout

    (again,) = cli.json("import", "a.jsonl", "--lexical", code=1)
    assert (again["unchanged"], again["failed_count"]) == (2, 2)
    refused = cli("delete", "--where", "course = ml", code=2)
    assert "1 record would be deleted, and confirmation needs a terminal" in refused.stderr
    for given in ((), ("--id", "t1", "--where", "course = ml")):
        hint = cli("delete", *given, "--yes", code=2).stderr
        assert "try: --id a17, or --where \"course = 'ml'\"" in hint
    assert cli.json("delete", "--where", "course = ml", "--yes")["deleted"] == 1
    assert "not found: t1" in cli("delete", "--id", "t1", "--yes", code=1).stderr
    assert "1 unchanged" in cli("index", "--lexical").stderr
    cli("collections", "forget", "records")
    assert "unknown" in cli("verify", "pack.json", code=3).stdout
    assert "no source of records" in cli("delete", "--id", "t2", "--yes", code=2).stderr


def test_records_come_from_the_standard_input_and_from_tables(cli: Cli) -> None:
    cli("import", "-", "--lexical", stdin=lines(*ROWS).encode())
    table = "key;body;year\n7;A table of printers.;2026\n8;Another one.;soon\n"
    cli.write("a.csv", table)
    columns = ("--id", "key", "--text", "body", "--attribute", "year")
    done = cli("import", "a.csv", *columns, "--source", "tables", code=1)
    assert (
        "attribute_invalid: line 3 ('8'): attribute 'year': 'soon' is not a valid integer"
        in done.stderr
    )
    pack = cli.json("search", "table of printers", "--where", "year = 2026")
    assert [one["path"] for one in pack["evidence"]] == ["7"]
    assert pack["evidence"][0]["attributes"] == {"year": 2026}


def test_a_file_that_cannot_be_imported_is_named(cli: Cli) -> None:
    cli.write("a.csv", "key\n7\n")
    cli.write("a.txt", "x")
    assert "has no column 'id'" in cli("import", "a.csv", "--lexical", code=2).stderr
    assert "the format is not clear" in cli("import", "a.txt", "--lexical", code=2).stderr
    assert "cannot be read" in cli("import", "gone.jsonl", "--lexical", code=1).stderr


@pytest.fixture
def pincite(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Pincite:
    monkeypatch.setenv("PINCITE_OFFLINE", "1")
    monkeypatch.setenv("PINCITE_IDLE_S", "30")
    monkeypatch.chdir(cli.folder)
    return Pincite(Path(cli.folder / ".pincite"))


def test_python_writes_reads_and_deletes_records(pincite: Pincite) -> None:
    options = package.IndexOptions(lexical=True)
    with pincite:
        report = pincite.upsert([Record("t3", "Toner is out."), *ROWS], options=options)
        assert (report.written, report.chunks) == (3, 3)
        pack: EvidencePack = pincite.search("toner")
        assert pack.evidence[0].path == "t3"
        assert pincite.verify(pack)[0].status == "fresh"
        assert pincite.get("t3").text == "Toner is out."
        assert pincite.upsert(ROWS[:1], options=options).unchanged == 1
        changed = {**ROWS[0], "attributes": {"course": "stats"}}
        assert pincite.upsert([changed], options=options).rewritten == 1
        found = pincite.search("printer", scope=package.Scope(where="course = stats"))
        assert [one.attributes for one in found.evidence] == [{"course": "stats"}]
        assert pincite.delete(ids=["t3"]).deleted == 1
        assert [one.path for one in pincite.search("toner").evidence] == []


def test_one_name_of_two_types_keeps_nobody_from_reading_both(pincite: Pincite, cli: Cli) -> None:
    options = package.IndexOptions(lexical=True)
    scope = package.Scope
    with pincite:
        for name, year in (("a", 2020), ("b", "2020")):
            row = {
                "id": f"{name}1",
                "text": f"Report {name} is read.",
                "attributes": {"year": year},
            }
            pincite.upsert([row], collection=name, options=options)
        pack: EvidencePack = pincite.search("report")
        assert {one.path for one in pack.evidence} == {"a1", "b1"}
        assert [one.status for one in pincite.verify(pack)] == ["fresh", "fresh"]
        assert pincite.get("b1").text == "Report b is read."
        assert {one.path for one in pincite.files().files} == {"a1", "b1"}
        assert [one.text for one in pincite.get_many(["a1", "b1"]).passages] == [
            "Report a is read.",
            "Report b is read.",
        ]
        checked = pincite.check([one.citation for one in pack.evidence])
        assert {one.path for one in checked} == {"a1", "b1"}
        assert "Report a is read." in pincite.context_for("report").text
        for asked in (scope(where="year = 2020"), scope(tags={"year": "2020"})):
            with pytest.raises(package.UsageError, match="integer in 'a' and keyword in 'b'"):
                pincite.search("report", scope=asked)
        for name, where in (("a", "2019 < year < 2021"), ("b", "year ^= 20")):
            found = pincite.search("report", scope=scope(where=where, collections=(name,)))
            assert [one.path for one in found.evidence] == [f"{name}1"]
    assert {one["path"] for one in cli.json("search", "report")["evidence"]} == {"a1", "b1"}
    assert cli("get", "a1").stdout == "Report a is read."
    refused = cli("search", "report", "--where", "not year = 2020", code=2).stderr
    assert "one search cannot filter both by it" in refused
    assert "-c b" in refused


@pytest.mark.parametrize(
    "where", ["course = mll", "year > 100", "language = go", "kind = code", "not course = ml"]
)
def test_a_filter_without_a_match_is_named_where_words_alone_are_searched(
    pincite: Pincite, where: str
) -> None:
    row = {"id": "m1", "text": "Gradients vanish.", "attributes": {"course": "ml", "year": 2}}
    with pincite:
        pincite.upsert([row], options=package.IndexOptions(lexical=True))
        pack = pincite.search("gradients", where=where)
        said = {one.code: one.message for one in pack.warnings}
        assert said["nothing_in_scope"] == f"no indexed document matches where={where!r}"
        block = pincite.context_for("gradients", where=where).text
        assert "Nothing was searched." in block
        assert "Nothing relevant is indexed" not in block
        tagged = pincite.search("gradients", tags={"course": "mll"})
        assert "nothing_in_scope" in [one.code for one in tagged.warnings]
        elsewhere = pincite.search("gradients", where="path = other")
        said = {one.code: one.message for one in elsewhere.warnings}
        assert said["nothing_in_scope"].endswith("where='path = other'; ids are such as m1")
        held = pincite.search("zebra", where="course = ml and year = 2 and kind = docs")
        assert "nothing_in_scope" not in [one.code for one in held.warnings]


def test_an_agent_reads_a_long_record_piece_by_piece(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINCITE_IDLE_S", "30")
    text = "word " * 9_000 + "\nlast line"

    async def read() -> str:
        settings = load_settings(os.environ, cli.folder, cli.folder / ".pincite")
        async with AsyncPincite(settings) as engine:
            options = package.IndexOptions(lexical=True)
            await engine.upsert([{"id": "long", "text": text}], options=options)
            (tool,) = [one for one in tools(engine) if one.name == "read_lines"]
            locator, found = "long", ""
            for _ in range(3):
                asked = ReadArguments(locator=locator, detail="full", max_tokens=50_000)
                answer = await tool.run(asked)
                assert answer.structure is not None
                passage = answer.structure["passage"]
                assert len(passage["text"]) <= 20_000
                assert passage["citation"].endswith(
                    f"#char={passage['start_char']},{passage['end_char']}"
                )
                assert answer.structure["rest"] in answer.text
                found += passage["text"]
                locator = answer.structure["rest"]
            assert locator == ""
            return found

    assert asyncio.run(read()) == text


def test_an_unknown_language_is_refused_before_anything_is_written(cli: Cli) -> None:
    cli.write("a.jsonl", lines(*ROWS))
    cli.write("docs/keys.md", "# Schlüssel\n\nDie Schlüssel werden getauscht.\n")
    for command in (
        ("index", "docs", "--lexical"),
        ("import", "a.jsonl", "--lexical"),
        ("collections", "rebuild", "main"),
    ):
        refused = cli(*command, "--language", "klingon", code=2).stderr
        assert "language is 'klingon'; it takes one of auto, arabic," in refused, command
    with Pincite(load_settings({}, cli.folder)) as pincite:
        with pytest.raises(UsageError, match="it takes one of auto"):
            pincite.upsert(ROWS, language="klingon", lexical=True)
        with pytest.raises(UsageError, match="it takes one of auto"):
            pincite.index(cli.folder / "docs", language="klingon", lexical=True)
    assert "no index exists" in cli("search", "x", code=1).stderr
    cli("index", "docs", "--lexical", "--language", "DE")
    (found,) = cli.json("collections")
    assert found["spec"]["language"] == "german"
    cli("index", "docs", "--language", "German")  # the same one
