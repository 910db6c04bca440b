"""A process that is killed while it writes an outline: `python -m ... FOLDER OUTLINES`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from pincite.catalog.sqlite import SqliteCatalog
from pincite.index.local import LocalIndex
from pincite.model import IndexedDocument
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.support.fields import replace
from pincite.testing.points import LEXICAL_SPEC, document_of


def _document(number: int) -> IndexedDocument:
    texts = [f"fox {number}", f"owl {number}"]
    record, points = document_of(f"{number}.md", f"r{number}", texts, dense=False)
    placed = [
        replace(one, chunk=replace(one.chunk, start=10 * place, end=10 * place + 6))
        for place, one in enumerate(points)
    ]
    return IndexedDocument(record, placed)


DOCUMENTS = tuple(map(_document, range(20)))


def opened(folder: Path) -> LocalIndex:
    """The index of a folder."""
    return LocalIndex(EdgeStore(folder / "collections"), SqliteCatalog(folder / "catalog.db"))


async def write(folder: Path, outlines: int) -> None:
    index = opened(folder)
    await index.open()
    await index.create(LEXICAL_SPEC)
    await index.replace(LEXICAL_SPEC.name, DOCUMENTS)
    await index.flush()
    database, done = index._catalog._db, 0  # type: ignore[attr-defined]

    def look(statement: str) -> None:
        nonlocal done
        done += statement.startswith("INSERT OR REPLACE INTO outlines")
        if done > outlines and statement == "COMMIT":
            os.kill(os.getpid(), signal.SIGKILL)

    database.set_trace_callback(look)
    index.make_outlines(LEXICAL_SPEC.name)
    while index.busy:  # noqa: ASYNC110 - until it is killed
        await asyncio.sleep(0.01)


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), int(sys.argv[2])))
