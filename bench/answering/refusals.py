"""What the verdict says of questions that are answered, of near ones that are not, and of far ones.

Far questions are those of `golden/far.jsonl` for every set. Near ones are

- anthropic-docs: `golden/claude-near.jsonl` and `golden/claude-near-words.jsonl`, by hand;
- flask: `golden/flask-near.jsonl`, by hand, about the source code alone;
- adk: `golden/adk-near.jsonl`, by hand, about documentation and code;
- xquad-en: questions about the articles that were left out of the index, every second one;
- scifact-train: questions whose answers were taken out. They look like those on topic, and no
  signal here tells them apart.

`before` is the verdict without the rarity of words, with thresholds of .43 and .37. A refusal is
the verdict `none`; precision and recall are those of far and near questions together, each kind
weighing the same. `in hand`: wrongly refused questions whose answer is among the closest passages.

`probe` is the verdict of a search that begins with the nearest chunk, whose cosine is held against
.3 (the preset `chat` in its mode `strict`), and `cosines` what other thresholds would refuse.
"""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal
from unittest.mock import patch

from bench.adk import find_wheel, require_docs
from bench.frame import ROOT, Options, require
from bench.product import new_index, open_product, temporary_folder
from bench.retrieval.quality import build
from bench.source_code.code_search import read as read_repositories
from bench.variants import deps_of, profile_of
from bench.vectors import CachedEncoder, open_product_encoder
from pincite.deps import Deps
from pincite.evals.analysis.refusal import Levels, Outcome, auroc
from pincite.evals.golden.beir import Collection, read_beir
from pincite.evals.golden.questions import read_golden
from pincite.evals.run.results import Topic
from pincite.model import EvidencePack, Question, VerdictLevel
from pincite.ports import DenseEncoder
from pincite.profile import Profile
from pincite.search import search
from pincite.stages.gate import GateConfig, Thresholds
from pincite.stages.probe import ProbeConfig
from pincite.support.fields import replace
from pincite.trace import Trace

