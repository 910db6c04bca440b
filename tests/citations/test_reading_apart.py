"""Reading what is cited does not hold up what else the process does."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

import pytest

from pincite.citations.claims import check_claims
from pincite.citations.compare_claim import Claim
from pincite.citations.get import get
from pincite.citations.verify import verify
from pincite.errors import StoreError
from pincite.model import EvidencePack
from pincite.records.delete import Chosen, count
from pincite.sources.record_places import keep_elsewhere, keep_in_folder
from pincite.sources.record_store import RecordState, RecordStore
from pincite.sources.record_store_postgres import PostgresRecords
from tests.citations.shelf import TEXT, Shelf, pack_of
from tests.records.desk import run


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    made = Shelf(tmp_path)
    run(made.upsert([{"id": "a:7", "text": TEXT}]))
    yield made
    keep_in_folder(made.root)


async def _of_a_silent_database(shelf: Shelf, kind: str, pack: EvidencePack) -> list[bool]:
    """Read from a server that takes connections and says nothing. It is served by the loop that
    reads: of each connection, was it served while the reading went on?"""
    served: list[bool] = []

    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append(not reading.done())
        writer.close()

    cited, index, folder = pack.evidence[0].citation, shelf.index, shelf.root
    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    address = f"postgresql://u@127.0.0.1:{server.sockets[0].getsockname()[1]}/d?sslmode=disable"
    keep_elsewhere(folder, partial(PostgresRecords, address))
    ways: dict[str, Callable[[], Awaitable[object]]] = {
        "citation": lambda: get(index, cited, 0, folder),
        "lines": lambda: get(index, "a:7:2:1", 0, folder),
        "path": lambda: get(index, "a:7", 0, folder),
        "id": lambda: get(index, f"#{pack.evidence[0].chunk_id}", 0, folder),
        "claim": lambda: check_claims(index, [Claim(cited, "printer")], folder),
        "pack": lambda: verify(index, pack, folder=folder),
        "count": lambda: count(shelf.settings, index, Chosen("main", ids=["a:7"])),
    }
    reading = asyncio.ensure_future(ways[kind]())
    await asyncio.wait([reading])
    server.close()
    await server.wait_closed()
    if kind in ("claim", "pack"):
        assert reading.exception() is None
    else:
        assert isinstance(reading.exception(), StoreError)
    return served


@pytest.mark.parametrize("kind", ["citation", "lines", "path", "id", "claim", "pack", "count"])
def test_a_database_that_does_not_answer_holds_up_nothing_else(shelf: Shelf, kind: str) -> None:
    served = run(_of_a_silent_database(shelf, kind, pack_of(shelf)))
    assert served
    assert all(served)


class Watched(RecordStore):
    """Records that tell from which threads they are looked up."""

    threads: ClassVar[set[int]] = set()

    def states(self, collection: str, source: str, paths: Sequence[str]) -> dict[str, RecordState]:
        """See `RecordStore.states`."""
        self.threads.add(threading.get_ident())
        return super().states(collection, source, paths)


def test_what_is_to_be_deleted_is_looked_up_in_another_thread(shelf: Shelf) -> None:
    keep_elsewhere(shelf.root, partial(Watched, shelf.root))
    assert run(shelf.delete(ids=["a:7", "b"])).missing == ("b",)
    assert Watched.threads
    assert threading.get_ident() not in Watched.threads
