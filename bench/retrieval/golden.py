"""The golden set: evidence for real questions over documentation and source code, and the gate.

The ADK documentation and the wheel of its code are indexed by the product, with its daemon;
every question is asked in all variants. A follow-up question is asked in its `standalone` form.

- A chunk *counts for* an expected span if both are of the same file and share at least half of
  the lines of the shorter one; measures are those of `pincite.evals.analysis.measures`, after the
  last stage.
- R@k: the share of a question's expected spans (any grade) that one of the first k chunks counts
  for; nDCG@12 with gains 1..3; MRR@12, and `MRR3@12` for a span of grade 3. Means over the
  questions that are on topic.
- Gate: the verdict of the profile as shipped. A refusal is the verdict `none`; refusal precision
  is the share of refused questions that are off topic, refusal recall the share of the off-topic
  questions that are refused. A perfect gate would have both at 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.adk import find_wheel, require_docs
from bench.frame import Options, require
from bench.product import dense_of, open_product, spec_of, temporary_folder
from bench.variants import VARIANTS, deps_of, profile_of
from pincite.evals.analysis.measures import mean_of, parse
from pincite.evals.analysis.summary import scores as scores_of
from pincite.evals.analysis.summary import summarise
from pincite.evals.golden.questions import GoldenQuery, GoldenSet, read_golden
from pincite.evals.golden.targets import find_targets
from pincite.evals.run.results import Run
from pincite.evals.run.runner import Subject, run_golden
from pincite.ingestion.options import IndexOptions
from pincite.model import Scope
from pincite.support.fields import replace

_DEPTHS = (5, 10, 20, 50)
_QUICK_FOLDER = "docs/tools-custom/"


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
    golden = read_golden(require(options.golden / "adk-dev.jsonl", "one question per line"))
    docs = require_docs(options)
    if options.quick:
        golden = GoldenSet(golden.name, tuple(q for q in golden.queries if _is_quick(q)))
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
            deps = deps_of("default", spec, client, dense)
            targets = await find_targets(golden.queries, deps.collections)
            shipped = Subject(deps, Scope(), targets)
            scores = {}
            for variant in VARIANTS:
                subject = replace(shipped, deps=deps_of(variant, spec, client, dense))
                profile = profile_of(variant, results=max(_DEPTHS))
                scores[str(variant)] = score(await run_golden(subject, golden, profile, variant))
                print(f"  {variant}: {_line(scores[variant])}")
            profile = profile_of("default", results=12, keep=False)
            gate = _gate(await run_golden(shipped, golden, profile, "default"))
    print(f"  gate: on topic {gate.on_topic}, off topic {gate.off_topic}")
    return GoldenFigures(info.documents, info.chunks, len(golden.queries), scores, gate)


def _is_quick(query: GoldenQuery) -> bool:
    return query.off_topic or any(item.path.startswith(_QUICK_FOLDER) for item in query.expected)


def score(run: Run) -> GoldenScores:
    """All measures of one run, see the module's docstring."""
    names = (*(f"R@{depth}" for depth in _DEPTHS), "nDCG@12", "RR@12", "RR(rel=3)@12")
    values = mean_of(names, scores_of(run, names))
    recall = {depth: values[f"R@{depth}"] for depth in _DEPTHS}
    return GoldenScores(recall, values["nDCG@12"], values["RR@12"], values["RR(rel=3)@12"])


def _gate(run: Run) -> GateFigures:
    summary = summarise(run, ())
    return GateFigures(
        on_topic=dict(summary.verdicts["on topic"]),
        off_topic=dict(summary.verdicts["off topic"]),
        refusal_precision=summary.precision,
        refusal_recall=summary.recall,
    )


def _line(scores: GoldenScores) -> str:
    recall = ", ".join(f"R@{depth} {value:.3f}" for depth, value in scores.recall.items())
    return f"{recall}, nDCG@12 {scores.ndcg_12:.3f}, MRR@12 {scores.mrr_12:.3f}"
