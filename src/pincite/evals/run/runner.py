"""Search for the questions of a golden set, and record the results of every stage."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Final

import msgspec

from pincite.deps import Deps
from pincite.engine import AsyncPincite
from pincite.errors import PinciteError
from pincite.evals.golden.questions import GoldenQuery, GoldenSet
from pincite.evals.golden.targets import Key, Targets, find_targets, require_indexed
from pincite.evals.run.observe import (
    depth_of,
    passages_of,
    rankings_of,
    ranks_in,
    values_of,
)
from pincite.evals.run.results import (
    CollectionStamp,
    QueryResult,
    Run,
    Searched,
    Stamp,
    TopCandidate,
)
from pincite.model import Candidate, EvidencePack, Gated, Question, Scope
from pincite.model.citation import place_of
from pincite.ports import Searchable
from pincite.presets import GENERAL
from pincite.profile import Profile
from pincite.scope.tagged_index import searchables_within
from pincite.search import search
from pincite.settings.file.layers import layer_of
from pincite.settings.load import Settings
from pincite.support.fields import replace
from pincite.trace import Trace
from pincite.version import VERSION

Progressed = Callable[[int, int], None]  #: done, total

#: Characters of evidence to a token of a language model. 3.5 (code) to 4.4 (prose) with the
#: tokenizers at hand.
CHARS_PER_TOKEN: Final = 4
#: The number of results that nDCG@12 and RR@12 need.
LEAST_RESULTS: Final = 12
_KEPT = 20  # results of each question in a run


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of an evaluation: an opened index with the questions and the chunks that count
    for them."""

    deps: Deps
    scope: Scope
    targets: Targets


def measured(profile: Profile, least: int = LEAST_RESULTS) -> Profile:
    """Return the profile for evaluations: single passages, and as many as the measures need."""
    return replace(
        profile,
        select=replace(profile.select, results=max(least, profile.select.results)),
        context=replace(profile.context, around="none"),
    )


def measured_profile(settings: Settings, preset: str | None = None) -> Profile:
    """Return the profile in use for evaluations, or with another preset: single passages, and
    LEAST_RESULTS of them or more unless a file or a variable sets `select.results`. Raises
    ConfigError."""
    profile = settings.preset(preset) if preset else settings.profile
    layer = layer_of(settings.layers, ("select", "results"))
    chosen = layer is not None and not layer.preset
    return measured(profile, profile.select.results if chosen else LEAST_RESULTS)


def preset_in_use(settings: Settings) -> str:
    """Return the name of the preset below the files."""
    return next((layer.preset for layer in settings.layers if layer.preset), GENERAL)


async def open_subject(engine: AsyncPincite, golden: GoldenSet, scope: Scope) -> Subject:
    """Open the index for an evaluation. Raises the errors of `AsyncPincite.search` before a search,
    and UsageError if the index has none of the expected items within the tags of the scope."""
    deps = await engine.deps(scope)
    within = searchables_within(deps.collections, scope.tags, scope.bounds)
    targets = await find_targets(golden.queries, within)
    require_indexed(golden, targets)
    return Subject(deps, scope, targets)


async def run_golden(
    subject: Subject,
    golden: GoldenSet,
    profile: Profile,
    label: str,
    progress: Progressed = lambda *_: None,
) -> Run:
    """Search for every question, one after the other, so that times are meaningful. Before that,
    the first question is searched once without measurement. A failed search counts as one without
    results and has the notice `search_failed`; if the first one fails, its error is raised."""
    first = Question(golden.queries[0].text, subject.scope)
    await search(first, subject.deps, profile, _trace())
    results = []
    for done, query in enumerate(golden.queries, start=1):
        results.append(await ask(query, subject, profile))
        progress(done, len(golden.queries))
    return Run(await stamp(subject, golden, profile, label), tuple(results))


async def ask(query: GoldenQuery, subject: Subject, profile: Profile) -> QueryResult:
    """Search for one question."""
    trace = _trace()
    try:
        question = Question(query.text, subject.scope, query.mode)
        pack = await search(question, subject.deps, profile, trace)
    except PinciteError as error:
        return _result(query, subject, trace, None, (f"search_failed: {error.message}",))
    return _result(query, subject, trace, pack, tuple(n.code for n in pack.warnings))


def _trace() -> Trace:
    return Trace(time.perf_counter)


