"""Return the chunks of a search under their payload names, and as text for a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Unpack, overload

import msgspec

from pincite.model import Evidence, EvidencePack
from pincite.model.context_block import BUDGET, ContextOrder, CountTokens, write_context
from pincite.workspace.model import Access
from pincite.workspace.workspace import Workspace, WorkspaceSearchKeywords


class FoundChunk(msgspec.Struct, frozen=True):
    """A chunk of a search result, with the names of its payload. `number` counts from 1 in order of
    rank, `score` is the value of the signal that ranked it, `citation` refers to its text."""

    number: int
    content: str
    document_id: str
    space_id: str
    user_id: str
    filename: str
    doc_title: str
    chunk_index: int
    start_char: int
    end_char: int
    score: float
    citation: str


@dataclass(frozen=True, slots=True)
class FoundChunks(Sequence[FoundChunk]):
    """Chunks, best first. `pack` is the evidence pack that they come from, with the verdict on
    whether they are good enough."""

    chunks: tuple[FoundChunk, ...]
    pack: EvidencePack

    def __iter__(self) -> Iterator[FoundChunk]:
        return iter(self.chunks)

    def __len__(self) -> int:
        return len(self.chunks)

    @overload
    def __getitem__(self, place: int) -> FoundChunk: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[FoundChunk, ...]: ...

    def __getitem__(self, place: int | slice) -> FoundChunk | tuple[FoundChunk, ...]:
        return self.chunks[place]


async def search_chunks(
    workspace: Workspace, access: Access, text: str, **keywords: Unpack[WorkspaceSearchKeywords]
) -> FoundChunks:
    """Return the chunks for a question from the documents that the access may read. Raise the
    errors of `Workspace.search`."""
    pack = await workspace.search(access, text, **keywords)
    return FoundChunks(tuple(map(_chunk, pack.evidence)), pack)


def format_chunks_for_llm(
    found: FoundChunks,
    budget: int = BUDGET,
    *,
    order: ContextOrder = "rank",
    count: CountTokens | None = None,
) -> str:
    """Return the chunks as text for the prompt of a language model: the verdict, then as many
    chunks as fit into `budget` tokens. Each has its number, citation and title and stands in a
    fence that no text in it can close. Raise UsageError for a budget that has no room for one
    line."""
    return write_context(found.pack, budget, order=order, line_numbers=False, count=count).text


def _chunk(item: Evidence) -> FoundChunk:
    held: Any = item.attributes
    return FoundChunk(
        number=item.number,
        content=item.text,
        document_id=held.get("document_id", ""),
        space_id=held.get("space_id", ""),
        user_id=held.get("user_id", ""),
        filename=held.get("filename", ""),
        doc_title=held.get("doc_title", ""),
        chunk_index=held.get("chunk_index", 0),
        start_char=held.get("start_char", 0),
        end_char=held.get("end_char", 0),
        score=item.score,
        citation=item.citation,
    )
