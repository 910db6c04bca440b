"""Values of a search: queries, rankings, and candidates with their signals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Literal

import msgspec

from pincite.model.attribute_types import Attributes
from pincite.model.chunks import Chunk
from pincite.model.documents import SourceType
from pincite.model.points import TermCounts, Vector
from pincite.questions.asked import Asked
from pincite.questions.frames import Frame
from pincite.support.names import components, last_component

Asks = Literal["symbol", "mixed", "prose"]
#: `lex`: words for keyword search. `vec`: a sentence for vector search. `hyde`: a hypothetical
#: passage of the answer, embedded like a document.
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
    "copied",
    "terms",
    "prior",
    "header",
    "defined",
    "relation",
    "tests",
    "route",
    "place",
    "version",
    "ranked",
    "reranked",
    "blended",
    "diverse",
    "coverage",
]
SignalKind = Literal[
    "cosine", "dot", "bm25", "rrf", "dbsf", "normalised", "probability", "logit", "share", "mmr"
]


class Notice(msgspec.Struct, frozen=True):
    """A machine-readable warning: what was skipped, cut or replaced, and how to fix it."""

    code: str
    message: str


class Expansion(msgspec.Struct, frozen=True):
    """A rephrasing of a question for one `collection`, or for all if that is empty. With a `kind`,
    only that side of the search uses it. `frames` are the places that it names in addition to those
    of the question, if somebody who asks has written it."""

    text: str
    collection: str = ""
    kind: SubQueryKind | None = None
    frames: tuple[Frame, ...] = ()


class Corpus(msgspec.Struct, frozen=True):
    """Names of the indexed subject for templates: the `name` of the product as in "using Google
    ADK", the names of its documentation and source code as in "official ADK docs" and "ADK Python
    source" (default: the name), and a few words for its `topics`."""

    name: str = ""
    docs: str = ""
    code: str = ""
    topics: str = ""

    @property
    def words(self) -> dict[str, str]:
        """The words by the name of their template field."""
        docs, code = self.docs or self.name, self.code or self.name
        return {"corpus": self.name, "docs": docs, "code": code, "topics": self.topics}


class Query(msgspec.Struct, frozen=True):
    """A normalised question. `identifiers` are its identifier-like words in order of appearance,
    `expansions` the additional queries of a second pass, `corpus` the names of the indexed subject.

    `symbols` are the names in it that are written like code, including capitalised words inside a
    sentence and a name that is the whole question. `asks` is its form: only such names (`symbol`),
    prose with some (`mixed`), or `prose`.

    `subqueries` are additional queries of every pass, each for one side. `intent` is for the
    reranker only. `asked` is what the form of the text tells, such as a relation to a name."""

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
    asked: Asked = Asked()

    @property
    def sought(self) -> tuple[str, ...]:
        """The names whose definitions are searched. In prose, capitalised words do not count."""
        return self.symbols if self.asks == "symbol" else self.identifiers


class Pass(msgspec.Struct, frozen=True):
    """One pass of a search: whether it uses the expansions, for which kinds of sources it fetches
    more than the first pass, and whether it fetches definitions of the question's names in
    collections of any kind."""

    expanded: bool = False
    widened: frozenset[SourceType] = frozenset()
    defining: bool = False

    @property
    def name(self) -> str:
        """Its name in the plan of a pack."""
        parts = ["expanded"] * self.expanded + [f"widened {kind}" for kind in sorted(self.widened)]
        parts += ["defining"] * self.defining
        return ", ".join(parts) or "first"


