"""The stemming language of a new collection, from a sample of its files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from pincite.errors import PinciteError
from pincite.ingestion.report import Progress
from pincite.providers.sparse.language import guess_language, stemmer_for
from pincite.readers import read_document
from pincite.sources import Entry, OpenSource, Selection
from pincite.support.concurrency import run_to_completion

_SAMPLE_FILES = 40
_SAMPLE_CHARS = 4_000


async def guessed_language(
    opened: Sequence[tuple[OpenSource, Selection]], progress: Callable[[Progress], None]
) -> str:
    """Guess the stemming language of a new collection from a sample of its documents. They are
    read in a thread, and the progress is reported, because scanned files take long. If it is
    cancelled, it waits for the file that is being read."""
    sampled = await run_to_completion(asyncio.to_thread(_sampled, opened))
    texts = []
    for number, (source, entry) in enumerate(sampled):
        progress(Progress("read", number, len(sampled), path=entry.path))
        texts.append(await run_to_completion(asyncio.to_thread(_sample_of, source, entry)))
    return stemmer_for(guess_language("\n".join(filter(None, texts))))


def _sampled(opened: Sequence[tuple[OpenSource, Selection]]) -> list[tuple[OpenSource, Entry]]:
    found = []
    for source, _ in opened:
        entries = [entry for entry in source.entries() if isinstance(entry, Entry)]
        some = entries[:: max(1, len(entries) // _SAMPLE_FILES)]
        found += [(source, entry) for entry in some]
    return found


def _sample_of(source: OpenSource, entry: Entry) -> str:
    try:
        raw = source.read(entry)
        document = read_document(raw, source=source.source, path=entry.path, ref="")
    except PinciteError:
        return ""  # indexing reports it
    return document.text[:_SAMPLE_CHARS] if document.source_type == "docs" else ""
