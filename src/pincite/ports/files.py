"""Compare passages with their files before they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from pincite.model import Chunk, Context, Notice, Truth

Gone: TypeAlias = Literal["stale", "deleted"]


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage to compare: a chunk of a collection, and its context."""

    collection: str
    chunk: Chunk
    context: Context | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """A quote as its file has it now: lines, text, revision and context. If the file no longer has
    the text or does not exist, `gone` says which, `detail` explains it, and the other fields are as
    indexed. `notice` is about the source. `descriptions` are the owner's descriptions of the file's
    folders, outermost first."""

    chunk: Chunk
    context: Context | None
    truth: Truth
    gone: Gone | None = None
    detail: str = ""
    notice: Notice | None = None
    descriptions: tuple[str, ...] = ()


class Files(Protocol):
    """Access to the current state of indexed files."""

    async def look(
        self, quotes: Sequence[Quote], limit_s: float, *, refs: tuple[str, ...] = ()
    ) -> tuple[Seen, ...]:
        """Compare each quote with its file, and return the results in the same order. A quote that
        is not compared within `limit_s` seconds is `unchecked`. With `refs`, a quote is gone unless
        its file still has one of these revisions, which may be abbreviated. Never raises because of
        the state of the disk."""