@dataclass(frozen=True, slots=True)
class PlacedPath:
    """A path or pattern that counts from the root of a source, as `pincite.scope.paths` reads it.
    It matches documents of one `collection` (its name for users), or of any if that is ""."""

    pattern: str
    collection: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of the index that a search may see. Empty fields do not restrict. A single text
    counts as a list of one.

    `kinds` are kinds of files. `paths` and `not_paths` are files, folders or glob patterns, see
    `pincite.scope.paths`; `not_paths` wins. `ref` is a revision or its prefix, or a tag, branch or
    `HEAD` of indexed checkouts. A search sets what these mean in the indexed sources: `placed` for
    the paths, `not_placed`, and `commits` for the `ref`. Messages show them as they were given.
    `placed` and `not_placed` are None before, and empty if no document can match the paths.
    `where` is a filter in the language of `pincite.scope.where`. `tags` are attributes that a chunk
    must have: one value, or any of several. `bounds` are attributes of the type `keyword` or
    `keywords` that a workspace sets. They apply in addition to the others, and an empty one matches
    nothing. `bound_where` is a filter that a program sets in addition to the `where` of its caller.
    `unshown` are the names of further fields that the program sets (`collections`, `sources`,
    `kinds`, `tags`, or `tags.NAME` for one of the tags). Callers of a surface cannot set these
    three, and no message shows the filter or the values of such fields."""

    collections: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    kinds: tuple[SourceType, ...] = ()
    ref: str | None = None
    paths: tuple[str, ...] = ()
    not_paths: tuple[str, ...] = ()
    where: str = ""
    tags: Attributes = field(default_factory=dict, hash=False)
    bounds: Attributes = field(default_factory=dict, hash=False)
    bound_where: str = ""
    unshown: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    placed: tuple[PlacedPath, ...] | None = None
    not_placed: tuple[PlacedPath, ...] | None = None

    if TYPE_CHECKING:  # types that callers may give; a search converts them to tuples

        def __init__(
            self,
            collections: str | Iterable[str] = (),
            sources: str | Iterable[str] = (),
            kinds: SourceType | Iterable[SourceType] = (),
            ref: str | None = None,
            paths: str | Iterable[str] = (),
            not_paths: str | Iterable[str] = (),
            where: str = "",
            tags: Mapping[str, object] = ...,
            bounds: Attributes = ...,
            bound_where: str = "",
            unshown: tuple[str, ...] = (),
            commits: tuple[str, ...] = (),
            placed: tuple[PlacedPath, ...] | None = None,
            not_placed: tuple[PlacedPath, ...] | None = None,
        ) -> None: ...

    @property
    def unshown_tags(self) -> Attributes:
        """The tags that no message shows."""
        if "tags" in self.unshown:
            return self.tags
        return {name: one for name, one in self.tags.items() if f"tags.{name}" in self.unshown}

    def called(self, collection: str) -> str:
        """Return the name of a collection for messages, or "a collection" if no message may show
        names."""
        return "a collection" if "collections" in self.unshown else collection

    def paths_in(self, collection: str) -> tuple[str, ...]:
        """The patterns for documents of a collection, by its name for users."""
        return self.paths if self.placed is None else _in(collection, self.placed)

    def not_paths_in(self, collection: str) -> tuple[str, ...]:
        """The patterns that exclude documents of a collection, by its name for users."""
        if self.not_placed is None:
            return self.not_paths
        return _in(collection, self.not_placed)

    @property
    def refs(self) -> tuple[str, ...]:
        """Beginnings of the revisions within the scope; none if it has no `ref`."""
        return self.commits or ((self.ref,) if self.ref else ())


def _in(collection: str, placed: tuple[PlacedPath, ...]) -> tuple[str, ...]:
    return tuple(one.pattern for one in placed if one.collection in ("", collection))


@dataclass(frozen=True, slots=True)
class Question:
    """A question: the unchanged `text`, the part of the index to search, and the purpose of the
    answer, None for that of the profile. `budget_ms` is a soft limit, None for none. Once it is
    used up, optional steps (full reranking, another pass) are skipped, and the pack names them.
    `subqueries` are rephrasings by the caller, each `TYPE: TEXT` (see `model.subqueries`)."""

    text: str
    scope: Scope = Scope()
    mode: TaskMode | None = None
    budget_ms: float | None = None
    subqueries: tuple[str, ...] = ()


class Hit(msgspec.Struct, frozen=True, gc=False):
    """A chunk's id and its score in one ranking. A search creates hundreds, and a Struct takes a
    fifth of the time of a frozen dataclass."""

    id: str
    score: float


class Ranking(msgspec.Struct, frozen=True):
    """The hits of one signal in one collection, ordered by (-score, id).

    `hits[:depth]` are the search results. The rest, if any, are scores requested by id, so that
    both sides of a fusion have scores for the whole union. `wording` is 0 for the question itself
    and counts its expansions from 1. Scores are comparable between rankings of the same signal,
    kind, wording and `scale`, which names the model of dense ones. `counted` has the counts of the
    query's terms in all chunks of the collection. It is None if they are not counted, or would
    reveal what other users have.
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
    """A named number of a candidate, and its kind."""

    name: SignalName
    kind: SignalKind
    value: float


class Fused(msgspec.Struct, frozen=True):
    """A chunk of at least one ranking; its last signal is `fused`."""

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