Side = Literal["before", "after", "probe"]
SIDES: Final[tuple[Side, ...]] = ("before", "after", "probe")
THRESHOLDS: Final = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45)
_MOST = 150  # questions of a kind and set
_BEFORE: Final = GateConfig(
    coverage_normalised=Thresholds(0.43, 0.37), coverage_share=Thresholds(0.5, 0.3)
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the paths of what answers it."""

    text: str
    topic: Topic
    answers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SideFigures:
    """One verdict over one set. None where there is nothing to divide by."""

    outcome: Outcome
    auroc_far: float | None
    auroc_near: float | None
    in_hand: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The shares of questions whose nearest chunk is below a cosine. None where there are none."""

    threshold: float
    on: float | None
    near: float | None
    far: float | None


@dataclass(frozen=True, slots=True)
class RefusalFigures:
    """By set, before and after, and with a probe at .3; what it would refuse elsewhere."""

    before: Mapping[str, SideFigures]
    after: Mapping[str, SideFigures]
    probe: Mapping[str, SideFigures] = field(default_factory=dict)
    cosines: Mapping[str, tuple[Refused, ...]] = field(default_factory=dict)


def _all_alike(*_: object, **_named: object) -> Mapping[str, Mapping[str, float]]:
    """Every word of a question weighs the same."""
    return {}


Ask = Callable[[Asked, Side], Awaitable[EvidencePack]]


async def run(options: Options) -> RefusalFigures:
    """Measure all sets. Raises SkippedError naming what is missing."""
    figures: dict[Side, dict[str, SideFigures]] = {side: {} for side in SIDES}
    cosines: dict[str, tuple[Refused, ...]] = {}

    async def measure(name: str, questions: Sequence[Asked], asking: Ask) -> None:
        for side, of_sets in figures.items():
            packs = [(one, await asking(one, side)) for one in questions]
            of_sets[name] = _figures(packs)
            print(f"  {name}, {side}: {of_sets[name]}", flush=True)
            if side == "probe":
                cosines[name] = tuple(_refused(packs, at) for at in THRESHOLDS)

    encoder = open_product_encoder(options.models)
    cached = CachedEncoder(encoder, options.cache)
    try:
        for name, make in SETS:
            require(options.data / name, "in the BEIR layout")
            await _corpus(*make(read_beir(options.data / name)), cached, measure)
    finally:
        cached.close()
        encoder.close()
    await _flask(options, measure)
    if not options.quick:
        await _adk(options, measure)
    return RefusalFigures(figures["before"], figures["after"], figures["probe"], cosines)


Measure = Callable[[str, Sequence[Asked], Ask], Awaitable[None]]


async def _corpus(
    collection: Collection, questions: Sequence[Asked], encoder: DenseEncoder, measure: Measure
) -> None:
    async with new_index() as index:
        spec = await build(index, collection, encoder)
        deps = deps_of("default", spec, index, encoder)
        profile = profile_of("default", results=10, same_text=False, keep=False)
        await measure(collection.name, questions, _asking(deps, profile))


def _asking(deps: Deps, profile: Profile) -> Ask:
    profiles: dict[Side, Profile] = {
        "before": replace(profile, gate=_BEFORE),
        "after": profile,
        "probe": replace(profile, probe=ProbeConfig(enabled=True)),
    }

    async def ask(one: Asked, side: Side) -> EvidencePack:
        asking = search(Question(one.text), deps, profiles[side], Trace(time.perf_counter))
        if side == "before":  # no profile has a switch for it
            with patch("pincite.search.term_weights", _all_alike):
                return await asking
        return await asking

    return ask


async def _flask(options: Options, measure: Measure) -> None:
    data = options.folder("code-search-dev", "repos.json, queries.jsonl and NAME.tar.xz")
    with temporary_folder() as work:
        (flask,) = (one for one in read_repositories(data, work / "r") if one.name == "flask")
        asked = [Asked(q.text, "on topic", frozenset(q.targets)) for q in flask.queries]
        async with open_product(work / "index", options) as engine:
            await engine.index([flask.root])
            questions = [*asked, *_golden("flask-near.jsonl"), *_golden("far.jsonl")]
            await measure("flask", questions, _asking(await engine.deps(), Profile()))


async def _adk(options: Options, measure: Measure) -> None:
    questions = adk_questions(options)
    with temporary_folder() as work:
        places = [require_docs(options), find_wheel(options, work)]
        async with open_product(work / "index", options) as engine:
            await engine.index(places)
            await measure("adk", questions, _asking(await engine.deps(), Profile()))


def adk_questions(options: Options) -> list[Asked]:
    """Those about the ADK, and near and far ones."""
    golden = read_golden(require(options.golden / "adk-dev.jsonl", "one question per line"))
    asked = [
        Asked(q.text, "on topic", frozenset(e.path for e in q.expected if e.grade > 0))
        for q in golden.queries
        if not q.off_topic
    ]
    return [*asked, *_golden("adk-near.jsonl"), *_golden("far.jsonl")]


def _golden(name: str) -> list[Asked]:
    topic: Topic = "near" if "near" in name else "far"
    return [Asked(one.text, topic) for one in read_golden(ROOT / "golden" / name).queries]


def _on_topic(collection: Collection, keys: Iterable[str]) -> list[Asked]:
    return [
        Asked(collection.queries[key], "on topic", _answers(collection, key))
        for key in list(keys)[:_MOST]
    ]


def _answers(collection: Collection, key: str) -> frozenset[str]:
    return frozenset(name for name, gain in collection.judgements[key].items() if gain > 0)


def _shuffled(collection: Collection) -> list[str]:
    keys = sorted(collection.queries)
    random.Random(0).shuffle(keys)
    return keys


def _claude(collection: Collection) -> tuple[Collection, list[Asked]]:
    names = ("claude-near.jsonl", "claude-near-words.jsonl", "far.jsonl")
    others = [one for name in names for one in _golden(name)]
    return collection, [*_on_topic(collection, _shuffled(collection)), *others]


def _halves(collection: Collection) -> tuple[Collection, list[Asked]]:
    def kept(document: str) -> bool:
        return int(document.partition("-")[0]) % 2 == 0

    keys = _shuffled(collection)
    inside = [key for key in keys if all(map(kept, _answers(collection, key)))]
    outside = [key for key in keys if not any(map(kept, _answers(collection, key)))]
    documents = {name: text for name, text in collection.documents.items() if kept(name)}
    near = [Asked(collection.queries[key], "near") for key in outside[:_MOST]]
    questions = [*_on_topic(collection, inside), *near, *_golden("far.jsonl")]
    return replace(collection, documents=documents), questions


def _removed(collection: Collection) -> tuple[Collection, list[Asked]]:
    keys = _shuffled(collection)
    asked, removed = keys[:_MOST], keys[_MOST : 2 * _MOST]
    gone = {name for key in removed for name in _answers(collection, key)}
    inside = [key for key in asked if not _answers(collection, key) <= gone]
    documents = {name: text for name, text in collection.documents.items() if name not in gone}
    near = [Asked(collection.queries[key], "near") for key in removed]
    questions = [*_on_topic(collection, inside), *near, *_golden("far.jsonl")]
    return replace(collection, documents=documents), questions


#: Collections that are indexed as they are made here, and their questions.
SETS: Final[tuple[tuple[str, Callable[[Collection], tuple[Collection, list[Asked]]]], ...]] = (
    ("anthropic-docs", _claude),
    ("xquad-en", _halves),
    ("scifact-train", _removed),
)


def _figures(packs: Sequence[tuple[Asked, EvidencePack]]) -> SideFigures:
    def levels(topic: Topic) -> Levels:
        said: list[VerdictLevel] = [p.verdict.level for one, p in packs if one.topic == topic]
        return Levels(said.count("grounded"), said.count("weak"), said.count("none"))

    def values(topic: Topic) -> list[float]:
        return [pack.verdict.value for one, pack in packs if one.topic == topic]

    in_hand = sum(
        pack.verdict.level == "none" and any(_answered(one, e.path) for e in pack.closest)
        for one, pack in packs
    )
    on = values("on topic")
    return SideFigures(
        Outcome(levels("on topic"), levels("far"), levels("near")),
        auroc(on, values("far")),
        auroc(on, values("near")),
        in_hand,
    )


def _refused(packs: Sequence[tuple[Asked, EvidencePack]], threshold: float) -> Refused:
    def share(topic: Topic) -> float | None:
        values = [pack.verdict.value for one, pack in packs if one.topic == topic]
        return sum(value < threshold for value in values) / len(values) if values else None

    return Refused(threshold, share("on topic"), share("near"), share("far"))


def _answered(one: Asked, path: str) -> bool:
    return any(path == name or path.endswith(f"/{name}") for name in one.answers)
