"""`pincite.ports.Files` on the disks of this machine.

Files are read in another thread, which may hang on a disk that does not answer. Then the search
continues without it, and that source is not read again until the thread has returned.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from pincite.current_files.archives import Archives
from pincite.current_files.checkouts import Checkouts
from pincite.current_files.disk import RACY_NS, Disk
from pincite.current_files.folders import Folders
from pincite.current_files.verdicts import NumberedQuote, unchecked
from pincite.errors import EnginePanicked, PinciteError
from pincite.model import Notice, SourceRecord
from pincite.model.descriptions import descriptions_of
from pincite.model.revisions import short_ref
from pincite.ports import Quote, Seen
from pincite.sources import SourceLimits
from pincite.support.fields import replace
from pincite.support.processes.spare_threads import SpareThreads
from pincite.support.terminal import one_line

_THREADS = SpareThreads("pincite-look")
_STARS = "****"  # no secret is shorter
Sources = Callable[[str], Awaitable[Sequence[SourceRecord]]]
_Look = Callable[[SourceRecord, Sequence[NumberedQuote], list[Seen | None]], None]


@dataclass(slots=True)
class _Work:
    """Whether a thread has ended, and the id of its process."""

    ended: bool = False
    process: int = field(default_factory=os.getpid)


@dataclass(slots=True)
class _Run:
    """One look in a thread: the quotes of each source, in order, and the results. `at` is the
    location of the source that is being read."""

    groups: Sequence[tuple[SourceRecord, Sequence[NumberedQuote]]]
    seen: list[Seen | None]
    at: str = ""
    given_up: bool = False
    work: _Work = field(default_factory=_Work)


class FilesOnDisk:
    """`pincite.ports.Files`. `sources` returns the source records of a collection."""

    def __init__(
        self, sources: Sources, limits: SourceLimits = SourceLimits(), racy_ns: int = RACY_NS
    ) -> None:
        self._sources = sources
        self._folders = Folders(Disk(limits.most_bytes, racy_ns=racy_ns), Checkouts())
        self._archives = Archives()
        self._hanging: dict[str, _Work] = {}

    async def look(
        self, quotes: Sequence[Quote], limit_s: float, *, refs: tuple[str, ...] = ()
    ) -> tuple[Seen, ...]:
        """See `Files.look`."""
        records = await self._records({quote.collection for quote in quotes})
        seen: list[Seen | None] = [None] * len(quotes)
        groups: dict[tuple[str, str], tuple[SourceRecord, list[NumberedQuote]]] = {}
        for number, quote in enumerate(quotes):
            key = (quote.collection, quote.chunk.repo)
            record = records.get(key)
            if record is None:  # of another program, or forgotten meanwhile
                seen[number] = unchecked(quote)
            elif record.source.kind == "records":
                seen[number] = Seen(quote.chunk, quote.context, "fresh")
            elif self._hangs(record.source.location):
                seen[number] = unchecked(quote, _late(record.source.location))
            else:
                groups.setdefault(key, (record, []))[1].append(NumberedQuote(number, quote))
        if groups:
            await self._run(_Run(tuple(groups.values()), seen), limit_s)
        for record, asked in groups.values():
            for number, quote in asked:
                if seen[number] is None:
                    seen[number] = unchecked(quote, _late(record.source.location))
        found = tuple(
            _described(one, records.get((quote.collection, quote.chunk.repo)))
            for quote, one in zip(quotes, seen, strict=True)
            if one is not None
        )
        if not refs:
            return found
        return tuple(_of_ref(refs, *pair) for pair in zip(quotes, found, strict=True))

    async def _records(self, collections: set[str]) -> dict[tuple[str, str], SourceRecord]:
        found: dict[tuple[str, str], SourceRecord] = {}
        for name in sorted(collections):
            try:
                for record in await self._sources(name):
                    found[name, record.source.name] = record
            except EnginePanicked:
                raise
            except PinciteError:
                continue  # its sources cannot be read, so nothing is claimed about their files
        return found

    def _hangs(self, place: str) -> bool:
        work = self._hanging.get(place)
        if work is not None and (work.ended or work.process != os.getpid()):
            del self._hanging[place]
            return False
        return work is not None

    async def _run(self, run: _Run, limit_s: float) -> None:
        """Compare all quotes with their files, for at most `limit_s` seconds."""

        def work() -> None:
            try:
                self._look(run)
            finally:
                run.work.ended = True

        try:
            await _THREADS.result(work, limit_s)
        except TimeoutError:
            run.given_up = True
            if run.at:
                self._hanging[run.at] = run.work

    def _look(self, run: _Run) -> None:
        for record, asked in run.groups:
            if run.given_up:
                return
            run.at = record.source.location
            of_archive = record.source.kind in ("archive", "wheel")
            look: _Look = self._archives.look if of_archive else self._folders.look
            look(record, asked, run.seen)
        run.at = ""


def _described(seen: Seen, record: SourceRecord | None) -> Seen:
    """Return a result with the descriptions of its folders, and with a notice if its text has
    masked secrets."""
    if record is None:
        return seen
    source, chunk = record.source, seen.chunk
    if source.descriptions:
        seen = replace(seen, descriptions=descriptions_of(source, chunk.path))
    if source.mask_secrets and seen.notice is None and _STARS in chunk.text:
        said = f"stars in passages of {one_line(source.name)} replace text that looks like a secret"
        seen = replace(
            seen, notice=Notice("secrets_masked", f"{said}; the files have the original text")
        )
    return seen


def _late(place: str) -> Notice:
    said = f"{one_line(place)} does not respond: its passages were not checked"
    return Notice("source_not_answering", said)


def _of_ref(refs: tuple[str, ...], quote: Quote, seen: Seen) -> Seen:
    """Return the result for a search within named revisions. If its file is now at another
    revision, show the indexed passage if it has the same content, else report it as stale."""
    if seen.gone or seen.chunk.ref.startswith(refs):  # as scopes do
        return seen
    if seen.chunk.content_hash == quote.chunk.content_hash:  # it had this text then, too
        return replace(seen, chunk=quote.chunk, context=quote.context)
    detail = f"the file is now at {short_ref(seen.chunk.ref)}"
    return Seen(quote.chunk, quote.context, "unchecked", "stale", detail)
