"""Is the ranking of code as good on packages that no setting was chosen with?

Packages from public registries (`docstrings_packages.json`), indexed without their docstrings and
doc comments, as `docstrings_questions.py` has them. Questions are sentences that were removed, and
names that one file defines; the file of the definition is relevant, as in `code_search.py`.

- nDCG@10 over the distinct files of ten results, and `plain`, as in `code_search.py`.
- Differences are of means over the same questions, with the interval of a paired bootstrap (95 %).
- What each part of the ranking is worth, by words and with the bundled model, as in `ablation.py`,
  for sentences and for names.

Archives and indexes are kept below `--cache`, so that a second run takes minutes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Final

from bench.frame import Options
from bench.product import open_product
from bench.source_code.ablation import (
    AblationFigures,
    Asked,
    Change,
    before,
    files_of,
    replay,
    take,
)
from bench.source_code.code_search import (
    Outcome,
    Repository,
    count,
    mean,
    open_semble,
    plain,
    showing,
)
from bench.source_code.docstrings_questions import NAMES, SENTENCES, prepare, read_packages
from pincite.evals.analysis.statistics import interval
from pincite.ingestion.options import IndexOptions
from pincite.model import Scope

_QUICK: Final = ("simpy", "luxon")
_KINDS: Final[Mapping[str, tuple[str, ...]]] = {"sentences": SENTENCES, "names": NAMES}
_COMPARED: Final = (
    *(("lexical", "lexical plain"), ("hybrid", "hybrid plain"), ("hybrid", "lexical")),
    *(("lexical", "semble"), ("hybrid", "semble")),
)


@dataclass(frozen=True, slots=True)
class PackageFigures:
    """A package; `dropped` files were not indexed, because they could not be parsed. `scores` has
    nDCG@10 by system."""

    version: str
    language: str
    files: int
    dropped: int
    scores: dict[str, float]


@dataclass(frozen=True, slots=True)
class System:
    """nDCG@10 of a system over all questions and by kind, and files of ten results."""

    ndcg_10: float
    kinds: dict[str, float]
    distinct: float


@dataclass(frozen=True, slots=True)
class Group:
    """Some packages: how many questions of each kind, and the systems that answered all of them.
    `differences` are those of `first less second`, by sentences and names."""

    packages: int
    questions: dict[str, int]
    systems: dict[str, System]
    differences: dict[str, dict[str, Change]]


@dataclass(frozen=True, slots=True)
class DocstringFigures:
    """Packages by name; `groups` has all of them, and those measured with the model."""

    packages: dict[str, PackageFigures]
    semble: str
    groups: dict[str, Group]
    parts: AblationFigures


@dataclass(frozen=True, slots=True)
class Answered:
    """What one system made of one question: nDCG@10, and distinct files."""

    package: str
    kind: str
    ndcg: float
    files: int


async def run(options: Options) -> DocstringFigures:
    """Measure all packages. Raises SkippedError naming what is missing."""
    place = options.cache / "docstrings"
    chosen = [one for one in read_packages() if not options.quick or one.name in _QUICK]
    taken: dict[str, list[Answered]] = {}
    asked: dict[str, list[tuple[str, Asked]]] = {"lexical": [], "hybrid": []}
    packages: dict[str, PackageFigures] = {}
    rival = await open_semble(options.semble) if options.semble else None
    try:
        for one in chosen:
            prepared = prepare(one, place, place / "copies")
            repository = prepared.repository
            for name in asked if one.model else ("lexical",):
                asked[name] += await _ours(name, repository, options, taken)
            if rival is not None:
                outcome = Outcome()
                await rival.measure(repository, outcome)
                _take_in(outcome, repository, taken.setdefault("semble", []))
            scores = _by_system(taken, {one.name})
            print(
                f"  {one.name}: {', '.join(f'{k} {v:.3f}' for k, v in scores.items())}", flush=True
            )
            version = one.archive.version
            packages[one.name] = PackageFigures(
                version, one.language, prepared.files, prepared.dropped, scores
            )
    finally:
        if rival is not None:
            await rival.close()
    groups = {
        "all packages": {one.name for one in chosen},
        "packages measured with the model": {one.name for one in chosen if one.model},
    }
    return DocstringFigures(
        packages,
        rival.version if rival else "",
        {label: group(taken, some) for label, some in groups.items()},
        _parts(asked),
    )


async def _ours(
    name: str, one: Repository, options: Options, taken: dict[str, list[Answered]]
) -> list[tuple[str, Asked]]:
    """Ask the product, and keep what its ranking was given, with the kind of question."""
    root = options.cache / "docstrings" / name / one.name
    found = []
    outcomes = {name: Outcome(), f"{name} plain": Outcome()}
    async with open_product(root, options) as engine:
        lexical = name == "lexical"
        await engine.index([one.root], options=IndexOptions(lexical=lexical, name=one.name))
        deps = await engine.deps(Scope())
        shipped = engine.settings.profile
        profiles = (showing(shipped), showing(plain(shipped)))
        for query in one.queries:
            for outcome, profile in zip(outcomes.values(), profiles, strict=True):
                pack = await engine.search(query.text, profile=profile)
                count(outcome, one.name, query, [item.path for item in pack.evidence])
            known = await before(query.text, deps, profiles[0], files_of(query))
            found.append((query.category, known))
    for label, outcome in outcomes.items():
        _take_in(outcome, one, taken.setdefault(label, []))
    return found


def _take_in(outcome: Outcome, one: Repository, answered: list[Answered]) -> None:
    values = zip(one.queries, outcome.ndcg[one.name], outcome.distinct, strict=True)
    answered += [Answered(one.name, query.category, worth, n) for query, worth, n in values]


def _by_system(taken: Mapping[str, Sequence[Answered]], packages: Set[str]) -> dict[str, float]:
    found = {k: [one.ndcg for one in v if one.package in packages] for k, v in taken.items()}
    return {name: mean(values) for name, values in found.items() if values}


def group(taken: Mapping[str, Sequence[Answered]], packages: Set[str]) -> Group:
    """Compare the systems that were asked about all of these packages, question by question."""
    asked = {name: [a for a in some if a.package in packages] for name, some in taken.items()}
    systems = {k: some for k, some in asked.items() if {a.package for a in some} == packages}
    first = next(iter(systems.values()))
    return Group(
        len(packages),
        dict(Counter(one.kind for one in first)),
        {name: _system(answered) for name, answered in systems.items()},
        {
            f"{one} less {other}": _differences(systems[one], systems[other])
            for one, other in _COMPARED
            if one in systems and other in systems
        },
    )


def _system(answered: Sequence[Answered]) -> System:
    by_kind: dict[str, list[float]] = {kind: [] for kind in (*SENTENCES, *NAMES)}
    for one in answered:
        by_kind[one.kind].append(one.ndcg)
    return System(
        mean([one.ndcg for one in answered]),
        {kind: mean(values) for kind, values in by_kind.items()},
        mean([one.files for one in answered]),
    )


def _differences(ours: Sequence[Answered], others: Sequence[Answered]) -> dict[str, Change]:
    found = {}
    for label, kinds in _KINDS.items():
        pairs = zip(ours, others, strict=True)
        values = [one.ndcg - other.ndcg for one, other in pairs if one.kind in kinds]
        found[label] = Change(mean(values), *interval(values))
    return found


def _parts(asked: Mapping[str, Sequence[tuple[str, Asked]]]) -> AblationFigures:
    figures = AblationFigures({}, {}, {})
    for name, questions in asked.items():
        for label, kinds in _KINDS.items():
            some = [one for kind, one in questions if kind in kinds]
            take(f"{name}, {label}", partial(replay, some), figures)
    return figures
