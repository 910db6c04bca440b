"""What is refused by the nearest cosine alone: at a threshold that came along with a system, at the
measured default, and at one that is learned on the same kind of questions.

Only the single nearest chunk counts, exactly, with the bundled model: as the probe of a chat looks
at it. Questions are those of `bench.answering.refusals`; of the ADK the documentation alone is
indexed.

- `assumed`: .3, which nobody calibrated with this model or these texts.
- `measured`: the threshold that comes with Pincite for cosines of this model.
- `calibrated`: learned on four fifths of the questions of the set, as `pincite eval calibrate` does
  it, and judged on the last fifth, for each fifth and twenty shuffles.

A refusal is a cosine below the threshold. Recall is the share of the off-topic questions that are
refused, near and far ones weighing the same; precision is what part of the refusals that is, on
topic and off topic questions weighing the same.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from bench.adk import require_docs
from bench.answering.refusals import SETS, Asked, adk_questions
from bench.frame import Options, require
from bench.product import new_index, open_product, temporary_folder
from bench.retrieval.quality import build
from bench.vectors import CachedEncoder, open_product_encoder
from pincite.evals.analysis.calibrate import learn
from pincite.evals.golden.beir import read_beir
from pincite.evals.report.tables import table
from pincite.evals.run.results import Topic
from pincite.ports import DenseEncoder, Readable, SearchRequest
from pincite.stages.gate import MEASURED

ASSUMED: Final = 0.3
_FOLDS, _SHUFFLES = 5, 20
_NAMES: Final = ("at", "on", "near", "far")
_KINDS: Final[tuple[Topic, ...]] = ("on topic", "near", "far")

Values = Mapping[Topic, Sequence[float]]


@dataclass(frozen=True, slots=True)
class Refused:
    """Shares of the questions of each kind that are refused, and the threshold, the mean of all
    where it was learned."""

    at: float
    on: float
    near: float
    far: float

    @property
    def recall(self) -> float:
        """Of the off-topic questions."""
        return (self.near + self.far) / 2

    @property
    def precision(self) -> float | None:
        """None where nothing is refused."""
        refused = self.recall + self.on
        return self.recall / refused if refused else None


@dataclass(frozen=True, slots=True)
class ThresholdFigures:
    """By set: how many questions of each kind, and what each threshold refuses."""

    questions: Mapping[str, Mapping[str, int]]
    assumed: Mapping[str, Refused]
    measured: Mapping[str, Refused]
    calibrated: Mapping[str, Refused]


async def run(options: Options) -> ThresholdFigures:
    """Measure all sets. Raises SkippedError naming what is missing."""
    found: dict[str, Values] = {}
    encoder = open_product_encoder(options.models)
    cached = CachedEncoder(encoder, options.cache)
    try:
        for name, make in SETS:
            require(options.data / name, "in the BEIR layout")
            collection, questions = make(read_beir(options.data / name))
            async with new_index() as index:
                spec = await build(index, collection, cached)
                found[name] = await _values(questions, index, spec.name, cached)
    finally:
        cached.close()
        encoder.close()
    if not options.quick:
        found["adk"] = await _adk(options)
    for name, values in found.items():
        print(f"  {name}: {refused(values, ASSUMED)} {learned(values)}", flush=True)
    return ThresholdFigures(
        {name: {kind: len(held) for kind, held in of.items()} for name, of in found.items()},
        {name: refused(of, ASSUMED) for name, of in found.items()},
        {name: refused(of, MEASURED["dense_cosine"].weak_at) for name, of in found.items()},
        {name: learned(of) for name, of in found.items()},
    )


async def _adk(options: Options) -> Values:
    with temporary_folder() as work:
        async with open_product(work / "index", options) as engine:
            await engine.index([require_docs(options)])
            (one,) = (await engine.deps()).collections
            if one.dense is None:
                raise RuntimeError("the bundled model is not there")
            return await _values(adk_questions(options), one.index, one.spec.name, one.dense)


async def _values(
    questions: Sequence[Asked], index: Readable, name: str, encoder: DenseEncoder
) -> Values:
    """The cosine of the chunk that is nearest to each question."""
    found: dict[Topic, list[float]] = {kind: [] for kind in _KINDS}
    for one in questions:
        vector = await encoder.embed_query(one.text)
        request = SearchRequest(dense=vector, dense_limit=1, exact=True)
        (ranking,) = await index.search(name, request)
        found[one.topic].append(ranking.hits[0].score)
    return found


def refused(values: Values, at: float) -> Refused:
    """What lies below a threshold."""
    on, near, far = (
        sum(value < at for value in values[kind]) / max(1, len(values[kind])) for kind in _KINDS
    )
    return Refused(at, on, near, far)


def learned(values: Values) -> Refused:
    """What lies below thresholds that were learned on other questions of the same kinds."""
    rng = random.Random(0)
    parts: list[Refused] = []
    for _ in range(_SHUFFLES):
        shuffled = {kind: rng.sample(held, len(held)) for kind, held in values.items()}
        for fold in range(_FOLDS):
            inside: dict[Topic, Sequence[float]] = {}
            others: dict[Topic, Sequence[float]] = {}
            for kind, held in shuffled.items():
                inside[kind] = held[fold::_FOLDS]
                others[kind] = [v for n, v in enumerate(held) if n % _FOLDS != fold]
            at = learn(others["on topic"], others["far"], others["near"]).weak_at
            parts.append(refused(inside, at))
    return Refused(*(_mean([getattr(one, name) for one in parts]) for name in _NAMES))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def thresholds(raw: Any) -> str:
    """A row for each set and threshold."""
    figures = msgspec.convert(raw, ThresholdFigures, str_keys=True)
    rows = []
    for name, counts in figures.questions.items():
        asked = " / ".join(str(counts[kind]) for kind in _KINDS)
        sides = (figures.assumed, figures.measured, figures.calibrated)
        for how, side in zip(("assumed", "measured", "**calibrated**"), sides, strict=True):
            one = side[name]
            precision = "–" if one.precision is None else f"{one.precision:.3f}"
            shares = (f"{100 * share:.0f}" for share in (one.on, one.near, one.far))
            rows.append(
                (name, asked, how, f"{one.at:.3f}", *shares, precision, f"{one.recall:.3f}")
            )
    head = ("", "on topic / near / far", "threshold", "at", "on topic refused, %")
    return table((*head, "near, %", "far, %", "refusal precision", "recall"), rows)
