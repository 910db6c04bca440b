"""Tenants of one collection: random questions and tags over planted look-alikes, on every store.

Eight institutions whose names are easily taken for each other have the same pages in two modes and
three courses; only a mark in the text says whose they are. A case is tags, a question and what goes
with it (a filter, paths, a way to search). It holds if

- tags that lack a required name are refused before the store is asked;
- all that is shown, closest or omitted has the tags, and nothing in the pack, notices and counts
  included, has a mark of anybody else, unless the question has it;
- the pack is the one that an index would give in which nobody else ever was: the same passages and
  counts, the same words that are nowhere, the same notices. By words the scores differ, which know
  how frequent a word is in the whole collection (docs/attributes.md).
"""

from __future__ import annotations

import itertools
import random
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, get_args

import msgspec

from bench.frame import Options
from pincite.catalog.sqlite import SqliteCatalog
from pincite.deps import Deps
from pincite.errors import PinciteError, TagsRequired, UsageError
from pincite.evals.report.tables import table
from pincite.index.local import LocalIndex
from pincite.model import (
    Chunk,
    CollectionSpec,
    DocumentRecord,
    EvidencePack,
    IndexedDocument,
    Point,
    Question,
    Scope,
)
from pincite.ports import Searchable, Store
from pincite.presets import PRESETS
from pincite.profile import Profile, profile_from
from pincite.providers.sparse.analyser import informative_terms
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.language import guess_language
from pincite.search import search
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from pincite.testing.fakes import HashingEncoder
from pincite.trace import Trace

Kind = Literal["edge", "qdrant", "sqlite", "chroma"]
REQUIRE: Final = ("institution", "mode")
#: Names that a careless comparison takes for one another.
INSTITUTIONS: Final = (
    *("north", "North", "nort", "north/exam", "n\N{CYRILLIC SMALL LETTER O}rth", "north or south"),
    *('no"rth', "south"),
)
MODES: Final = ("exam", "open")
COURSES: Final = ("ml", "db", "ML")
_PAGES: Final = (
    "The oral exam of {mark} asks how a key is rotated by hand.",
    "Backups of {mark} run every night and are kept for thirty days.",
    "A turnstile of {mark} counts who comes into the reading room.",
)
_QUESTIONS: Final = (
    *("how is a key rotated", "when do backups run", "who comes into the reading room"),
    *("oral exam", "what is known about {mark}", "{mark}", "the key of {mark} is rotated by whom"),
    *("wombats in space", "unplugged zeppelins at night", "' or institution exists or '"),
)
_PINNED: Final = "institution = south"
_WHERE: Final = (
    *("",) * 20,
    *("mode exists", _PINNED, "not institution = south"),
    *("institution = north or mode = exam", "courseName in (ml, ML)", "page_number >= 2"),
    *("path ^= south", "text ~ backups", "not courseName exists", "institution ^= n"),
)
_PATHS: Final[tuple[tuple[str, ...], ...]] = (
    *((),) * 12,
    *(("*",), ("south/exam/ml",), ("nort*",), ("**/0.md",), ("nowhere/*",)),
)
_WIDE: Final[Mapping[str, Mapping[str, Any]]] = {
    "retrieve": {"dense_limit": 200, "sparse_limit": 200, "exact": True, "timeout_s": 120.0},
    "load": {"pool": 200, "alone": 1.0, "vectors": False},
    "select": {"results": 200, "closest": 200, "on_none": "drop"},
    "smooth": {"weight": 0.0},
    "cover": {"candidates": 200},
    "context": {"around": "none"},
}
#: Nothing is cut off, so that what is shown can be compared; `notes` as it is.
PROFILES: Final[Mapping[str, Profile]] = {
    **{
        by: profile_from(
            {**_WIDE, "retrieve": {**_WIDE["retrieve"], "mode": by}},
            "the bench",
        )
        for by in ("vector", "keyword", "hybrid")
    },
    "notes": replace(PRESETS["notes"], retrieve=replace(PRESETS["notes"].retrieve, timeout_s=120)),
}