class Candidate(msgspec.Struct, frozen=True):
    """A chunk with its signals, in the order of the stages that gave them. `descriptions` are those
    of its folders, outermost first, once it was compared with its source."""

    collection: str
    chunk: Chunk
    signals: tuple[Signal, ...]
    vector: Vector | None = None
    descriptions: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Compare everything except the vectors."""
        if not isinstance(other, Candidate):
            return NotImplemented
        mine = (self.collection, self.chunk, self.signals, self.descriptions)
        return mine == (other.collection, other.chunk, other.signals, other.descriptions)

    def __hash__(self) -> int:
        return hash((self.collection, self.chunk, self.signals, self.descriptions))

    def __repr__(self) -> str:
        shown = f"{self.collection!r}, {self.chunk!r}, {self.signals!r}, {self.descriptions!r}"
        return f"Candidate({shown})"

    @property
    def key(self) -> tuple[str, str]:
        """The collection and the id of the chunk, by which passages are told apart."""
        return self.collection, self.chunk.id

    @property
    def file(self) -> tuple[str, str, str]:
        """The collection, source and path of the file."""
        return self.collection, self.chunk.repo, self.chunk.path

    def signal(self, name: SignalName) -> Signal | None:
        """Return the latest signal of that name, or None."""
        for signal in reversed(self.signals):  # a generator takes three times as long
            if signal.name == name:
                return signal
        return None

    def with_signal(self, *signals: Signal) -> Candidate:
        """Return the same candidate with more signals."""
        return Candidate(
            self.collection, self.chunk, (*self.signals, *signals), self.vector, self.descriptions
        )

    @property
    def rank_signal(self) -> Signal:
        """The signal that decides the order: the latest ranking signal. Raises ValueError if there
        is none."""
        for signal in reversed(self.signals):
            if signal.name in RANKING_SIGNALS:
                return signal
        raise ValueError(f"no signal ranks {self.chunk.id}")

    @property
    def rank_key(self) -> tuple[float, str, str]:
        """A sort key: the best candidate first, ties by id and collection."""
        return (-self.rank_signal.value, self.chunk.id, self.collection)


class Drop(msgspec.Struct, frozen=True):
    """A candidate that a stage removed, and the reason."""

    candidate_id: str
    reason: str


class Pool(msgspec.Struct, frozen=True):
    """Candidates, best first, and those that the stage removed."""

    candidates: tuple[Candidate, ...]
    dropped: tuple[Drop, ...] = ()
    notices: tuple[Notice, ...] = ()


class Chosen(Pool, frozen=True):
    """The results to show. `reserve` are the next best, for results that drop out. `short` are the
    kinds of sources with too few results. `closest` are the best candidates below the threshold, if
    none is above it."""

    reserve: tuple[Candidate, ...] = ()
    short: frozenset[SourceType] = frozenset()
    closest: tuple[Candidate, ...] = ()


def in_front(
    meant: Sequence[Candidate], candidates: Sequence[Candidate], why: SignalName
) -> tuple[Candidate, ...]:
    """Return the candidates with those that are `meant` before the others. These get the signal
    `why` with the value 1, which is no score. All that change places exchange their scores."""
    places = {one.key: place for place, one in enumerate(meant)}
    keyed = [(places.get(one.key), one) for one in candidates]
    keyed.sort(key=lambda pair: len(places) if pair[0] is None else pair[0])
    moved = [
        one
        if one is before
        else one.with_signal(Signal("ranked", one.rank_signal.kind, before.rank_signal.value))
        for (_, one), before in zip(keyed, candidates, strict=True)
    ]
    return tuple(
        one if place is None else one.with_signal(Signal(why, "share", 1.0))
        for (place, _), one in zip(keyed, moved, strict=True)
    )


def defined(candidates: Sequence[Candidate], sought: Sequence[str]) -> tuple[str, str] | None:
    """Return the first defined symbol whose name is in `sought`, and the path of its definition."""
    names = {last_component(name) for name in sought}
    for one in candidates:
        for symbol in one.chunk.symbols:
            if last_component(symbol) in names:
                return symbol, one.chunk.path
    return None


def defines(one: Candidate, name: str) -> bool:
    """Return whether the passage defines this name at its path: `close` of `http.Client.close` if
    `http` and `Client` are, in this order, parts of the path of its file, definitions around it or
    names that the passage defines before it. A folder or file with dots in its name has several
    parts. Case counts."""
    *owners, own = components(name) or [""]
    chunk = one.chunk
    place = _without_suffix(chunk.path).replace("/", ".").split(".")
    headings = [components(heading.partition("<")[0]) for heading in chunk.headings]
    if headings and headings[-1][-1:] == [own]:  # the definition itself
        headings.pop()
    outer = [*place, *chain.from_iterable(headings)]
    for symbol in chunk.symbols:
        *within, last = components(symbol) or [""]
        if last == own and _in_order(owners, [*outer, *within]):
            return True
        outer.append(last)
    return False


def _without_suffix(path: str) -> str:
    folder, slash, file = path.rpartition("/")
    return folder + slash + (file.rpartition(".")[0] or file)


def _in_order(names: Iterable[str], among: Iterable[str]) -> bool:
    """Return whether these names are among the others, in the same order."""
    left = iter(among)
    return all(name in left for name in names)
