"""What a search ends in: a verdict, evidence that can be cited, and what services were asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from pincite.model.attributes import Attributes
from pincite.model.documents import SourceType
from pincite.model.retrieval import Candidate, Notice, Signal, SignalKind, SignalName, TaskMode

VerdictLevel = Literal["grounded", "weak", "none"]
#: Where thresholds come from: measured on public collections, learned on a golden set of the
#: corpus, or neither.
ThresholdOrigin = Literal["measured", "calibrated", "assumed"]
Confidence = Literal["high", "medium"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request to a service and its answer, without texts, vectors and keys.

    `service` is a provider, a store, or `reranker` for what the stage of that name asks its
    reranker, which may take several requests to a provider. `what` is the path of the request, the
    collection, or the reranker. `items` and `tokens` are what was sent, as far as that is counted:
    texts, documents, and an estimate. `at_ms` counts from the beginning of the search. `status` is
    that of HTTP, 0 where there is none, `request_id` the provider's name for the request. `error`
    says what went wrong, with the class of the error first.
    """

    service: str
    what: str
    stage: str = ""
    items: int = 0
    tokens: int = 0
    at_ms: float = 0.0
    took_ms: float = 0.0
    status: int = 0
    request_id: str = ""
    asked: Mapping[str, Any] = field(default_factory=dict)
    answered: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Is the evidence good enough? Judged on one named signal of a known kind.

    `thresholds` says where `grounded_at` and `weak_at` come from; `calibrated`, whether they were
    learned on a golden set of this corpus.
    """

    level: VerdictLevel
    signal: SignalName
    kind: SignalKind
    value: float
    grounded_at: float
    weak_at: float
    calibrated: bool
    reason: str
    thresholds: ThresholdOrigin = "assumed"


@dataclass(frozen=True, slots=True)
class Gated:
    """Candidates that may be shown, best first, and the verdict over them."""

    candidates: tuple[Candidate, ...]
    verdict: Verdict
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """The lines around a piece of evidence, or its whole section, from the index."""

    start_line: int
    end_line: int
    text: str


# A Struct is made, sent and read in half the time of a dataclass.
class Evidence(msgspec.Struct, frozen=True):
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
    context: Context | None = None
    attributes: Attributes = {}


@dataclass(frozen=True, slots=True)
class Plan:
    """How the pack was found: enough to ask again. `rung` names the strength of retrieval
    (`lexical`, `bundled-model`, ...), `counts` the candidates that each collection gave, `passes`
    the tries it took. `reranker` and `instruction` are the fingerprint of the reranker and the
    SHA-256 of what it was told, empty where there was none."""

    collections: tuple[str, ...]
    rung: str
    fusion: str
    limits: Mapping[str, int]
    search_params: Mapping[str, int | bool]
    counts: Mapping[str, int]
    mode: TaskMode = "explain"
    passes: tuple[str, ...] = ("first",)
    reranker: str = ""
    instruction: str = ""


@dataclass(frozen=True, slots=True)
class EvidencePack:
    """The answer of a search; the JSON form is described by `pincite schema`. `debug` is empty
    unless it was asked for: what each service was asked and answered, in order of time."""

    schema_version: str
    query: str
    verdict: Verdict
    plan: Plan
    evidence: tuple[Evidence, ...]
    coverage: Mapping[str, int]
    warnings: tuple[Notice, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    debug: Mapping[str, tuple[Exchange, ...]] = field(default_factory=dict)
