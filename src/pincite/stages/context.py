"""What stands around a piece of evidence, for a reader who wants more than the passage."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from pincite.errors import ConfigError, EnginePanicked, PinciteError
from pincite.model import Candidate, Chunk, Context, Notice
from pincite.ports import Searchable

Around = Literal["none", "neighbours", "section"]


@dataclass(frozen=True, slots=True)
class ContextConfig:
    """`around`: nothing, the passages before and after, or all with the same heading path. At most
    `max_chars` characters; what is farther away is left out first."""

    around: Around = "none"
    max_chars: int = 8_000

    def __post_init__(self) -> None:
        if self.max_chars < 1:
            raise ConfigError(f"context.max_chars is {self.max_chars}; it must be at least 1")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The context of each candidate, None where there is none."""

    of: tuple[Context | None, ...]
    notices: tuple[Notice, ...] = ()


async def context(
    chosen: Sequence[Candidate], collections: Sequence[Searchable], config: ContextConfig
) -> Surroundings:
    """For each candidate the lines around it, in the same order.

    They are no results: they have no rank, no score and no citation of their own. A document that
    cannot be read from the index costs its context, with a notice.
    """
    if config.around == "none":
        return Surroundings((None,) * len(chosen))
    by_name = {collection.spec.name: collection for collection in collections}
    files = dict.fromkeys((c.collection, c.chunk.repo, c.chunk.path) for c in chosen)
    answers = await asyncio.gather(
        *(by_name[name].index.document(name, repo, path) for name, repo, path in files),
        return_exceptions=True,
    )
    notices = []
    chunks: dict[tuple[str, str, str], tuple[Chunk, ...]] = {}
    for file, answer in zip(files, answers, strict=True):
        if isinstance(answer, PinciteError) and not isinstance(answer, EnginePanicked):
            said = f"{file[2]} is shown without what stands around it: {answer.message}"
            notices.append(Notice("context_unavailable", said))
        elif isinstance(answer, BaseException):
            raise answer
        else:
            chunks[file] = answer
    found = tuple(
        _around(c.chunk, chunks.get((c.collection, c.chunk.repo, c.chunk.path), ()), config)
        for c in chosen
    )
    return Surroundings(found, tuple(notices))


def _around(hit: Chunk, chunks: Sequence[Chunk], config: ContextConfig) -> Context | None:
    places = [n for n, chunk in enumerate(chunks) if chunk.id == hit.id]
    if not places:
        return None
    first = last = centre = places[0]
    size = len(hit.text)
    while True:
        near = [
            n
            for n in (last + 1, first - 1)
            if _belongs(n, hit, chunks, centre, config)
            and size + len(chunks[n].text) <= config.max_chars
        ]
        if not near:
            break
        nearest = min(near, key=lambda n: (abs(n - centre), -n))
        first, last = min(first, nearest), max(last, nearest)
        size += len(chunks[nearest].text)
    if first == last:
        return None
    text = _joined(chunks[first : last + 1])
    return Context(chunks[first].start_line, chunks[last].end_line, text)


def _belongs(
    place: int, hit: Chunk, chunks: Sequence[Chunk], centre: int, config: ContextConfig
) -> bool:
    if not 0 <= place < len(chunks):
        return False
    if config.around == "neighbours":
        return abs(place - centre) == 1
    return chunks[place].headings == hit.headings


def _joined(chunks: Sequence[Chunk]) -> str:
    """Their texts as in the file: between two chunks there is nothing but blank lines."""
    parts = [chunks[0].text]
    for before, after in pairwise(chunks):
        parts.append("\n" * max(0, after.start_line - before.end_line))
        parts.append(after.text)
    return "".join(parts)
