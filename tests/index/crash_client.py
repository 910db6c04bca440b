"""An indexing process that dies: the real command, with a log of what it was told."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pincite.daemon.client.remote_index import RemoteIndex
from pincite.engine import AsyncPincite
from pincite.index.folder import make_folder
from pincite.ingestion.options import IndexOptions
from pincite.model import Chunk, DocumentRecord, IndexedDocument
from pincite.ports import Index
from pincite.profile import Profile
from pincite.settings.load import Settings


class Witness(RemoteIndex):
    """Writes down every document whose `replace` has returned, and syncs that to disk."""

    log: Path

    async def replace(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        await RemoteIndex.replace(self, collection, documents)
        with self.log.open("a") as file:
            file.writelines(f"{record.path} {record.revision}\n" for record, _ in documents)
            file.flush()
            os.fsync(file.fileno())


async def index(source: Path, root: Path, log: Path) -> None:
    settings = Settings(index=root, models=root / "models", profile=Profile(), offline=True)
    make_folder(root)
    witness = Witness(root, root / "models", 60.0)
    witness.log = log
    async with AsyncPincite(settings) as pincite:
        pincite._client = witness
        await pincite.index([source], options=IndexOptions(lexical=True))


def run(source: Path, root: Path, log: Path) -> None:
    asyncio.run(index(source, root, log))


async def check_whole(
    index: Index, records: tuple[DocumentRecord, ...], chunks: tuple[Chunk, ...]
) -> None:
    """Every document has all of its chunks, and every chunk belongs to a document."""
    counts = Counter((chunk.repo, chunk.path) for chunk in chunks)
    assert counts == {(r.source, r.path): r.chunks for r in records if r.chunks}
    ids = [chunk.id for chunk in chunks]
    assert [s.chunk for s in await index.load("main", ids)] == list(chunks)
