"""What a search is made of: queries, rankings, candidates with their signals, evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from pincite.model.documents import Chunk, SourceType, Vector

VerdictLevel = Literal["grounded", "weak", "none"]
Confidence = Literal["high", "medium"]
SignalName = Literal["dense", "sparse", "fused", "smoothed", "reranked", "blended", "coverage"]
SignalKind = Literal[
    "cosine", "dot", "bm25", "rrf", "dbsf", "normalised", "probability", "logit", "share"
]


@dataclass(frozen=True, slots=True)
class Notice:
    """A machine-readable warning: what was skipped, cut or replaced, and what would mend it."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Query:
    """A question, normalised. `identifiers` are its identifier-like words in order of
    appearance."""

    text: str
    identifiers: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """Which part of the index a search may see. Empty fields do not restrict.

    `allow` and `block` are glob patterns over the document path; `block` wins.
    """

    collections: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    source_types: tuple[SourceType, ...] = ()
    ref: str | None = None
    allow: tuple[str, ...] = ()
    block: tuple[str, ...] = ()


class Hit(msgspec.Struct, frozen=True, gc=False):
    """A chunk's id and its score in one ranking. A search makes hundreds, and a Struct takes a
    fifth of the time of a frozen dataclass."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """One source's hits, ordered by (-score, id).

    `hits[:depth]` is what the source returned on its own; the rest, if any, are scores that
    were asked for by id so that both sides of a fusion know the whole union.
    """

    collection: str
    signal: SignalName
    kind: SignalKind
    hits: tuple[Hit, ...]
    depth: int


class Signal(msgspec.Struct, frozen=True, gc=False):
    """A named number on a candidate and what kind of number it is."""

    name: SignalName
    kind: SignalKind
    value: float


class Fused(msgspec.Struct, frozen=True):
    """A chunk that some ranking named; the last signal is `fused`."""

    collection: str
    id: str
    signals: tuple[Signal, ...]

    @property
    def score(self) -> float:
        """The value of `fused`."""
        return self.signals[-1].value


RANKING_SIGNALS: frozenset[SignalName] = frozenset(("fused", "smoothed", "reranked", "blended"))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk in the running, with its signals in the order in which they were given."""

    collection: str
    chunk: Chunk
    signals: tuple[Signal, ...]
    vector: Vector | None = field(default=None, compare=False, repr=False)

    def signal(self, name: SignalName) -> Signal | None:
        """The latest signal of that name, or None."""
        return next((s for s in reversed(self.signals) if s.name == name), None)

    def with_signal(self, signal: Signal) -> Candidate:
        """The same with one signal more."""
        return Candidate(self.collection, self.chunk, (*self.signals, signal), self.vector)

    @property
    def rank_signal(self) -> Signal:
        """The signal that decides the order: the latest of those that rank."""
        return next(s for s in reversed(self.signals) if s.name in RANKING_SIGNALS)

    @property
    def rank_key(self) -> tuple[float, str, str]:
        """Sorts the best candidate first, equal ones by id and collection."""
        return (-self.rank_signal.value, self.chunk.id, self.collection)


@dataclass(frozen=True, slots=True)
class Drop:
    """A candidate that a stage took out of the running, and why."""

    candidate_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates, best first, and those that the stage dropped."""

    candidates: tuple[Candidate, ...]
    dropped: tuple[Drop, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Is the evidence good enough? Judged on one named signal of a known kind.

    `calibrated` says whether the thresholds were learned on a golden set of this corpus.
    """

    level: VerdictLevel
    signal: SignalName
    kind: SignalKind
    value: float
    grounded_at: float
    weak_at: float
    calibrated: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Gated:
    """Candidates that may be shown, best first, and the verdict over them."""

    candidates: tuple[Candidate, ...]
    verdict: Verdict
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """A chunk that is shown. `number` counts from 1 in order of rank."""

    number: int
    citation: str
    citation_confidence: Confidence
    collection: str
    source_type: SourceType
    repo: str
    ref: str
    path: str
    url: str | None
    chunk_id: str
    candidate_id: str
    start_line: int
    end_line: int
    start_column: int | None
    end_column: int | None
    headings: tuple[str, ...]
    symbols: tuple[str, ...]
    language: str
    content_hash: str
    signals: tuple[Signal, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """How the pack was found: enough to ask again. `rung` names the strength of retrieval
    (`lexical`, `bundled-model`, ...), `counts` the candidates that each collection gave."""

    collections: tuple[str, ...]
    rung: str
    fusion: str
    limits: Mapping[str, int]
    search_params: Mapping[str, int | bool]
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class EvidencePack:
    """The answer of a search; the JSON form is described by `pincite schema`."""

    schema_version: str
    query: str
    verdict: Verdict
    plan: Plan
    evidence: tuple[Evidence, ...]
    coverage: Mapping[str, int]
    warnings: tuple[Notice, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
