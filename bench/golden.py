"""The golden set: evidence for real questions over documentation and source code, and the gate.

The ADK documentation and the wheel of its code are indexed by the product, with its owner process;
every question is asked in all variants. A follow-up question is asked in its `standalone` form.

- A chunk *counts for* an expected span if both are of the same file and share at least half of
  the lines of the shorter one.
- span recall@k: the share of a question's expected spans (any grade) that one of the first k
  chunks counts for, mean over the questions that are on topic.
- nDCG@12: the gain of a chunk is the best grade (1..3) of the spans that it counts for and no
  chunk before it did; the ideal order has all expected spans by grade.
- MRR@12: 1 / rank of the first chunk that counts for a span; `MRR3@12` for a span of grade 3.
- Gate: the verdict of the profile as shipped. A refusal is the verdict `none`; refusal precision
  is the share of refused questions that are off topic, refusal recall the share of the off-topic
  questions that are refused. A perfect gate would have both at 1.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.beir import read_rows
from bench.frame import Options, SkippedError, require
from bench.measures import evaluate, parse
from bench.product import dense_of, open_product, spec_of, temporary_folder
from bench.variants import VARIANTS, ask, deps_of, profile_of
from pincite.model import Evidence
from pincite.options import IndexOptions

WHEEL = "google-adk==2.13.0"
_DEPTHS = (5, 10, 20, 50)
_QUICK_FOLDER = "docs/tools-custom/"
_DOCS_LAYOUT = "the Markdown of the ADK documentation, as adk-docs/docs/..."

Run = Mapping[str, Sequence[Evidence]]  #: chunks by question, best first
Expected = Mapping[str, Sequence[dict[str, Any]]]  #: spans by question


@dataclass(frozen=True, slots=True)
class GoldenScores:
    """Means over the questions that are on topic, 0..1."""

    recall: dict[int, float]
    ndcg_12: float
    mrr_12: float
    mrr3_12: float


@dataclass(frozen=True, slots=True)
class GateFigures:
    """Questions by verdict; None where nothing was refused."""

    on_topic: dict[str, int]
    off_topic: dict[str, int]
    refusal_precision: float | None
    refusal_recall: float | None


@dataclass(frozen=True, slots=True)
class GoldenFigures:
    """What was indexed, what was found in each variant, and what the gate said."""

    documents: int
    chunks: int
    questions: int
    scores: dict[str, GoldenScores]
    gate: GateFigures


async def run(options: Options) -> GoldenFigures:
    """Index, ask, score. Raises SkippedError naming what is missing."""
    parse("nDCG@12")
    golden = require(options.golden / "adk-dev.jsonl", "one question with its spans per line")
    docs = require_docs(options)
    rows = list(read_rows(golden))
    if options.quick:
        rows = [row for row in rows if row["off_topic"] or _within(row, _QUICK_FOLDER)]
    with temporary_folder() as work:
        wheel = None if options.quick else find_wheel(options, work)
        async with open_product(work / "index", options) as engine:
            chosen = IndexOptions(include=(_QUICK_FOLDER,) if options.quick else ())
            await engine.index([docs], options=chosen)
            if wheel is not None:
                await engine.index([wheel])
            client = engine.client()
            info = (await client.collections())[0]
            spec = await spec_of(client)
            dense = dense_of(engine, spec)
            questions = {row["id"]: row.get("standalone") or row["query"] for row in rows}
            expected = {row["id"]: row["expected"] for row in rows if not row["off_topic"]}
            scores = {}
            for variant in VARIANTS:
                deps = deps_of(variant, spec, client, dense)
                profile = profile_of(variant, results=max(_DEPTHS))
                found = {
                    key: (await ask(questions[key], deps, profile)).evidence for key in expected
                }
                scores[str(variant)] = score(expected, found)
                print(f"  {variant}: {_line(scores[variant])}")
            shipped = profile_of("default", results=12, keep=False)
            deps = deps_of("default", spec, client, dense)
            verdicts = {
                key: (await ask(text, deps, shipped)).verdict.level
                for key, text in questions.items()
            }
    gate = _gate(verdicts, set(expected))
    print(f"  gate: on topic {gate.on_topic}, off topic {gate.off_topic}")
    return GoldenFigures(info.documents, info.chunks, len(rows), scores, gate)


def _within(row: Mapping[str, Any], folder: str) -> bool:
    return any(span["path"].startswith(folder) for span in row["expected"])


def find_wheel(options: Options, work: Path) -> Path:
    """The wheel that was given, or downloaded by pip. Raises SkippedError."""
    if options.wheel is not None:
        return require(options.wheel, f"the wheel {WHEEL}")
    command = (sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "-d", str(work))
    done = subprocess.run((*command, WHEEL), capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise SkippedError(f"{WHEEL} could not be downloaded ({last}); give it with --wheel")
    return next(work.glob("*.whl"))


def score(expected: Expected, found: Run) -> GoldenScores:
    """All measures of one run, see the module's docstring."""
    grades = {
        key: {str(number): span["grade"] for number, span in enumerate(spans)}
        for key, spans in expected.items()
    }
    covered = {key: _covered(spans, found[key]) for key, spans in expected.items()}
    recall = {}
    for depth in _DEPTHS:
        sets = {
            key: [name for names in by_rank[:depth] for name in names]
            for key, by_rank in covered.items()
        }
        recall[depth] = evaluate(("SetR",), grades, sets)["SetR"]
    ranked = {
        key: [names[0] if names else f"miss {rank}" for rank, names in enumerate(by_rank)]
        for key, by_rank in covered.items()
    }
    values = evaluate(("nDCG@12", "RR@12", "RR(rel=3)@12"), grades, ranked)
    return GoldenScores(recall, values["nDCG@12"], values["RR@12"], values["RR(rel=3)@12"])