@dataclass(frozen=True, slots=True)
class Case:
    """What somebody asks."""

    scope: Scope
    text: str
    profile: str

    @property
    def complete(self) -> bool:
        """Have all required names a value?"""
        return all(self.values(name) for name in REQUIRE)

    def values(self, name: str) -> frozenset[str]:
        """The values of a tag that are not empty, or those that the filter gives in its place."""
        given: Any = self.scope.tags.get(name, ())
        held = frozenset(filter(None, given if isinstance(given, tuple) else (given,)))
        if name == "institution" and name not in self.scope.tags and self.scope.where == _PINNED:
            return frozenset(("south",))
        return held

    def lets_see(self, chunk: Chunk) -> bool:
        """Does it have all tags of the case?"""
        return all(
            not given or chunk.attributes.get(name) in given
            for name in (*REQUIRE, "courseName")
            for given in (self.values(name),)
        )


@dataclass(frozen=True, slots=True)
class TenantFigures:
    """By store: `cases`, of which `refused` lacked a tag and were refused before the store was
    asked, `invalid` had a filter that cannot be, `empty` found nothing; `shown` passages in the
    others, and what was wrong. `took_s` is all of it, the comparison included."""

    cases: Mapping[str, int]
    refused: Mapping[str, int]
    invalid: Mapping[str, int]
    empty: Mapping[str, int]
    shown: Mapping[str, int]
    leaks: Mapping[str, int]
    took_s: Mapping[str, float]


def mark_of(institution: str, mode: str, course: str) -> str:
    """The word that only texts of this tenant have."""
    place = INSTITUTIONS.index(institution), MODES.index(mode), COURSES.index(course)
    return "mark{}x{}x{}".format(*place)


@cache
def chunks() -> tuple[Chunk, ...]:
    """A page of each kind for everybody."""
    return tuple(_chunks())


def _chunks() -> Iterator[Chunk]:
    for number, (institution, mode, course) in enumerate(
        itertools.product(INSTITUTIONS, MODES, COURSES)
    ):
        for page, template in enumerate(_PAGES):
            text = template.format(mark=mark_of(institution, mode, course))
            yield Chunk(
                id=f"{number:016x}{page:016x}",
                repo="records",
                ref="v1",
                path=f"{institution}/{mode}/{course}/{page}.md",
                source_type="docs",
                language="markdown",
                start=0,
                end=len(text),
                start_line=1,
                end_line=1,
                text=text,
                content_hash=f"{number:032x}{page:032x}",
                title=f"Page {page}",
                attributes={
                    "institution": institution,
                    "mode": mode,
                    "courseName": course,
                    "page_number": page + 1,
                },
            )


def cases(count: int, seed: int = 18) -> Iterator[Case]:
    """The same each time. One in eight lacks a tag."""
    rng = random.Random(seed)
    for _ in range(count):
        own = rng.choice(INSTITUTIONS)
        institution: Any = own
        if rng.random() < 0.2:
            institution = tuple(rng.sample((*INSTITUTIONS, "", "nobody"), 2))
        elif rng.random() < 0.1:
            institution = rng.choice(("nobody", "NORTH", "north ", "*", "%", "north,south"))
        tags: dict[str, Any] = {"institution": institution, "mode": rng.choice(MODES)}
        if rng.random() < 0.5:
            tags["courseName"] = rng.choice(COURSES)
        if rng.random() < 0.125:
            name = rng.choice(REQUIRE)
            tags[name] = rng.choice(("", (), ("", "")))
            if rng.random() < 0.5:
                del tags[name]
        other = mark_of(rng.choice(INSTITUTIONS), rng.choice(MODES), rng.choice(COURSES))
        text = rng.choice(_QUESTIONS).format(mark=other)
        scope = Scope(tags=tags, where=rng.choice(_WHERE), paths=rng.choice(_PATHS))
        yield Case(scope, text, rng.choice(tuple(PROFILES)))


class _Counted:
    """An index that counts how often it is asked."""

    def __init__(self, index: LocalIndex) -> None:
        self.asked = 0
        self._index = index

    def __getattr__(self, name: str) -> Any:
        self.asked += 1
        return getattr(self._index, name)


