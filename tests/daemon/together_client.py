"""Processes that use one index together: one that indexes, and others that search meanwhile.

Each writes down what it did and was told, with the time before and after, for whoever judges it.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pincite.daemon.client.remote_index import RemoteIndex
from pincite.engine import AsyncPincite
from pincite.errors import PinciteError
from pincite.index.folder import make_folder
from pincite.ingestion.options import IndexOptions
from pincite.model import IndexedDocument, Scope
from pincite.ports import AnyOf, Filter, SearchRequest
from pincite.profile import Profile
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.settings.load import Settings
from pincite.stages.load import LoadConfig
from pincite.stages.select import SelectConfig

NAMES = ("turnstile", "osprey", "lantern", "quarry", "mitten", "harbour", "walnut", "pylon")
ROAMING = "comet"  # the word of a file that has another name with every version
ALL = Profile(load=LoadConfig(pool=60), select=SelectConfig(results=60))


class Event(msgspec.Struct):
    """Something that happened between two moments. What an answer showed is `(path, first line,
    last line, text)` for each item of a pack, or `ids` for a search of the index itself."""

    what: str
    began: float
    ended: float
    name: str = ""
    version: int = 0
    path: str = ""
    ids: tuple[str, ...] = ()
    items: tuple[tuple[str, int, int, str], ...] = ()
    error: str = ""


class Journal:
    """A file of events, one JSON object a line."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=0)

    def write(self, event: Event) -> None:
        self._file.write(msgspec.json.encode(event) + b"\n")


def read_journal(path: Path) -> list[Event]:
    """What has been written so far."""
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [msgspec.json.decode(line, type=Event) for line in lines]


def settings_of(root: Path) -> Settings:
    """An index that needs no model."""
    return Settings(index=root, models=root / "models", profile=ALL, offline=True)


def path_of(name: str, version: int) -> str:
    """Where a name is written about."""
    return f"{name}-{version}.md" if name == ROAMING else f"{name}.md"


def text_of(name: str, version: int) -> str:
    """What a file says: its name in every section, and the version but for the roaming one."""
    dice = random.Random(f"{name} {version * (name != ROAMING)}")
    label = "" if name == ROAMING else f" version{version} "
    sections = [
        f"# Part {n}\n\n{name}{label} {' '.join(dice.choices(('fox', 'owl', 'hen', 'elk'), k=90))}"
        for n in range(dice.randint(2, 7))
    ]
    return "\n\n".join(sections) + "\n"


class Witness(RemoteIndex):
    """Writes down every change that was acknowledged."""

    journal: Journal

    async def replace(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        began = time.monotonic()
        await RemoteIndex.replace(self, collection, documents)
        ended = time.monotonic()
        for record, points in documents:
            ids = tuple(point.chunk.id for point in points)
            self.journal.write(Event("replaced", began, ended, path=record.path, ids=ids))

    async def remove(self, collection: str, revisions: Sequence[str]) -> None:
        began = time.monotonic()
        await RemoteIndex.remove(self, collection, revisions)
        self.journal.write(Event("removed", began, time.monotonic(), ids=tuple(revisions)))


def index_versions(source: Path, root: Path, journal: Path, versions: Sequence[int]) -> None:
    """Write each version of the source and index it."""
    asyncio.run(_index(source, root, Journal(journal), versions))


async def _index(source: Path, root: Path, journal: Journal, versions: Sequence[int]) -> None:
    make_folder(root)
    witness = Witness(root, root / "models", 60.0)
    witness.journal = journal
    async with AsyncPincite(settings_of(root)) as pincite:
        pincite._client = witness
        for version in versions:
            began = time.monotonic()
            (source / path_of(ROAMING, version - 1)).unlink(missing_ok=True)
            for name in (*NAMES, ROAMING):
                (source / path_of(name, version)).write_text(text_of(name, version))
            journal.write(Event("written", began, time.monotonic(), version=version))
            began = time.monotonic()
            await pincite.index([source], options=IndexOptions(lexical=True))
            journal.write(Event("indexed", began, time.monotonic(), version=version))


def search_until(stop: Path, root: Path, journal: Path, seed: int) -> None:
    """Ask for one name after the other until `stop` is there."""
    asyncio.run(_search(stop, root, Journal(journal), seed))


async def _search(stop: Path, root: Path, journal: Journal, seed: int) -> None:
    async with AsyncPincite(settings_of(root)) as pincite:
        for name in _shuffled(seed):
            if _is_there(stop):
                return
            for ask in (_ask_for_pack, _ask_index):
                began = time.monotonic()
                try:
                    found = await ask(pincite, name)
                except PinciteError as error:
                    found = {"error": f"{type(error).__name__}: {error}"}
                journal.write(
                    Event(ask.__name__.strip("_"), began, time.monotonic(), name=name, **found)
                )


def _is_there(path: Path) -> bool:
    return path.exists()


def _shuffled(seed: int) -> Iterator[str]:
    dice = random.Random(seed)
    return (dice.choice((*NAMES, ROAMING, ROAMING)) for _ in itertools.count())


async def _ask_for_pack(pincite: AsyncPincite, name: str) -> dict[str, Any]:
    pack = await pincite.search(f"what is a {name}?", scope=Scope(collections=("main",)))
    warned = "; ".join(f"{notice.code}: {notice.message}" for notice in pack.warnings)
    items = ((e.path, e.start_line, e.end_line, e.text) for e in pack.evidence)
    said = pack.evidence or pack.omitted  # the writer is ahead of the index
    return {"items": tuple(items), "error": "" if said else f"no evidence {warned}"}


async def _ask_index(pincite: AsyncPincite, name: str) -> dict[str, Any]:
    sparse = Bm25Encoder().encode_query(name)
    request = SearchRequest(
        sparse=sparse,
        sparse_limit=1_000,
        filter=Filter(must=(AnyOf("source_type", ("docs",)),)),
    )
    (ranking,) = await pincite.client().search("main", request)
    return {"ids": tuple(sorted(hit.id for hit in ranking.hits))}
