"""What is looked at before a passage is shown: the file that it is from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from pincite.model import Chunk, Context, Notice, Truth

Gone: TypeAlias = Literal["stale", "deleted"]


@dataclass(frozen=True, slots=True)
class Quote:
    """What is about to be shown: a chunk as a collection has it, and what is around it."""

    collection: str
    chunk: Chunk
    context: Context | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """A quote as its file has it now: lines, text, revision and context. Where the file has it
    no more, `gone` says whether the text or the file is missing, `detail` in words why, and the
    rest is as it was indexed. `notice` is a notice about the source, `descriptions` what
    its owner says of the folders of the file, outermost first."""

    chunk: Chunk
    context: Context | None
    truth: Truth
    gone: Gone | None = None
    detail: str = ""
    notice: Notice | None = None
    descriptions: tuple[str, ...] = ()


class Files(Protocol):
    """The files that are indexed, where they are now."""

    async def look(
        self, quotes: Sequence[Quote], limit_s: float, *, at_ref: str | None = None
    ) -> tuple[Seen, ...]:
        """Each quote as its file has it, in their order. What has not been seen after `limit_s`
        is `unchecked`. With `at_ref` only what is still of that revision, which may be shortened,
        is there. Never raises for what is or is not on the disk."""