def _covered(spans: Sequence[dict[str, Any]], chunks: Sequence[Evidence]) -> list[list[str]]:
    """For each chunk, the spans that it is the first to count for, the best grade first."""
    left = sorted(range(len(spans)), key=lambda number: (-spans[number]["grade"], number))
    covered = []
    for chunk in chunks:
        new = [number for number in left if counts_for(chunk, spans[number])]
        left = [number for number in left if number not in new]
        covered.append([str(number) for number in new])
    return covered


def counts_for(chunk: Evidence, span: Mapping[str, Any]) -> bool:
    """Same file, and at least half of the lines of the shorter one in common."""
    if chunk.path != span["path"]:
        return False
    first = max(chunk.start_line, span["start_line"])
    last = min(chunk.end_line, span["end_line"])
    shorter = min(chunk.end_line - chunk.start_line + 1, span["end_line"] - span["start_line"] + 1)
    return bool(2 * (last - first + 1) >= shorter)


def _gate(verdicts: Mapping[str, str], on_topic: set[str]) -> GateFigures:
    inside = Counter(level for key, level in verdicts.items() if key in on_topic)
    outside = Counter(level for key, level in verdicts.items() if key not in on_topic)
    refused = inside["none"] + outside["none"]
    return GateFigures(
        on_topic=dict(sorted(inside.items())),
        off_topic=dict(sorted(outside.items())),
        refusal_precision=outside["none"] / refused if refused else None,
        refusal_recall=outside["none"] / outside.total() if outside else None,
    )


def _line(scores: GoldenScores) -> str:
    recall = ", ".join(f"R@{depth} {value:.3f}" for depth, value in scores.recall.items())
    return f"{recall}, nDCG@12 {scores.ndcg_12:.3f}, MRR@12 {scores.mrr_12:.3f}"


def require_docs(options: Options) -> Path:
    """The folder of the documentation. Raises SkippedError."""
    return require(options.data / "adk-docs", _DOCS_LAYOUT)
