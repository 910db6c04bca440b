"""Describe each stage of a search, for people and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch

from pincite.model import (
    Candidate,
    Compared,
    Drop,
    EvidencePack,
    Fused,
    Gated,
    Pool,
    Query,
    Ranking,
    Signal,
)
from pincite.model.citation import place_of
from pincite.model.places import FrameFiles
from pincite.questions.asked import Asked
from pincite.stages.expand import Expanded
from pincite.stages.probe import Probed
from pincite.stages.retrieve import Retrieved
from pincite.support.counted import counted
from pincite.support.terminal import one_line
from pincite.trace import Trace

_SHOWN = 6


@dataclass(frozen=True, slots=True)
class CandidateView:
    """A candidate as shown by `explain`."""

    id: str
    place: str
    signals: tuple[Signal, ...]


@dataclass(frozen=True, slots=True)
class StageView:
    """The result of one stage: a sentence, its best candidates, and the dropped ones with
    reasons."""

    stage: str
    duration_ms: float
    summary: str
    candidates: tuple[CandidateView, ...] = ()
    dropped: tuple[Drop, ...] = ()


def explain(trace: Trace) -> tuple[StageView, ...]:
    """Return all stages in order, with every candidate."""
    views = []
    for step in trace.steps:
        summary, candidates, dropped = _describe(step.value)
        views.append(
            StageView(step.stage, round(step.duration_ms, 3), summary, candidates, dropped)
        )
    return tuple(views)


def explain_table(trace: Trace) -> str:
    """Return all stages as text, in order, with the best few candidates of each if they have
    changed."""
    lines = []
    shown: tuple[CandidateView, ...] = ()
    places: dict[str, str] = {}
    for view in explain(trace):
        places |= {one.id: one.place for one in view.candidates if one.place}
        lines.append(f"{view.stage:9} {view.duration_ms:8.2f} ms  {view.summary}")
        best = view.candidates[:_SHOWN]
        for one in best if best != shown else ():
            signals = "  ".join(f"{s.name} {s.value:.3f}" for s in one.signals)
            lines.append(f"    #{one.id[:12]}  {signals}  {one_line(one.place)}".rstrip())
        shown = best or shown
        lines += [_dropped(drop, places) for drop in view.dropped[:_SHOWN]]
        if len(view.dropped) > _SHOWN:
            lines.append(f"    - and {len(view.dropped) - _SHOWN} more")
    return "\n".join(lines)


def _dropped(drop: Drop, places: Mapping[str, str]) -> str:
    """Return one line with the id, which `pincite get` accepts, the place and the reason."""
    chunk_id = drop.candidate_id.rpartition(":")[2]
    place = one_line(places.get(chunk_id, ""))
    return f"    - #{chunk_id[:12]}{f'  {place}' if place else ''}: {drop.reason}"


_Description = tuple[str, tuple[CandidateView, ...], tuple[Drop, ...]]


@singledispatch
def _describe(value: object) -> _Description:
    return type(value).__name__, (), ()


@_describe.register
def _(value: Query) -> _Description:
    names = ", ".join(value.identifiers)
    asked = f", asks for {', '.join(value.sought)}" if value.asks == "symbol" else ""
    asked += "".join(f", {one}" for one in _forms(value.asked))
    return f"{value.text[:200]!r}{f', identifiers: {names}' if names else ''}{asked}", (), ()


def _forms(asked: Asked) -> Iterator[str]:
    """Yield what the form of a question asks for, in words."""
    if asked.frames:
        yield "names " + ", ".join(f"{one.path}:{one.line}" for one in asked.frames[:_SHOWN])
    if asked.relation is not None:
        owner = f" of {asked.relation.owner}" if asked.relation.owner else ""
        tests = " in tests" if asked.relation.tests else ""
        places = asked.relation.places
        place = f" in {', '.join(places)}" if places else ""
        yield f"relation: {asked.relation.kind} {asked.relation.name}{owner}{tests}{place}"
    if asked.route is not None:
        yield f"route: {asked.route.method} /{'/'.join(asked.route.segments)}".replace("  ", " ")
    if asked.versions.said:
        about = "is about" if asked.versions.about else "names"
        yield f"{about} version {', '.join(asked.versions.said[:_SHOWN])}"


@_describe.register
def _(value: Probed) -> _Description:
    parts = [f"{notice.code}: {notice.message}" for notice in value.notices]
    if value.verdict is not None:
        parts.append(value.verdict.reason)
    if not value.passed:
        parts.append("no rephrasing was searched")
    return " ".join(parts), tuple(map(_view, value.candidates)), ()


@_describe.register
def _(value: Expanded) -> _Description:
    who = "skipped" if value.skipped else f"by {value.by}" if value.by else "nothing"
    signal = value.signal
    clear = f"; words: best {signal.best:.3f}, gap {signal.gap:.3f}" if signal else ""
    return f"{who}{clear}{''.join(f'; {line}' for line in value.lines)}", (), ()


@_describe.register
def _(value: Retrieved) -> _Description:
    parts = [_ranking(ranking) for ranking in value.rankings]
    parts += map(_files, value.files)
    parts += [f"{notice.code}: {notice.message}" for notice in value.notices]
    return "; ".join(parts) or "nothing", (), ()


def _files(one: FrameFiles) -> str:
    """Return in words which files fit a place, with the names of their sources."""
    files = one.files[:_SHOWN]
    shown = ", ".join(f"{file.source}:{file.path}" for file in files)
    further = f" and {one.count - len(files)} more" if one.count > len(files) else ""
    beside = ", next to the line" if one.beside else ""
    return f"{one.frame.path}:{one.frame.line} in {one.collection}: {shown}{further}{beside}"


def _ranking(ranking: Ranking) -> str:
    best = f", best {ranking.hits[0].score:.3f}" if ranking.hits else ""
    wording = f" of wording {ranking.wording}" if ranking.wording else ""
    return (
        f"{ranking.collection} {ranking.signal} ({ranking.kind}){wording}: {ranking.depth} found,"
        f" {len(ranking.hits)} scored{best}"
    )


@_describe.register(tuple)
def _(value: Sequence[Candidate | Fused]) -> _Description:
    return counted(len(value), "candidate"), tuple(map(_view, value)), ()


@_describe.register
def _(value: Pool) -> _Description:
    summary = f"{counted(len(value.candidates), 'candidate')}, {len(value.dropped)} dropped"
    return summary, tuple(map(_view, value.candidates)), value.dropped


@_describe.register
def _(value: Gated) -> _Description:
    verdict = value.verdict
    return f"{verdict.level}: {verdict.reason}", tuple(map(_view, value.candidates)), ()


@_describe.register
def _(value: Compared) -> _Description:
    truths = Counter(value.truths)
    parts = [f"{count} {truth}" for truth, count in sorted(truths.items())]
    parts += [f"{len(value.omitted)} left out"] if value.omitted else []
    said = {one.chunk.path: one.descriptions for one in value.candidates if one.descriptions}
    told = [
        f"; {one_line(path)} is in {' > '.join(one_line(text) for text in texts)!r}"
        for path, texts in said.items()
    ]
    return f"{', '.join(parts) or 'nothing'}{''.join(told[:_SHOWN])}", (), ()


@_describe.register
def _(value: EvidencePack) -> _Description:
    kinds = ", ".join(f"{n} {kind}" for kind, n in value.coverage.items() if n)
    return f"{counted(len(value.evidence), 'item')}{f': {kinds}' if kinds else ''}", (), ()


def _view(one: Candidate | Fused) -> CandidateView:
    if isinstance(one, Fused):
        return CandidateView(one.id, "", one.signals)
    return CandidateView(one.chunk.id, place_of(one.chunk), one.signals)
