"""`pincite eval` as its users meet it: the real command, an index of its own, no model."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path

import pytest

from tests.surfaces.conftest import Cli, cli

__all__ = ["cli"]

PAGES = {
    "keys": "# Keys\n\n## Rotating\n\nTo rotate a key call `rotate_key` with the new secret.\n",
    "backups": "# Backups\n\nBackups run every night and are kept for thirty days elsewhere.\n",
    "billing": "# Billing\n\nInvoices are sent on the first day of each month to the daemon.\n",
    "limits": "# Limits\n\nA request above the rate limit is answered with status 429.\n",
}
VERBS = ("shred", "engrave", "auction", "translate", "tattoo")
QUESTIONS = (
    ("q1", "how do I rotate a key", "keys"),
    ("q2", "how long are backups kept", "backups"),
    ("q3", "when are invoices sent to the daemon", "billing"),
    ("q4", "what answers a request above the rate limit", "limits"),
)


@pytest.fixture
def indexed(cli: Cli) -> Cli:
    """Four pages, indexed by word, and a golden set over them."""
    for name, text in PAGES.items():
        cli.write(f"docs/{name}.md", text)
    rows: list[dict[str, object]] = [
        {"id": key, "query": query, "expected": [{"path": f"{path}.md", "grade": 3}]}
        for key, query, path in QUESTIONS
    ]
    rows += [
        {"id": f"off{n}", "query": text, "off_topic": True}
        for n, text in enumerate(("roast chicken juicy oven", "violin lacquer ballad"))
    ]
    cli.write("golden.jsonl", "\n".join(map(json.dumps, rows)))
    cli("index", "docs", "--lexical")
    return cli


@pytest.mark.parametrize(
    "command",
    [
        ("run", "golden.jsonl", "-o", "out.json"),
        ("gate", "golden.jsonl", "--baseline", "base.json", "-o", "out.json"),
        ("sweep", "golden.jsonl", "-o", "out.json", "--vary", "select.results=4,8"),
    ],
)
def test_a_missing_package_is_named_before_any_work(cli: Cli, command: tuple[str, ...]) -> None:
    missing = "raise ModuleNotFoundError('No module named ir_measures', name='ir_measures')\n"
    cli.write("hidden/ir_measures.py", missing)
    cli.write("golden.jsonl", '{"id": "q", "query": "how", "expected": [{"path": "a.md"}]}\n')
    done = cli("eval", *command, code=2, PYTHONPATH=str(cli.folder / "hidden"))
    assert 'pip install "pincite[eval]"' in done.stderr
    assert "no index" not in done.stderr
    assert not (cli.folder / "out.json").exists()


def test_a_user_measures_compares_gates_tunes_and_reports(indexed: Cli) -> None:
    cli = indexed
    assert "6 questions, 4 judged, 2 off topic" in cli("eval", "check", "golden.jsonl").stdout
    summary = cli.json("eval", "run", "golden.jsonl", "-o", "base.json")
    assert summary["measures"]["RR@12"]["mean"] == 1
    assert (summary["precision"], summary["recall"]) == (1, 1)

    worse = ("--set", "gate.coverage_share={grounded_at=2.0, weak_at=2.0}")
    assert cli("eval", "gate", "golden.jsonl", "--baseline", "base.json").stdout.count("| ") > 4
    failed = cli(
        *("eval", "gate", "golden.jsonl", "--baseline", "base.json", "-o", "now.json"),
        *worse,
        code=3,
    )
    assert "Worse than the baseline: nDCG@10" in failed.stdout
    cli("eval", "gate", "--run", "now.json", "--baseline", "base.json", code=3)
    compared = cli.json("eval", "compare", "base.json", "now.json", "-m", "RR")
    assert compared["differences"][0]["delta"] == -1

    cli("eval", "report", "base.json", "now.json", "-o", "report.html")
    assert (cli.folder / "report.html").read_text().startswith("<!doctype html>")
    assert "## Runs compared" in cli("eval", "report", "base.json", "now.json").stdout

    vary = ("--vary", "fuse.method=rrf,dbsf", "--vary", "select.results=1,3")
    swept = ("eval", "sweep", "golden.jsonl", "-o", "sweep", *vary)
    table = cli.json(*swept, "--jobs", "2")
    assert len(table["rows"]) == 5
    assert len(list((cli.folder / "sweep").glob("cells-*.jsonl"))) == 2
    assert cli.json(*swept) == table  # nothing is done again
    assert "Best by nDCG@10" in cli(*swept).stdout
    assert (
        "no field 'fuse.metod'"
        in cli(
            *("eval", "sweep", "golden.jsonl", "-o", "other", "--vary", "fuse.metod=rrf"), code=2
        ).stderr
    )

    cli("eval", "export", "golden.jsonl", "-o", "trec")
    cli("eval", "export", "base.json", "-o", "trec")
    assert sorted(p.name for p in (cli.folder / "trec").iterdir()) == [
        *("qrels.txt", "run.txt", "topics.tsv")
    ]
    cli("eval", "import", "trec/topics.tsv", "--qrels", "trec/qrels.txt", "-o", "again.jsonl")
    assert cli.json("eval", "run", "again.jsonl")["measures"]["RR@12"]["mean"] == 1

    search = ("search", "how", "do", "I", "rotate", "a", "key")
    assert cli.json(*search)["verdict"]["thresholds"] == "measured"
    few = cli("eval", "calibrate", "base.json", "--write", "pincite.toml", code=2)
    assert "| coverage/share" in few.stdout  # what there is to see is shown
    assert "need 20 off-topic questions, but golden has 2 far and 0 near" in few.stderr
    assert not (cli.folder / "pincite.toml").exists()
    more = [
        {"id": f"near{n}", "query": f"{verb} {noun} quarterly", "off_topic": True, "near": True}
        for n, (verb, noun) in enumerate(product(VERBS, ("key", "backup", "invoice", "limit")))
    ]
    cli.write(
        "more.jsonl",
        (cli.folder / "golden.jsonl").read_text() + "\n" + "\n".join(map(json.dumps, more)),
    )
    assert "22 off topic, 20 near" in cli("eval", "check", "more.jsonl").stdout
    told = cli("eval", "calibrate", "more.jsonl", "--write", "pincite.toml")
    assert "4 questions on topic, 2 far off topic, 20 near" in told.stdout
    assert (
        "4 questions on topic, 2 far off topic, 20 near"
        in (cli.folder / "pincite.toml").read_text()
    )
    verdict = cli.json(*search)["verdict"]
    assert (verdict["calibrated"], verdict["thresholds"]) == (True, "calibrated")


def test_the_gate_sees_what_pincite_toml_sets_and_what_is_no_longer_asked(indexed: Cli) -> None:
    cli = indexed
    pages = [{"path": f"{name}.md"} for name in PAGES]
    query = "rotate key, backups every night, invoices each month, rate limit"
    rows = [json.dumps({"id": f"q{n}", "query": query, "expected": pages}) for n in range(3)]
    cli.write("golden.jsonl", "\n".join(rows))
    assert (
        "is not a measure"
        in cli(
            *("eval", "gate", "golden.jsonl", "--baseline", "none.json", "-m", "best"), code=2
        ).stderr
    )
    ran = cli("eval", "run", "golden.jsonl", "-o", "base.json")
    assert "Measured with 12 results, single passages; R@20, R@50 see no more" in ran.stdout
    gate = ("eval", "gate", "golden.jsonl", "--baseline", "base.json")
    assert "All of the baseline's 3 questions compared." in cli(*gate).stdout

    cli.write("pincite.toml", 'extends = "evidence"\n[select]\nresults = 1\n')
    told = cli(*gate, code=3).stdout
    assert "Worse than the baseline: nDCG@10, R@20." in told
    assert "now was measured with 1 results" in told
    assert "## evidence" in cli("eval", "run", "golden.jsonl").stdout
    cli(*gate, "--set", "select.results=12")

    (cli.folder / "pincite.toml").unlink()
    cli.write("golden.jsonl", rows[0])
    told = cli(*gate, code=3).stdout
    assert "1 of the baseline's 3 questions compared; missing or without judgements now: q1" in told
    assert "the golden set has changed since" in told
    found = cli.json(*gate, "--allow-missing")
    assert (found["passed"], found["missing"]) == (True, ["q1", "q2"])


def test_a_golden_set_is_generated_and_judged(indexed: Cli) -> None:
    cli = indexed
    long = "# Regions\n\n" + "Data of a tenant stays in the region that the daemon has chosen. " * 6
    cli.write("docs/regions.md", long)
    cli("index", "docs")
    cli("eval", "gen", "-n", "3", "-o", "made.jsonl")
    assert '"synthetic":"rule: ' in (cli.folder / "made.jsonl").read_text()
    assert "already exists" in cli("eval", "gen", "-o", "made.jsonl", code=2).stderr

    add = ("eval", "label", "mine.jsonl", "--add", "how are keys rotated?")
    told = cli(*add, stdin=b"9\n3\nq\n")
    assert "grade> " in told.stderr
    assert "1 judgements to mine.jsonl" in told.stderr
    (row,) = map(json.loads, (cli.folder / "mine.jsonl").read_text().splitlines())
    assert row["expected"][0]["grade"] == 3
    assert row["expected"][0]["start_line"] >= 1
    assert not re.search(r"keys\.md#L3", cli("eval", "label", "mine.jsonl", stdin=b"q\n").stderr)


def test_new_questions_are_judged_first_and_an_ended_input_is_an_error(indexed: Cli) -> None:
    cli = indexed
    cli.write("mine.jsonl", '{"id": "old", "query": "how are keys rotated?"}\n')
    before = (cli.folder / "mine.jsonl").read_text()
    told = cli("eval", "label", "mine.jsonl", "--add", "where are backups?", code=2, stdin=b"")
    assert "old: how are keys" not in told.stderr
    assert "the input ended before" in told.stderr
    assert "wrote 0 judgements" in told.stderr
    assert (cli.folder / "mine.jsonl").read_text() == before


def test_beir_is_imported_with_its_corpus(cli: Cli) -> None:
    cli.write("tiny/corpus.jsonl", '{"_id": "d1", "title": "", "text": "rotate keys"}\n')
    cli.write("tiny/queries.jsonl", '{"_id": "1", "text": "rotating a key"}\n')
    cli.write("tiny/qrels/test.tsv", "query-id\tcorpus-id\tscore\n1\td1\t1\n")
    told = cli("eval", "import", "tiny", "-o", "tiny.jsonl", "--corpus", "--lexical").stderr
    assert "`pincite status` counts parts of 256 chunks as documents" in told
    assert cli.json("eval", "run", "tiny.jsonl")["measures"]["RR@12"]["mean"] == 1
    again = cli("eval", "import", "tiny", "-o", "t.jsonl", "--corpus", "--lexical", code=2)
    assert "the collection 'tiny' already exists" in again.stderr
    before = (cli.folder / "tiny.jsonl").read_text()
    cli.write("tiny/queries.jsonl", '{"_id": "1", "text": "another question"}\n')
    refused = cli("eval", "import", "tiny", "-o", "tiny.jsonl", code=2)
    assert "tiny.jsonl already exists" in refused.stderr
    assert (cli.folder / "tiny.jsonl").read_text() == before
    cli.write("tiny/queries.jsonl", '{"_id": "1", "text": ""}\n')
    empty = ("eval", "import", "tiny", "-o", "e.jsonl", "--corpus", "--lexical", "-c", "other")
    assert "queries.jsonl:1: text: expected a text" in cli(*empty, code=2).stderr
    cli.write("tiny/queries.jsonl", '{"_id": "1", "text": "rotating a key"}\n')
    cli(*empty)  # nothing was indexed before
    assert "no vectors" in cli("eval", "ann", "tiny.jsonl", code=2).stderr
    near = cli("eval", "gen", "--near", "-o", "near.jsonl", code=2)
    assert "the rules found nothing to make near questions of" in near.stderr


def test_what_is_wrong_is_said_with_what_to_do(indexed: Cli, tmp_path: Path) -> None:
    cli = indexed
    cli.write("bad.jsonl", '{"id": "a", "query": "x", "expected": [{"path": "a", "grad": 1}]}')
    assert (
        "bad.jsonl:1: expected[0].grad: unknown" in cli("eval", "run", "bad.jsonl", code=2).stderr
    )
    assert (
        "no preset is named" in cli("eval", "run", "golden.jsonl", "--preset", "x", code=2).stderr
    )
    assert "is not a measure" in cli("eval", "run", "golden.jsonl", "-m", "best", code=2).stderr
    assert "at least two runs" in cli("eval", "compare", "golden.jsonl", code=2).stderr
    span = {"path": "keys.md", "start_line": 70, "end_line": 80}
    cli.write("gone.jsonl", json.dumps({"id": "a", "query": "x", "expected": [span]}))
    told = cli("eval", "run", "gone.jsonl").stderr
    assert "not_indexed: 1 expected items are not in the index" in told
    assert "such as keys.md#L70-L80 of a" in told


def test_runs_and_reports_replace_only_their_own_kind(indexed: Cli) -> None:
    cli, golden = indexed, "golden.jsonl"
    run, report = ("eval", "run", golden, "-m", "RR", "-o"), ("eval", "report", "base.json", "-o")
    cli(*run, "base.json")
    cli(*run, "base.json")
    forms = ("report.html", "report.md", "report.json")
    for name in forms * 2:
        cli(*report, name)
    gate = ("eval", "gate", "--run", "base.json", "--baseline", "base.json", "-m", "RR", "-o")
    kept = {name: (cli.folder / name).read_bytes() for name in (golden, "base.json", *forms)}
    for command, name in (
        *((run, name) for name in (golden, *forms)),
        *((report, name) for name in (golden, "base.json")),
        *((gate, name) for name in (golden, "report.json")),
        (("eval", "calibrate", "base.json", "-o"), golden),
    ):
        assert f"{name} already exists and is not a r" in cli(*command, name, code=2).stderr
    assert kept == {name: (cli.folder / name).read_bytes() for name in kept}


def golden_of(cli: Cli, name: str, *paths: str) -> str:
    """A golden set with a question for each path."""
    rows = [
        {"id": f"q{n}", "query": "how do I rotate a key", "expected": [{"path": path}]}
        for n, path in enumerate(paths)
    ]
    cli.write(name, "\n".join(map(json.dumps, rows)))
    return name


def test_paths_that_no_indexed_file_has_are_an_error_and_no_silent_zero(indexed: Cli) -> None:
    cli = indexed
    inside = golden_of(cli, "inside.jsonl", "docs/keys.md", "code/a.py")
    for command in (("run",), ("ann",), ("calibrate",), ("sweep", "-o", "s", "--vary", "fuse.k=2")):
        told = cli("eval", command[0], inside, *command[1:], code=2).stderr
        assert "none of the 2 files that inside expects is indexed, such as docs/keys.md" in told
        assert "the nearest indexed path is keys.md" in told
        assert "remove docs/ from the paths in the golden set" in told
    assert not (cli.folder / "s").exists()

    misspelt = golden_of(cli, "misspelt.jsonl", "kes.md")
    told = cli("eval", "run", misspelt, code=2).stderr
    assert "the nearest indexed path is keys.md" in told
    far = golden_of(cli, "far.jsonl", "zzzzzzzzzzzzzzzz")
    told = cli("eval", "run", far, code=2).stderr
    assert "such as zzzzzzzzzzzzzzzz\n" in told
    assert "pincite status" in told

    some = golden_of(cli, "some.jsonl", "keys.md", "docs/keys.md", *(f"no/{n}.md" for n in "abcd"))
    told = cli("eval", "run", some).stderr
    assert "5 expected items are not in the index and count as not found" in told
    assert "5 of 6 files are not indexed: docs/keys.md, no/a.md, no/b.md and 2 more" in told
    assert "(nearest to docs/keys.md: keys.md)" in told


def test_a_corpus_of_code_is_imported_as_code(cli: Cli) -> None:
    rows = [{"_id": f"d{n}", "text": f"def rotate_{n}(key):\n    return key"} for n in range(3)]
    cli.write("tiny/corpus.jsonl", "\n".join(map(json.dumps, rows)))
    cli.write("tiny/queries.jsonl", '{"_id": "1", "text": "rotate a key"}\n')
    cli.write("tiny/qrels/test.tsv", "query-id\tcorpus-id\tscore\n1\td1\t1\n")
    out = ("eval", "import", "tiny", "-o", "tiny.jsonl")
    assert "--corpus" in cli(*out, "--kind", "code", code=2).stderr
    cli(*out, "--corpus", "--kind", "code", "--lexical")
    pack = cli.json("search", "rotate", "key", "--kind", "code")
    assert {item["source_type"] for item in pack["evidence"]} == {"code"}
    assert pack["coverage"]["code"] == 3
    cli(*out[:3], "-o", "prose.jsonl", "--corpus", "-c", "prose", "--lexical")
    assert cli.json("search", "rotate", "key", "-c", "prose")["coverage"]["docs"] == 3