@dataclass
class Library:
    """Everybody's pages in a store, and a place for indexes of single tenants."""

    index: _Counted
    deps: Deps
    alone: dict[frozenset[str], Deps] = field(default_factory=dict)

    async def ask(self, case: Case) -> EvidencePack:
        """The pack over the collection of all."""
        return await _search(case, self.deps)

    async def ask_alone(self, case: Case) -> EvidencePack:
        """The pack over an index that never had anything but what the tags let see."""
        mine = [one for one in chunks() if case.lets_see(one)]
        key = frozenset(one.id for one in mine)
        if key not in self.alone:
            self.alone[key] = (await fill(MemoryStore(), mine)).deps
        return await _search(case, self.alone[key])


async def fill(store: Store, pages: Sequence[Chunk]) -> Library:
    """A collection of these pages."""
    index = LocalIndex(store, SqliteCatalog(":memory:"))
    sparse, dense = Bm25Encoder(), HashingEncoder(32)
    spec = CollectionSpec(
        *("main", sparse.fingerprint, "chunker"),
        dense=dense.fingerprint,
        dimensions=dense.dimensions,
        average_length=10.0,
        attributes={
            **dict.fromkeys((*REQUIRE, "courseName"), "keyword"),
            "page_number": "integer",
        },
        require=REQUIRE,
        counted=True,
    )
    await index.create(spec)
    documents = []
    for one in pages:
        weights, length = sparse.encode_document(one.text, 10.0)
        record = DocumentRecord(
            *(one.repo, one.path, one.id, one.content_hash, one.ref, 1, 1, 1, length),
            attributes=one.attributes,
        )
        documents.append(
            IndexedDocument(record, [Point(one, weights, length, dense.vector(one.text))])
        )
    await index.replace("main", documents)
    counted = _Counted(index)
    one_collection = Searchable(
        spec, counted, sparse, dense, kinds=frozenset({"docs"}), store="any"
    )
    return Library(
        counted, Deps((one_collection,), informative_terms(spec.language), guess_language)
    )


async def _search(case: Case, deps: Deps) -> EvidencePack:
    question = Question(case.text, case.scope)
    return await search(question, deps, PROFILES[case.profile], Trace(lambda: 0.0))


async def leak(case: Case, library: Library) -> tuple[str, str]:
    """What came of a case (`refused`, `invalid`, `empty`, `shown`), and what is wrong with it."""
    library.index.asked = 0
    try:
        pack = await library.ask(case)
    except TagsRequired:
        if case.complete:
            return "refused", "refused though nothing is missing"
        return "refused", "the store was asked" if library.index.asked else ""
    except UsageError as error:
        return "invalid", _marks(case, error.message)
    if not case.complete:
        return "shown", "not refused"
    came = "shown" if pack.evidence or pack.closest else "empty"
    return came, _foreign(case, pack) or _difference(pack, await library.ask_alone(case), case)


def _foreign(case: Case, pack: EvidencePack) -> str:
    """What of it the tags do not let see."""
    for one in (*pack.evidence, *pack.closest):
        for name in (*REQUIRE, "courseName"):
            given = case.values(name)
            if given and one.attributes.get(name) not in given:
                return f"{one.path} is shown"
    return _marks(case, msgspec.json.encode(pack).decode())


def _marks(case: Case, said: str) -> str:
    for one in itertools.product(INSTITUTIONS, MODES, COURSES):
        mark = mark_of(*one)
        own = all(
            not case.values(name) or value in case.values(name)
            for name, value in zip((*REQUIRE, "courseName"), one, strict=True)
        )
        if not own and mark not in case.text and mark in said:
            return f"{mark} is said"
    return ""


def _difference(pack: EvidencePack, alone: EvidencePack, case: Case) -> str:
    """Where the pack is another than it would be without the others."""
    mine, theirs = _seen(pack, case), _seen(alone, case)
    wrong = [name for name, value in mine.items() if value != theirs[name]]
    return "; ".join(f"{name}: {mine[name]}, alone {theirs[name]}" for name in wrong)


