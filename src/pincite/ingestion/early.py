"""Read and cut files of the first source while the daemon of a new index starts.

This needs nothing from the index, and the run uses only results that it would compute itself.
Results that no longer match are discarded.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pincite.catalog.file import holds_index
from pincite.chunkers import ChunkerConfig
from pincite.errors import PinciteError
from pincite.ingestion.begun import Sample
from pincite.ingestion.deps import nothing_early
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.prepare import take_sample
from pincite.ingestion.sampling import parts_of
from pincite.ingestion.schema import known_types
from pincite.ingestion.sources import open_all
from pincite.ingestion.target import guess_corpus_language
from pincite.ingestion.workers import open_analyser
from pincite.model import CollectionSpec, Source
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.readers import extracted_suffix
from pincite.settings.load import Settings
from pincite.sources import Entry, OpenSource

#: Of files read early; this takes a second, and a daemon starts in half of one.
_MOST_BYTES: Final = 1_500_000


@dataclass(frozen=True, slots=True)
class Early:
    """A sample of a source, with the chunker and the analyser that produced it."""

    source: Source
    within: str
    chunker: str
    sparse: str
    sample: Sample


@asynccontextmanager
async def started_early(
    settings: Settings, locations: Sequence[str | Path], options: IndexOptions
) -> AsyncIterator[Callable[[OpenSource, CollectionSpec], Awaitable[Sample | None]]]:
    """Start with the first source of a new index; yields the function for `IngestDeps.early`."""
    if options.sparse or settings.use.vision or not locations or holds_index(settings.index):
        yield nothing_early
        return
    beginning = asyncio.create_task(asyncio.to_thread(begin_early, settings, locations, options))

    async def early(opened: OpenSource, spec: CollectionSpec) -> Sample | None:
        found = await beginning
        ours = (opened.source, opened.within, spec.chunker, spec.sparse)
        if found is None or ours != (found.source, found.within, found.chunker, found.sparse):
            return None
        return found.sample

    try:
        yield early
    finally:
        beginning.cancel()
        await asyncio.gather(beginning, return_exceptions=True)


def begin_early(
    settings: Settings, locations: Sequence[str | Path], options: IndexOptions
) -> Early | None:
    """Return a sample of the first source of a new index, or None: if there is none, if it is too
    large, or if it has an error, which the run reports later."""
    try:
        known = known_types(settings.attributes, (), options)
        with open_all(locations[:1], options, None, settings.sources, known) as found:
            opened = found[0][0]
            entries = [one for one in opened.entries() if isinstance(one, Entry)]
            chosen = next(parts_of(entries), ())
            if sum(one.size for one in chosen) > _MOST_BYTES or not chosen:
                return None
            if any(extracted_suffix(one.path) for one in chosen):
                return None
            language = options.language
            if language == "auto":
                language = guess_corpus_language(found)
            sparse, chunker = Bm25Encoder(language), ChunkerConfig()
            with open_analyser(chunker, sparse, total_bytes=0) as analyser:
                sample = take_sample(opened, entries, sparse, analyser, most_bytes=_MOST_BYTES)
            return Early(
                *(opened.source, opened.within, chunker.fingerprint, sparse.fingerprint), sample
            )
    except (PinciteError, OSError):
        return None
