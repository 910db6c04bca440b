"""Read and cut files of the first source while the daemon of a new index starts, or while a new
collection is created.

This needs nothing from the index. The run uses the results only if it would compute the same ones,
and discards others.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Final

import msgspec

from pincite.catalog.file import holds_index
from pincite.chunkers import ChunkerConfig
from pincite.chunkers.small_texts import SMALL
from pincite.errors import PinciteError
from pincite.ingestion.analysis.analyse import Done
from pincite.ingestion.analysis.choose import open_analyser
from pincite.ingestion.batch import FileUnderAnalysis
from pincite.ingestion.corpus_language import guessed_language
from pincite.ingestion.prepare import read_and_analyse
from pincite.ingestion.run import IndexRun
from pincite.ingestion.sources.open_sources import open_all
from pincite.ingestion.sources.source_records import Opened
from pincite.model import CollectionSpec, Source
from pincite.providers.sparse.bm25 import Bm25Encoder, average_length
from pincite.readers import extracted_suffix
from pincite.sources import Entry, OpenSource
from pincite.support.concurrency import run_to_completion
from pincite.support.fields import replace
from pincite.support.processes.thread_switching import frequent_switches

#: Bytes of files that are read early: they stay in memory until they are written.
_MOST_BYTES: Final = 8_000_000


class Early(msgspec.Struct, frozen=True):
    """Files of a source by path, with the chunker and the analyser of their analyses. `unread`: the
    commit that they were compared with could not be read."""

    source: Source
    within: str
    chunker: str
    sparse: str
    begun: Mapping[str, FileUnderAnalysis]
    unread: bool


class _Guess(msgspec.Struct, frozen=True):
    """The language that was guessed from a part of a source."""

    source: Source
    within: str
    language: str


class EarlyReading:
    """Reads the first source of a run: guesses its language, and analyses its files in a thread."""

    def __init__(self, run: IndexRun, locations: Sequence[str | Path]) -> None:
        self._run = run
        self._locations = locations
        self._enough = Event()
        self._guess: _Guess | None = None
        self._guessed = asyncio.Event()
        self._beginning: asyncio.Task[Early | None] | None = None
        self._switches = ExitStack()

    def begin(self) -> None:
        """Begin to read, unless it has begun, or the run has no locations, or it may need other
        chunks or weights (with a vision model, or another sparse encoder)."""
        run = self._run
        useless = run.options.sparse or run.settings.use.vision or not self._locations
        if self._beginning is None and not useless and not self._enough.is_set():
            self._switches.enter_context(frequent_switches())
            self._beginning = asyncio.create_task(self._read())

    async def _read(self) -> Early | None:
        """Return what was read until `files` or `end` is called, None if the source has an error:
        the run reports it later, and sends the notices."""
        run = replace(self._run, options=replace(self._run.options, on_notice=lambda _: None))
        try:
            with ExitStack() as opening:
                opened = open_all(run, self._locations[:1])
                reached = asyncio.to_thread(opening.enter_context, opened)
                found = await run_to_completion(reached)
                source, _ = found[0]
                language = run.options.language
                if language == "auto":
                    alone = len(self._locations) == 1  # otherwise the run reports its own guess
                    told = run.progress if alone else lambda _: None
                    language = await guessed_language(found, told)
                self._guess = _Guess(source.source, source.within, language)
                self._guessed.set()
                analysing = asyncio.to_thread(analyse_early, source, language, self._enough)
                return await run_to_completion(analysing)
        except (PinciteError, OSError):
            return None
        finally:
            self._guessed.set()

    async def language(self, opened: Sequence[Opened]) -> str | None:
        """Return the language of a new collection of these sources, None if it was not guessed from
        the same ones."""
        if self._beginning is None or len(opened) != 1:
            return None
        await self._guessed.wait()
        guess, (source, _) = self._guess, opened[0]
        if guess is None or (source.source, source.within) != (guess.source, guess.within):
            return None
        return guess.language

    async def files(
        self, opened: OpenSource, spec: CollectionSpec
    ) -> Mapping[str, FileUnderAnalysis]:
        """Stop reading, and return the files of `opened` that were read, by path. Later calls
        return nothing. This is `IngestDeps.early`."""
        if self._beginning is None:
            return {}
        self._enough.set()
        found, self._beginning = await self._beginning, None
        ours = (opened.source, opened.within, spec.chunker, spec.sparse)
        if found is None or ours != (found.source, found.within, found.chunker, found.sparse):
            return {}
        if found.unread:  # which the run reports
            await asyncio.to_thread(opened.read_commit)
        return found.begun if spec.average_length == average_length(spec.language) else {}

    async def end(self) -> None:
        """Stop reading."""
        self._enough.set()
        with self._switches:
            if self._beginning is not None:
                self._beginning.cancel()
                await asyncio.gather(self._beginning, return_exceptions=True)


@asynccontextmanager
async def reading_early(
    run: IndexRun, locations: Sequence[str | Path]
) -> AsyncIterator[EarlyReading]:
    """Yield the reader of the first source, which has begun if there is no index yet."""
    early = EarlyReading(run, locations)
    try:
        if not holds_index(run.settings.index):
            early.begin()
        yield early
    finally:
        await early.end()


def analyse_early(opened: OpenSource, language: str, enough: Event) -> Early:
    """Read and analyse files of a source until `enough` is set, and return them."""
    sparse, chunker = Bm25Encoder(language), ChunkerConfig()
    begun: dict[str, FileUnderAnalysis] = {}
    size, average = 0, average_length(language)
    entries = [one for one in opened.entries() if isinstance(one, Entry)]
    SMALL.expect(sum(entry.size for entry in entries))
    with open_analyser(chunker, sparse, total_bytes=0) as analyser:
        for entry in entries:
            if extracted_suffix(entry.path):
                continue  # it may need OCR, and much time
            size += entry.size
            if enough.is_set() or size > _MOST_BYTES:
                break
            one = read_and_analyse(opened, entry, average, analyser)
            # a parser's crash affects one file, which the run reads again and reports
            with suppress(Exception):
                if isinstance(one, FileUnderAnalysis):
                    begun[entry.path] = replace(one, pending=Done(one.pending.result()))
    made_with = (chunker.fingerprint, sparse.fingerprint)
    unread = opened.unread_commit is not None
    return Early(opened.source, opened.within, *made_with, begun, unread)
