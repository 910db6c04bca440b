"""Documents, cut up, as an index has them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pincite.chunkers import ChunkerConfig, chunks_of, sections_of
from pincite.index.outline import outline_steps
from pincite.model import Chunk, Document
from pincite.model.outline import Outline, OutlinedDocument
from pincite.ports import Stored
from tests.small_search import make

SMALL = ChunkerConfig(target_tokens=16, max_tokens=24, solo_tokens=8)
COLLECTION = asyncio.run(make(None, {}))


@dataclass(frozen=True)
class Files:
    """An index of these documents, by path."""

    chunks: dict[str, tuple[Chunk, ...]]
    asked: list[list[str]] = field(default_factory=list)
    loaded: list[list[str]] = field(default_factory=list)

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        return self.chunks[path]

    async def chunk_ids(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[tuple[str, ...], ...]:
        self.asked.append([path for _, path in documents])
        return tuple(tuple(one.id for one in self.chunks[path]) for _, path in documents)

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        self.loaded.append(list(ids))
        every = {one.id: one for some in self.chunks.values() for one in some}
        return tuple(Stored(every[id_]) for id_ in ids if id_ in every)


@dataclass(frozen=True)
class Outlines(Files):
    """The same, with outlines."""

    async def outlines(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[OutlinedDocument | None, ...]:
        """None for the documents on pages."""
        return tuple(outlined(self.chunks[path]) for _, path in documents)


def outline_of(chunks: Sequence[Chunk]) -> Outline | None:
    """See `outline_steps`."""
    steps = outline_steps(chunks)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            outline: Outline | None = done.value
            return outline


def outlined(chunks: Sequence[Chunk]) -> OutlinedDocument | None:
    outline = outline_of(chunks)
    if outline is None:
        return None
    ids = bytes.fromhex("".join(one.id for one in chunks))
    return OutlinedDocument(chunks[0].content_hash, ids, outline)


def document(text: str, path: str = "notes.md", **values: Any) -> Document:
    kinds: tuple[Any, str] = ("docs", "markdown") if path.endswith(".md") else ("code", "python")
    shape = {"encoding": "utf-8", "content_hash": "0" * 64, "source_type": kinds[0]}
    return Document("acme", "c0ffee", path, text, language=kinds[1], **(shape | values))


def cut_up(text: str, path: str = "notes.md", config: ChunkerConfig = SMALL) -> tuple[Chunk, ...]:
    whole = document(text, path)
    return chunks_of(whole, sections_of(whole, config))


#: Each part is a chunk of three lines.
PARTS = "".join(f"## Part {n}\n\nIts words are here, and number {n}.\n\n" for n in range(12))
