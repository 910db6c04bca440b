"""The benches give the figures that a hand gives, and name the data that they lack."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from importlib.util import cache_from_source
from math import log2
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ir_measures", reason="pip install ir-measures")

from bench.__main__ import main
from bench.answering.citations import find_uncovered, place_of
from bench.frame import Options, SkippedError, load_results
from bench.product import compile_package
from bench.report import MARKERS, fill
from bench.retrieval.spans import score_spans
from bench.variants import VARIANTS
from bench.waits import Waits

from bench.retrieval import quality
from pincite.errors import UsageError
from pincite.evals.analysis.statistics import median, quantile
from pincite.evals.golden.beir import read_beir
from pincite.model import Chunk, Matrix, Vector

DIRECTIONS = {
    "red apple": (1.0, 0.0),
    "green apple pie": (0.6, 0.8),
    "blue sky": (0.0, -1.0),
    "apple pie": (0.9, 0.4358899),
    "cloud": (0.0, -1.0),
}


class TwoDimensions:
    """A dense encoder that knows five texts."""

    fingerprint = "two dimensions"
    dimensions = 2
    languages: frozenset[str] = frozenset()

    async def embed_query(self, text: str) -> Vector:
        return np.array(DIRECTIONS[text], np.float32)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return np.array([DIRECTIONS[" ".join(text.split())] for text in texts], np.float32)


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Three documents, one with a title; two judged queries and one that is not."""
    folder = tmp_path / "data" / "tiny"
    (folder / "qrels").mkdir(parents=True)
    rows = [
        {"_id": "d1", "title": "", "text": "red apple"},
        {"_id": "d2", "title": "green", "text": "apple pie"},
        {"_id": "d3", "title": "", "text": "blue sky"},
        {"_id": "d4", "title": "", "text": " "},
    ]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    asked = [
        {"_id": "q1", "text": "apple pie"},
        {"_id": "q2", "text": "cloud"},
        {"_id": "q3", "text": "not judged"},
    ]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)))
    judged = ["query-id\tcorpus-id\tscore", "q1\td1\t2", "q1\td2\t1", "q2\td3\t1", "q3\td1\t0"]
    (folder / "qrels" / "test.tsv").write_text("\n".join(judged))
    return folder


def test_quality_gives_the_figures_of_a_hand(collection: Path) -> None:
    figures = asyncio.run(quality.measure(read_beir(collection), TwoDimensions()))
    assert (figures.documents, figures.blank, figures.queries) == (4, 1, 2)
    lexical, dense = figures.scores["lexical"], figures.scores["dense"]
    # "apple pie" has both words in d2 and one in d1, so by word d2 (gain 1) comes before d1
    # (gain 2); "cloud" is in no document.
    found = 1 / log2(2) + 2 / log2(3)
    ideal = 2 / log2(2) + 1 / log2(3)
    assert lexical.ndcg_10 == pytest.approx((found / ideal + 0) / 2)
    assert lexical.recall_100 == pytest.approx((1 + 0) / 2)
    assert lexical.mrr_10 == pytest.approx((1 + 0) / 2)
    # Cosines of "apple pie": d1 .9, d2 .89; of "cloud": d3 1. Every order is the ideal one.
    assert dense.ndcg_10 == pytest.approx(1)
    assert dense.recall_100 == pytest.approx(1)
    assert dense.mrr_10 == pytest.approx(1)
    assert set(figures.scores) == set(VARIANTS)
    assert figures.lexical_holds  # there is no reference for it
    assert figures.default_holds == (figures.scores["default"].ndcg_10 >= 1 - 0.015)


