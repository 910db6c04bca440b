"""Golden sets are read whole or refused with file, line and field."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from pincite.errors import UsageError
from pincite.evals.golden.beir import read_beir, read_qrels
from pincite.evals.golden.questions import (
    Expected,
    GoldenQuery,
    GoldenSet,
    Turn,
    read_golden,
    write_golden,
)
from pincite.evals.golden.targets import Targets, require_indexed
from pincite.evals.golden.trec import read_trec, write_qrels, write_run, write_topics
from pincite.evals.run.results import load_run, save_run
from pincite.profile import profile_from
from tests.evals.builders import GOLDEN, hybrid, take, write_beir

ROW = {"id": "q1", "query": "how?", "expected": [{"path": "a.md", "start_line": 1, "end_line": 3}]}


def write(place: Path, *rows: object) -> Path:
    place.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows))
    return place


def test_what_is_written_is_read(tmp_path: Path) -> None:
    queries = (
        GoldenQuery(
            "q1",
            "and in Go?",
            (
                Expected("docs/a b.md", 3, 9, 3, source_type="docs", repo="acme"),
                Expected(candidate_id="acme@1:docs/a.md:00ff", grade=0),
                Expected("whole.md"),
            ),
            mode="build",
            category="tools",
            conversation=(Turn("user", "in Python?"), Turn("assistant", "Like this: …")),
            standalone="how is it done in Go?",
        ),
        GoldenQuery("q2", "roast chicken", off_topic=True),
    )
    write_golden(tmp_path / "g.jsonl", queries)
    read = read_golden(tmp_path / "g.jsonl")
    assert read == GoldenSet("g", queries)
    assert read.fingerprint == GoldenSet("other", queries).fingerprint
    assert read.fingerprint != GoldenSet("g", queries[:1]).fingerprint
    assert [query.text for query in read.queries] == ["how is it done in Go?", "roast chicken"]


def test_the_older_name_of_mode_is_understood(tmp_path: Path) -> None:
    place = write(tmp_path / "g.jsonl", "", ROW | {"task_mode": "debug"})
    assert read_golden(place).queries[0].mode == "debug"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{", r"g\.jsonl:2: invalid JSON"),
        ("[]", r"g\.jsonl:2: a question is an object"),
        ({"query": "x"}, r"g\.jsonl:2: id: expected a text, got None"),
        ({"id": "a", "query": " "}, r"g\.jsonl:2: query: expected a text"),
        (ROW, r"g\.jsonl:2: id: 'q1' is used twice"),
        (
            ROW | {"id": "b", "expcted": []},
            r"g\.jsonl:2: expcted: unknown field; known: .*expected",
        ),
        (
            ROW | {"id": "b", "mode": "sing"},
            r"mode: Invalid enum value 'sing'; known: build, debug, ",
        ),
        (
            {"id": "b", "query": "x", "expected": [{"path": "a", "source_type": "prose"}]},
            r"g\.jsonl:2: expected\[0\]\.source_type: Invalid enum value 'prose'; known: docs",
        ),
        (
            {"id": "b", "query": "x", "expected": [{"path": "a", "grade": 3}, {"path": "a"}]},
            r"g\.jsonl:2: expected\[1\]: a is already expected\[0\]",
        ),
        (ROW | {"id": "b", "expected": 3}, r"g\.jsonl:2: expected: Expected `array`"),
        ({"id": "b", "query": "x", "expected": [{"pth": 1}]}, r"expected\[0\]\.pth: unknown field"),
        (
            {"id": "b", "query": "x", "expected": [{"path": "a", "grade": "3"}]},
            r"g\.jsonl:2: expected\[0\]\.grade: Expected `int`, got `str`",
        ),
        (
            {"id": "b", "query": "x", "expected": [{"path": "a", "grade": -1}]},
            r"grade: -1 is outside",
        ),
        ({"id": "b", "query": "x", "expected": [{}]}, r"expected\[0\]\.path: give either"),
        (
            {"id": "b", "query": "x", "expected": [{"path": "a", "start_line": 9, "end_line": 2}]},
            r"expected\[0\]\.end_line: 2 is not",
        ),
        (
            {"id": "b", "query": "x", "expected": [{"path": "a", "end_line": 2}]},
            r"start_line: lines count from 1",
        ),
        (ROW | {"id": "b", "off_topic": True}, r"expected: an off-topic question"),
    ],
)
def test_errors_name_file_line_and_field(tmp_path: Path, row: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_golden(write(tmp_path / "g.jsonl", ROW, row))


def test_a_byte_order_mark_is_no_part_of_a_golden_set(tmp_path: Path) -> None:
    place = write(tmp_path / "g.jsonl", ROW)
    plain = read_golden(place)
    place.write_bytes(b"\xef\xbb\xbf" + place.read_bytes())
    assert read_golden(place) == plain


def test_two_places_of_one_file_are_expected(tmp_path: Path) -> None:
    spans = [{"path": "a", "start_line": n, "end_line": n} for n in (1, 5)]
    row = {"id": "b", "query": "x", "expected": [*spans, {"path": "a"}, {"path": "a", "repo": "r"}]}
    assert len(read_golden(write(tmp_path / "g.jsonl", row)).queries[0].expected) == 4


def test_a_near_question_is_one_without_an_answer(tmp_path: Path) -> None:
    near = {"id": "n", "query": "how are keys printed?", "off_topic": True, "near": True}
    place = write(tmp_path / "near.jsonl", near)
    (query,) = read_golden(place).queries
    assert (query.off_topic, query.near) == (True, True)
    write_golden(place, (query,))
    assert read_golden(place).queries == (query,)
    wrong = write(tmp_path / "wrong.jsonl", {"id": "n", "query": "how?", "near": True})
    with pytest.raises(UsageError, match=r"wrong\.jsonl:1: near: ") as caught:
        read_golden(wrong)
    assert '"off_topic": true' in str(caught.value.hint)


@pytest.mark.parametrize(("name", "near"), [("far", 0), ("adk-near", 26), ("claude-near", 26)])
def test_the_questions_of_the_project_are_read(name: str, near: int) -> None:
    found = read_golden(Path(__file__).parents[2] / "golden" / f"{name}.jsonl")
    assert (len(found.queries), sum(query.near for query in found.queries)) == (26, near)
    assert all(query.off_topic and query.synthetic for query in found.queries)


def test_files_that_are_none_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.jsonl cannot be read"):
        read_golden(tmp_path / "nowhere.jsonl")
    (tmp_path / "b.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="is not UTF-8"):
        read_golden(tmp_path / "b.jsonl")
    with pytest.raises(UsageError, match="has no question"):
        read_golden(write(tmp_path / "e.jsonl", ""))


def test_beir_goes_in_and_out(tmp_path: Path) -> None:
    corpus = {"d1": "red apple", "d#2": "green\tapple"}
    golden = GoldenSet(
        "tiny",
        (
            GoldenQuery("1", "apple?", (Expected("d1", grade=2), Expected("d#2", grade=0))),
            GoldenQuery("2", "pear?", (Expected("d#2", grade=1),)),
        ),
    )
    write_beir(tmp_path / "tiny", golden, corpus)
    read = read_beir(tmp_path / "tiny")
    assert read.documents == corpus
    assert read.golden() == golden


def test_trec_goes_in_and_out(tmp_path: Path) -> None:
    golden = GoldenSet("topics", (GoldenQuery("1", "a  b", (Expected("d1", grade=2),)),))
    write_topics(tmp_path / "topics.tsv", golden)
    write_qrels(tmp_path / "qrels.txt", golden)
    assert (tmp_path / "qrels.txt").read_text() == "1 0 d1 2\n"
    read = read_trec(tmp_path / "topics.tsv", tmp_path / "qrels.txt")
    assert read.queries == (GoldenQuery("1", "a b", (Expected("d1", grade=2),)),)
    (tmp_path / "qrels.txt").write_text("1 0 d1 11\n")
    with pytest.raises(
        UsageError, match="d1 for query 1 is 11, above the highest grade 10"
    ) as caught:
        read_trec(tmp_path / "topics.tsv", tmp_path / "qrels.txt")
    assert "scale the judgements" in str(caught.value.hint)
    (tmp_path / "qrels.txt").write_text("1 0 d1 -2\n")
    read = read_trec(tmp_path / "topics.tsv", tmp_path / "qrels.txt")
    assert read.queries[0].expected[0].grade == 0  # spam, as some tracks have it
    (tmp_path / "qrels.txt").write_text("1 0 d1 much\n")
    with pytest.raises(UsageError, match=r"qrels\.txt:1: score: "):
        read_trec(tmp_path / "topics.tsv", tmp_path / "qrels.txt")
    (tmp_path / "qrels.txt").write_text("9 0 d1 1\n")
    with pytest.raises(UsageError, match="query '9' does not exist in"):
        read_trec(tmp_path / "topics.tsv", tmp_path / "qrels.txt")


def test_a_table_of_judgements_needs_no_head(tmp_path: Path) -> None:
    place = tmp_path / "qrels.txt"
    place.write_text("android-1 0 d1 2\nq2 0 d2 1\n")  # its first column contains "id"
    assert read_qrels(place) == {"android-1": {"d1": 2}, "q2": {"d2": 1}}
    place.write_text("\ufeffvideo\td1\t1\r\n\r\nvideo\td 2\t0\r\n")
    assert read_qrels(place) == {"video": {"d1": 1, "d 2": 0}}
    place.write_text("topic\tdocument\trelevance\nq1\td1\t1\n")
    assert read_qrels(place) == {"q1": {"d1": 1}}
    for wrong in ("x1 1\n", "q1 0 d1 extra 1\n", "q1\t\t1\n", "q1 d1 1.0\n", "1\n"):
        place.write_text(wrong)
        with pytest.raises(UsageError, match=r"qrels\.txt:1: score: a line takes"):
            read_qrels(place)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("corpus.jsonl", b"[1]\n", r"corpus\.jsonl:1: expected an object, got \[1\]"),
        (
            "corpus.jsonl",
            b'{"_id": "d1", "title": 5, "text": "a"}',
            "title: expected a text, got 5",
        ),
        ("corpus.jsonl", b'{"_id": "d1", "text": "\xff"}', r"corpus\.jsonl is not UTF-8"),
        ("corpus.jsonl", b"[" * 100_000, "invalid JSON"),
        ("queries.jsonl", b'{"_id": "1", "text": " "}', r"queries\.jsonl:1: text: expected a text"),
        ("queries.jsonl", b'{"_id": "7", "text": "a"}', "judges no document above 0 for a query"),
        ("qrels/test.tsv", b"\xff\td1\t1\n", r"test\.tsv is not UTF-8"),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else "",
)
def test_errors_of_a_beir_folder_name_file_and_field(
    tmp_path: Path, file: str, text: bytes, said: str
) -> None:
    golden = GoldenSet("tiny", (GoldenQuery("1", "apple?", (Expected("d1"),)),))
    write_beir(tmp_path / "tiny", golden, {"d1": "red apple"})
    (tmp_path / "tiny" / file).write_bytes(text)
    with pytest.raises(UsageError, match=said):
        read_beir(tmp_path / "tiny")


def test_a_run_without_a_time_limit_goes_to_a_file(tmp_path: Path) -> None:
    run = take(hybrid(), profile=profile_from({"gate": {"answerable_s": math.inf}}, "here"))
    save_run(tmp_path / "run.json", run)
    assert load_run(tmp_path / "run.json") == run


def test_a_run_goes_to_a_file_and_to_trec(tmp_path: Path) -> None:
    run = take(hybrid(), label="my run")
    save_run(tmp_path / "run.json", run)
    assert load_run(tmp_path / "run.json") == run
    older = json.loads((tmp_path / "run.json").read_text())
    del older["stamp"]["searched"]  # files of earlier versions lack it
    (tmp_path / "older.json").write_text(json.dumps(older))
    assert load_run(tmp_path / "older.json") == run
    write_run(tmp_path / "run.txt", run)
    rows = [line.split() for line in (tmp_path / "run.txt").read_text().splitlines()]
    assert all(len(row) == 6 for row in rows)
    first = next(row for row in rows if row[0] == "q1")
    assert first[1:4] == ["Q0", "keys", "1"]
    assert first[5] == "my_run"
    assert not any(row[0] == "q4" for row in rows)  # it was refused
    (tmp_path / "run.json").write_text('{"stamp": 1}')
    with pytest.raises(UsageError, match=r"run\.json is not a run: .*stamp"):
        load_run(tmp_path / "run.json")


def test_the_golden_set_of_the_tests_is_one(tmp_path: Path) -> None:
    write_golden(tmp_path / "tiny.jsonl", GOLDEN.queries)
    assert read_golden(tmp_path / "tiny.jsonl") == GOLDEN


def test_the_hint_for_an_id_of_a_record_speaks_of_no_folder() -> None:
    golden = GoldenSet("g", (GoldenQuery("q", "x", (Expected("1"),)),))
    for is_record, said in ((True, "add a/ before"), (False, "index a/ itself")):
        targets = Targets({}, {}, ("1",), 1, "1", "a/1", is_record)
        with pytest.raises(UsageError, match="none of the 1") as caught:
            require_indexed(golden, targets)
        assert str(caught.value.hint).startswith(said)
