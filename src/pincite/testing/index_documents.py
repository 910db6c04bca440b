"""Documents for the suites of an index, and what searches see of them."""

from __future__ import annotations

from pincite.model import Chunk
from pincite.ports import Index
from pincite.testing.points import DENSE, document_of, request_for

A1 = document_of("a.md", "a1", ["the brown fox", "the brown cow"])
A2 = document_of("a.md", "a2", ["the white hen"])
B1 = document_of("b.md", "b1", ["the brown owl"])
EMPTY = document_of("empty.md", "e1", [])
NOT_UNIT = 2 * DENSE.vector("fox")


async def texts(index: Index, collection: str = "main") -> list[str]:
    """Return the texts of all visible chunks, sorted."""
    found: list[str] = []
    after = None
    while page := await index.page(collection, after, 2):
        found += [chunk.text for chunk in page]
        after = page[-1].id
    return sorted(found)


async def chunk_found(index: Index, text: str) -> Chunk:
    """Return the chunk of the best hit of a search."""
    rankings = await index.search("main", request_for(text))
    (stored,) = await index.load("main", [rankings[-1].hits[0].id])
    return stored.chunk