def _result(
    query: GoldenQuery,
    subject: Subject,
    trace: Trace,
    pack: EvidencePack | None,
    notices: tuple[str, ...],
) -> QueryResult:
    targets = subject.targets.items.get(query.id, {})
    lists = rankings_of(trace) if pack else {}
    gated = next((s.value for s in reversed(trace.steps) if isinstance(s.value, Gated)), None)
    verdict = pack.verdict if pack else None
    shown = {key: place for place, key in enumerate(passages_of(pack))} if pack else {}
    candidates = list(gated.candidates) if gated else []
    if shown:
        candidates = [c for c in candidates if c.key in shown]
        candidates.sort(key=lambda c: shown[c.key])
    grades = tuple(item.grade for item in query.expected)
    return QueryResult(
        id=query.id,
        query=query.text,
        category=query.category,
        mode=query.mode,
        off_topic=query.off_topic,
        near=query.near,
        items=tuple(item.name for item in query.expected),
        grades=grades,
        ranks={stage: ranks_in(found, targets, len(grades)) for stage, found in lists.items()},
        depths={stage: depth_of(found) for stage, found in lists.items()},
        verdict=verdict.level if verdict else "none",
        verdict_signal=f"{verdict.signal}/{verdict.kind}" if verdict else "",
        calibrated=verdict.calibrated if verdict else False,
        shown=len(shown),
        values=values_of(trace),
        results=tuple(_found(one, targets, grades) for one in candidates[:_KEPT]),
        wanted_types=_distinct(i.source_type for i in query.expected if i.grade > 0),
        shown_types=_distinct(item.source_type for item in pack.evidence) if pack else (),
        timings_ms=trace.timings_ms(),
        tokens=sum(len((e.context or e).text) for e in pack.evidence) // CHARS_PER_TOKEN
        if pack
        else 0,
        notices=notices,
        missing=subject.targets.missing.get(query.id, ()),
    )


def _distinct(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name}))


def _found(
    one: Candidate, targets: Mapping[Key, tuple[int, ...]], grades: tuple[int, ...]
) -> TopCandidate:
    places = targets.get(one.key, ())
    return TopCandidate(
        candidate_id=one.chunk.candidate_id,
        place=place_of(one.chunk),
        grade=max((grades[place] for place in places), default=None),
        signals={f"{s.name}/{s.kind}": round(s.value, 6) for s in one.signals},
    )


async def stamp(subject: Subject, golden: GoldenSet, profile: Profile, label: str) -> Stamp:
    """Return the circumstances of a run."""
    deps = subject.deps
    return Stamp(
        label=label,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        pincite=VERSION,
        golden=golden.name,
        golden_fingerprint=golden.fingerprint,
        profile=msgspec.to_builtins(profile),
        profile_fingerprint=fingerprint(profile),
        collections=tuple([await _stamp(one) for one in deps.collections]),
        reranker=deps.reranker.fingerprint if deps.reranker else None,
        searched=_searched(subject.scope),
    )


def _searched(scope: Scope) -> Searched:
    """Return the restrictions of the scope, without the collections, which have their own
    stamps."""
    whole = msgspec.to_builtins(Scope())
    return {
        name: _in_order(value)
        for name, value in msgspec.to_builtins(scope).items()
        if name != "collections" and value != whole[name]
    }


def _in_order(value: Any) -> Any:
    """Return the value with sorted keys and sorted alternatives."""
    if isinstance(value, dict):
        return {name: _in_order(value[name]) for name in sorted(value)}
    return sorted(value, key=str) if isinstance(value, list | tuple) else value


def fingerprint(value: object) -> str:
    """Return a short hash of a value of this package: 16 hex digits."""
    return blake2b(msgspec.json.encode(value), digest_size=8).hexdigest()


async def _stamp(collection: Searchable) -> CollectionStamp:
    spec = collection.spec
    records = await collection.index.documents(spec.name)
    digest = blake2b(digest_size=8)
    for revision in sorted(record.revision for record in records):
        digest.update(revision.encode())
    return CollectionStamp(
        name=spec.name,
        sparse=spec.sparse,
        chunker=spec.chunker,
        dense=spec.dense if collection.dense is not None else None,
        language=spec.language,
        documents=len(records),
        chunks=sum(record.chunks for record in records),
        contents=digest.hexdigest(),
    )
