"""The nouns of the engine: frozen values that stages hand to each other.

Nothing here does input or output, and nothing here imports another module of the package.
Line numbers are 1-based and inclusive, character offsets are 0-based and half open, and both
always refer to the decoded file on disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]  #: shape (dimensions,)
    Matrix = NDArray[np.float32]  #: shape (rows, dimensions)
else:
    Vector = Matrix = Any  # importing numpy costs 80 ms, and the nouns are imported everywhere

SourceType = Literal["docs", "code", "data"]
SourceKind = Literal["folder", "git", "archive", "wheel", "file"]
VerdictLevel = Literal["grounded", "weak", "none"]
Confidence = Literal["high", "medium"]
SignalName = Literal["dense", "sparse", "fused", "smoothed", "reranked", "blended", "coverage"]
SignalKind = Literal[
    "cosine", "dot", "bm25", "rrf", "dbsf", "normalised", "probability", "logit", "share"
]


@dataclass(frozen=True, slots=True)
class Source:
    """Where documents come from: one folder, checkout, archive, wheel or single file.

    `name` is what citations begin with. `ref` is an immutable revision (commit SHA, release
    version) or None where there is none; documents then carry their own content hash instead.
    """

    name: str
    location: str
    kind: SourceKind
    ref: str | None = None
    url_rule: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """One file or page, decoded: `raw.decode(encoding) == text`, no newline is translated."""

    source: str
    ref: str
    path: str
    text: str
    encoding: str
    content_hash: str
    source_type: SourceType
    language: str
    title: str = ""
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """What a chunker yields: a span of `Document.text` and what the encoder should know of it.

    `headings` is the heading path of prose or the symbol path of code, outermost first.
    `symbols` are the names that the span defines. `plain` stands in for the text when indexing
    (markup removed), never when citing; None means that the text itself is indexed.
    """

    start: int
    end: int
    headings: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    plain: str | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A citable span of one document: `document.text[start:end] == text`.

    `start_column` and `end_column` (1-based characters, inclusive) are set only where the
    span begins or ends inside a line; otherwise the span is exactly lines `start_line` to
    `end_line` without the last line's newline.
    """

    id: str
    repo: str
    ref: str
    path: str
    source_type: SourceType
    language: str
    start: int
    end: int
    start_line: int
    end_line: int
    text: str
    content_hash: str
    title: str = ""
    headings: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    url: str | None = None
    start_column: int | None = None
    end_column: int | None = None
    plain: str | None = None

    @property
    def candidate_id(self) -> str:
        """`{repo}@{ref}:{path}:{id}`: one name for this chunk in every collection."""
        return f"{self.repo}@{self.ref}:{self.path}:{self.id}"


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Token ids (unsigned 32-bit, ascending, unique) and their finite weights, equally many."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A chunk with its vectors, as a store keeps it. `dense` is None in a lexical collection.

    `length` is the number of tokens that the sparse encoder counted, kept so that weights can
    be computed again when the average length of the collection has moved.
    """

    chunk: Chunk
    sparse: SparseVector
    length: int
    dense: Vector | None = None


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """What the catalogue knows of one indexed document.

    `revision` is unique to (source, path, content, index fingerprint): a document whose
    revision is in the catalogue is indexed, whole and current.
    """

    source: str
    path: str
    revision: str
    content_hash: str
    ref: str
    size: int
    mtime_ns: int
    chunks: int
    tokens: int


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A source as the catalogue remembers it: enough to index it again, and what the last run
    left out. `within` are the paths that were asked for, `""` for all of the source. `skipped` counts files by reason code, `skipped_paths` names the first of them
    as `code: path`. `complete` is False until a run has reached the end."""

    source: Source
    within: tuple[str, ...] = ("",)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    indexed_at: str = ""
    complete: bool = False
    skipped: Mapping[str, int] = field(default_factory=dict)
    skipped_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CollectionSpec:
    """Chunks of one kind and one dense model, and the fingerprints of what made them.

    `dense` is the dense encoder's fingerprint, None for a lexical collection. `language` is
    the stemming language. `average_length` is the (rounded) mean of `Point.length`.
    """

    name: str
    sparse: str
    chunker: str
    dense: str | None = None
    dimensions: int = 0
    language: str = "english"
    average_length: float = 0.0


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


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk's id and its score in one ranking."""

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


@dataclass(frozen=True, slots=True)
class Signal:
    """A named number on a candidate and what kind of number it is."""

    name: SignalName
    kind: SignalKind
    value: float


@dataclass(frozen=True, slots=True)
class Fused:
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
