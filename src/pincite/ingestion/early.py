"""Read and cut files of the first source while the daemon of a new index starts.

This needs nothing from the index, and the run uses only results that it would compute itself.
Results that no longer match are discarded.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Final

from pincite.catalog.file import holds_index
from pincite.chunkers import ChunkerConfig
from pincite.errors import PinciteError
from pincite.ingestion.analysis import Done
from pincite.ingestion.begun import Begun
from pincite.ingestion.deps import nothing_early
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.prepare import begin
from pincite.ingestion.schema import known_types
from pincite.ingestion.sources import open_all
from pincite.ingestion.target import guess_corpus_language
from pincite.ingestion.workers import open_analyser
from pincite.model import CollectionSpec, Source
from pincite.providers.sparse.bm25 import Bm25Encoder, average_length
from pincite.readers import extracted_suffix
from pincite.settings.load import Settings
from pincite.sources import Entry, OpenSource
from pincite.support.thread_switching import frequent_switches

#: Of files read early. They stay in memory until they are written.
_MOST_BYTES: Final = 8_000_000


@dataclass(frozen=True, slots=True)
class Early:
    """Files of a source by path, with the chunker and the analyser of their analyses."""

    source: Source
    within: str
    chunker: str
    sparse: str
    begun: Mapping[str, Begun]


@asynccontextmanager
async def started_early(
    settings: Settings, locations: Sequence[str | Path], options: IndexOptions
) -> AsyncIterator[Callable[[OpenSource, CollectionSpec], Awaitable[Mapping[str, Begun]]]]:
    """Start with the first source of a new index, until the run asks for its files; yields the
    function for `IngestDeps.early`, which has results once."""
    if options.sparse or settings.use.vision or not locations or holds_index(settings.index):
        yield nothing_early
        return
    enough = Event()
    beginning: asyncio.Task[Early | None] | None = asyncio.create_task(
        asyncio.to_thread(begin_early, settings, locations, options, enough)
    )

    async def early(opened: OpenSource, spec: CollectionSpec) -> Mapping[str, Begun]:
        nonlocal beginning
        if beginning is None:
            return {}
        enough.set()
        found, beginning = await beginning, None
        ours = (opened.source, opened.within, spec.chunker, spec.sparse)
        if found is None or ours != (found.source, found.within, found.chunker, found.sparse):
            return {}
        return found.begun if spec.average_length == average_length(spec.language) else {}

    with frequent_switches():
        try:
            yield early
        finally:
            enough.set()
            if beginning is not None:
                await asyncio.gather(beginning, return_exceptions=True)


def begin_early(
    settings: Settings, locations: Sequence[str | Path], options: IndexOptions, enough: Event
) -> Early | None:
    """Return files of the first source of a new index, as many as there is time for before
    `enough`, or None: if there is no source, or it has an error, which the run reports later."""
    try:
        known = known_types(settings.attributes, (), options)
        with open_all(locations[:1], options, None, settings.sources, known) as found:
            opened = found[0][0]
            entries = [one for one in opened.entries() if isinstance(one, Entry)]
            language = options.language
            if language == "auto":
                language = guess_corpus_language(found)
            sparse, chunker = Bm25Encoder(language), ChunkerConfig()
            begun = _begin(opened, entries, sparse, chunker, enough)
            return Early(
                *(opened.source, opened.within, chunker.fingerprint, sparse.fingerprint), begun
            )
    except (PinciteError, OSError):
        return None


def _begin(
    opened: OpenSource,
    entries: Sequence[Entry],
    sparse: Bm25Encoder,
    chunker: ChunkerConfig,
    enough: Event,
) -> dict[str, Begun]:
    begun: dict[str, Begun] = {}
    size, average = 0, average_length(sparse.analyser.language)
    with open_analyser(chunker, sparse, total_bytes=0) as analyser:
        for entry in entries:
            if extracted_suffix(entry.path):
                continue  # it may need OCR, and much time
            size += entry.size
            if enough.is_set() or size > _MOST_BYTES:
                break
            one = begin(opened, entry, average, analyser)
            # a parser's crash affects one file, and is reported in its turn
            with suppress(Exception):
                if isinstance(one, Begun):
                    begun[entry.path] = replace(one, pending=Done(one.pending.result()))
    return begun