def test_missing_data_is_named_and_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere, out = tmp_path / "nowhere", tmp_path / "out.json"
    options = Options(nowhere, nowhere, tmp_path, tmp_path)
    with pytest.raises(SkippedError, match="nowhere"):
        asyncio.run(quality.run(options))
    arguments = ["--only", "quality", "golden", "--out", str(out), "--quick"]
    assert main([*arguments, "--data", str(nowhere), "--golden", str(nowhere)]) == 0
    printed = capsys.readouterr().out
    assert "quality is skipped" in printed
    subjects = load_results(out).subjects
    assert str(nowhere) in subjects["quality"].skipped
    assert "adk-dev.jsonl" in subjects["golden"].skipped
    assert subjects["golden"].machine.cores >= 1


def test_a_collection_without_a_file_says_how_it_is_laid_out(collection: Path) -> None:
    (collection / "queries.jsonl").unlink()
    with pytest.raises(UsageError, match=r"queries\.jsonl is missing \(BEIR layout"):
        read_beir(collection)


def test_span_recall_counts_characters_once() -> None:
    def chunk(key: str, path: str, start: int, end: int) -> Chunk:
        where = {"source_type": "docs", "language": "text", "start_line": 1, "end_line": 1}
        return Chunk(key, "r", "f", path, start=start, end=end, text="", content_hash="", **where)  # type: ignore[arg-type]

    question = {"corpus_id": "x", "references": [{"start_index": 10, "end_index": 30}]}
    ranked = [chunk("a", "x.txt", 0, 15), chunk("b", "x.txt", 10, 20), chunk("c", "y.txt", 10, 30)]
    scores = score_spans([question], [ranked], {"a": 4, "b": 3, "c": 5})
    assert scores.recall[5] == pytest.approx(10 / 20)
    assert scores.precision[5] == pytest.approx(10 / (15 + 10 + 20), abs=1e-4)
    assert scores.tokens[5] == 12


def test_coverage_sees_the_columns_that_no_chunk_has() -> None:
    assert place_of("r@f:a b#c.md#L3C10-L9C2") == (3, 10, 9, 2)
    assert place_of("r@f:x#L3") == (3, 0, 3, 0)
    lines = ["one", "", "a long line", "end"]
    assert find_uncovered(lines, [(1, 0, 1, 0), (3, 1, 3, 6), (3, 7, 4, 3)]) == []
    assert find_uncovered(lines, [(1, 0, 1, 0), (3, 1, 3, 6), (3, 9, 4, 3)]) == [3]
    assert find_uncovered(lines, []) == [1, 3, 4]


def test_quantiles_are_values_that_occurred() -> None:
    assert median([3, 1, 2]) == 2
    assert median([4, 1, 2, 3]) == 2.5
    assert quantile(range(1, 101), 0.95) == 95
    assert quantile([7], 0.95) == 7


def test_a_pause_is_seen_by_every_search_that_falls_into_it() -> None:
    async def nothing() -> None:
        await asyncio.sleep(0)

    async def watch() -> list[float]:
        waits = Waits(nothing, every_s=0.02)
        async with waits.during("pause"):
            await asyncio.sleep(0.05)
            time.sleep(0.2)  # noqa: ASYNC251 - the pause
            await asyncio.sleep(0.05)
        return waits.found["pause"]

    found = asyncio.run(watch())
    assert max(found) >= 175
    assert sum(wait >= 50 for wait in found) >= 6


def test_modules_are_compiled_before_anything_is_timed(tmp_path: Path) -> None:
    module = tmp_path / "inner" / "lantern.py"
    module.parent.mkdir()
    module.write_text("OIL = 1\n")
    compile_package(tmp_path)
    assert Path(cache_from_source(str(module))).is_file()


def test_the_report_replaces_tables_and_keeps_the_prose() -> None:
    begin, end = MARKERS[0].format("quality"), MARKERS[1].format("quality")
    page = f"before\n{begin}\nold\n{end}\nafter\n"
    assert fill(page, {"quality": "new"}) == f"before\n{begin}\n\nnew\n\n{end}\nafter\n"
    with pytest.raises(ValueError, match="golden"):
        fill(page, {"golden": "new"})