def _seen(pack: EvidencePack, case: Case) -> dict[str, Any]:
    """All of a pack that does not depend on how frequent words are with others, and not on the
    order of equal scores."""
    vector = case.profile in ("vector", "notes")
    shown = {"evidence": pack.evidence, "closest": pack.closest}
    whole = case.profile != "notes"  # which shows five, of equal ones any
    return {
        "level": pack.verdict.level,
        "value": round(pack.verdict.value, 3),
        "words": (pack.absent_terms.index, pack.absent_terms.evidence) if whole else (),
        "notices": sorted((one.code, one.message) for one in pack.warnings),
        "counts": dict(pack.plan.counts),
        "coverage": dict(pack.coverage) if whole else {},
        **{name: sorted(one.chunk_id for one in held) for name, held in shown.items() if whole},
        **{
            f"scores of {name}": sorted(round(one.score, 3) for one in held)
            for name, held in shown.items()
            if vector
        },
        "omitted": len(pack.omitted),
    }


@asynccontextmanager
async def opened(kind: Kind, folder: Path) -> AsyncIterator[Store]:
    """An empty store in the folder. A Qdrant server is the recorded one of the tests, whose
    requests are held against its published description."""
    if kind == "qdrant":
        from tests.stores.qdrant_http import recording_server

        from pincite.stores.qdrant.connection import Connection, open_client
        from pincite.stores.qdrant.store import QdrantStore

        with recording_server() as recorder:
            client = open_client(recorder.url, None, grpc_port=None, timeout_s=60)
            store: Store = QdrantStore(Connection(client, recorder.url))
            yield store
            await store.close()
            if recorder.wrong:
                raise PinciteError(f"requests that are none: {recorder.wrong[:3]}")
        return
    store = _makers()[kind](folder)
    yield store
    await store.close()


def _makers() -> Mapping[str, Callable[[Path], Store]]:
    from pincite.stores.chroma.database import Database, open_client
    from pincite.stores.chroma.store import ChromaStore
    from pincite.stores.qdrant_edge.store import EdgeStore
    from pincite.stores.sqlite.store import SqliteStore

    return {
        "edge": lambda folder: EdgeStore(folder / "edge"),
        "sqlite": lambda folder: SqliteStore(folder / "points.db"),
        "chroma": lambda folder: ChromaStore(Database(open_client("", folder), "a folder")),
    }


async def run(options: Options) -> TenantFigures:
    """All cases on each store."""
    count = 200 if options.quick else 10_000
    figures: dict[str, dict[str, Any]] = {}
    for kind in get_args(Kind):
        began_s = time.perf_counter()
        found: Counter[str] = Counter()
        with tempfile.TemporaryDirectory() as folder:
            async with opened(kind, Path(folder)) as store:
                library = await fill(store, chunks())
                for case in cases(count):
                    came, wrong = await leak(case, library)
                    found[came] += 1
                    if wrong:
                        found["leaks"] += 1
                        print(f"  {kind}: {case}: {wrong}", flush=True)
        took_s = time.perf_counter() - began_s
        figures[kind] = {**found, "took_s": took_s}
        print(f"  {kind}: {figures[kind]}", flush=True)
    return TenantFigures(
        cases=dict.fromkeys(figures, count),
        **{
            name: {kind: one.get(name, 0) for kind, one in figures.items()}
            for name in ("refused", "invalid", "empty", "shown", "leaks", "took_s")
        },
    )


def tenants(raw: Any) -> str:
    """A row for each store."""
    figures = msgspec.convert(raw, TenantFigures, str_keys=True)
    names = ("cases", "leaks", "refused", "invalid", "shown", "empty")
    rows = [
        (kind, *(f"{getattr(figures, name)[kind]:,}" for name in names), f"{took_s:,.0f}")
        for kind, took_s in figures.took_s.items()
    ]
    head = ("store", "cases", "leaks", "refused for a missing tag", "invalid filter")
    return table((*head, "with results", "without", "seconds"), rows)
