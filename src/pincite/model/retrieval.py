"""What a search is made of: queries, rankings, and candidates with their signals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from pincite.model.attributes import Attributes
from pincite.model.documents import Chunk, SourceType, TermCounts, Vector
from pincite.support.names import last_component

Asks = Literal["symbol", "mixed", "prose"]
#: Words for the lexical side; a sentence for the dense one; a passage as an answer might have it,
#: which is embedded as documents are.
SubQueryKind = Literal["lex", "vec", "hyde"]
TaskMode = Literal["build", "debug", "explain", "refactor"]
SignalName = Literal[
    "dense",
    "sparse",
    "fused",
    "smoothed",
    "coherence",
    "names",
    "definition",
    "prior",
    "ranked",
    "reranked",
    "blended",
    "diverse",
    "coverage",
]
SignalKind = Literal[
    "cosine", "dot", "bm25", "rrf", "dbsf", "normalised", "probability", "logit", "share", "mmr"
]


@dataclass(frozen=True, slots=True)
class Notice:
    """A machine-readable warning: what was skipped, cut or replaced, and what would fix it."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Expansion:
    """Another wording of a question, for one collection or, where that is empty, for all. With a
    `kind` it is for one side of the search."""

    text: str
    collection: str = ""
    kind: SubQueryKind | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is indexed, in words, for templates: the `name` of the product as in "using Google ADK",
    what its documentation and its source code are called as in "official ADK docs" and "ADK Python
    source" (the name where empty), and a few words for its `topics`."""

    name: str = ""
    docs: str = ""
    code: str = ""
    topics: str = ""

    @property
    def words(self) -> dict[str, str]:
        """By the name of the field of a template."""
        docs, code = self.docs or self.name, self.code or self.name
        return {"corpus": self.name, "docs": docs, "code": code, "topics": self.topics}


@dataclass(frozen=True, slots=True)
class Query:
    """A question, normalised. `identifiers` are its identifier-like words in order of
    appearance, `expansions` what a second pass would ask besides, `corpus` what it is about.

    `symbols` are the names that it writes like code, with capitals that begin no sentence and a
    name that is the whole question, and `asks` what it is: nothing but such names (`symbol`), prose
    with some (`mixed`), or `prose`.

    `subqueries` are asked besides it in every pass, each of one side; `intent` is for the reranker
    alone."""

    text: str
    identifiers: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    mode: TaskMode = "explain"
    expansions: tuple[Expansion, ...] = ()
    corpus: Corpus = Corpus()
    symbols: tuple[str, ...] = ()
    asks: Asks = "prose"
    subqueries: tuple[Expansion, ...] = ()
    intent: str = ""

    @property
    def sought(self) -> tuple[str, ...]:
        """The names whose definitions are asked for. Within prose a capital makes no name."""
        return self.symbols if self.asks == "symbol" else self.identifiers


@dataclass(frozen=True, slots=True)
class Pass:
    """One try of a search: whether the expansions are asked, too, for which kinds of sources more
    is fetched than at first, and whether what defines the question's names is, in collections of
    any kind."""

    expanded: bool = False
    widened: frozenset[SourceType] = frozenset()
    defining: bool = False

    @property
    def name(self) -> str:
        """As it stands in the plan of a pack."""
        parts = ["expanded"] * self.expanded + [f"widened {kind}" for kind in sorted(self.widened)]
        parts += ["defining"] * self.defining
        return ", ".join(parts) or "first"


@dataclass(frozen=True, slots=True)
class Scope:
    """Which part of the index a search may see. Empty fields do not restrict.

    `kinds` are kinds of files. `paths` and `not_paths` are files, folders or glob patterns over the
    paths of documents, see `pincite.scope.paths`; `not_paths` wins. `ref` is a revision, which may
    be shortened, `where` a filter in the language of `pincite.scope.where`. `tags` are attributes
    that a chunk must have: one value, or any of several. `bounds` are attributes that a workspace
    sets, of the type `keyword` or `keywords`: they hold besides all others, an empty one matches
    nothing, and no caller of a surface gives them.
    """

    collections: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    kinds: tuple[SourceType, ...] = ()
    ref: str | None = None
    paths: tuple[str, ...] = ()
    not_paths: tuple[str, ...] = ()
    where: str = ""
    tags: Attributes = field(default_factory=dict, hash=False)
    bounds: Attributes = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: the `text` as it was given, which part of the index may be seen, and what the
    answer is for. `budget_ms` is a soft limit, None for none: once it is spent nothing more is
    begun that could be left out (reranking as many, another pass), and the pack says what was.
    `subqueries` are wordings of the caller, each `TYPE: TEXT` (see `model.subqueries`)."""

    text: str
    scope: Scope = Scope()
    mode: TaskMode = "explain"
    budget_ms: float | None = None
    subqueries: tuple[str, ...] = ()


class Hit(msgspec.Struct, frozen=True, gc=False):
    """A chunk's id and its score in one ranking. A search makes hundreds, and a Struct takes a
    fifth of the time of a frozen dataclass."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """One source's hits, ordered by (-score, id).

    `hits[:depth]` is what the source returned on its own; the rest, if any, are scores that
    were asked for by id so that both sides of a fusion know the whole union. `wording` is 0 for the
    question itself and counts its expansions from 1. Scores may be compared with those of other
    rankings of the same signal, kind, wording and `scale`, which names the model of dense ones.
    `counted` has the terms that were asked for, in all chunks of the collection; None where they
    are not counted, and where nobody may learn what others have.
    """

    collection: str
    signal: SignalName
    kind: SignalKind
    hits: tuple[Hit, ...]
    depth: int
    wording: int = 0
    scale: str = ""
    counted: TermCounts | None = None


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


RANKING_SIGNALS: frozenset[SignalName] = frozenset(
    ("fused", "smoothed", "ranked", "reranked", "blended", "diverse")
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk in the running, with its signals in the order in which they were given. Where its
    source has been looked at, `descriptions` are those of its folders, outermost first."""

    collection: str
    chunk: Chunk
    signals: tuple[Signal, ...]
    vector: Vector | None = field(default=None, compare=False, repr=False)
    descriptions: tuple[str, ...] = ()

    def signal(self, name: SignalName) -> Signal | None:
        """The latest signal of that name, or None."""
        for signal in reversed(self.signals):  # a generator takes three times as long
            if signal.name == name:
                return signal
        return None

    def with_signal(self, signal: Signal) -> Candidate:
        """The same with one signal more."""
        return Candidate(
            self.collection, self.chunk, (*self.signals, signal), self.vector, self.descriptions
        )

    @property
    def rank_signal(self) -> Signal:
        """The signal that decides the order: the latest of those that rank."""
        for signal in reversed(self.signals):
            if signal.name in RANKING_SIGNALS:
                return signal
        raise ValueError(f"no signal ranks {self.chunk.id}")

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
class Chosen(Pool):
    """What is shown. `reserve` are the next best, for places that become free. `short` are the
    kinds of sources of which there are fewer than wanted, `closest` the nearest of what is below
    the bar, where nothing is above it."""

    reserve: tuple[Candidate, ...] = ()
    short: frozenset[SourceType] = frozenset()
    closest: tuple[Candidate, ...] = ()


def defined(candidates: Sequence[Candidate], sought: Sequence[str]) -> tuple[str, str] | None:
    """The first symbol that is one of the names in `sought`, and the path where it is defined."""
    names = {last_component(name) for name in sought}
    for one in candidates:
        for symbol in one.chunk.symbols:
            if last_component(symbol) in names:
                return symbol, one.chunk.path
    return None
