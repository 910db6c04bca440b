"""Bring changed sources up to date, as `pincite index` does.

`python -m pincite.maintenance.refresh INDEX` does this for the daemon in a separate process: files
are read and parsed there, at low priority, and its errors and memory end with it. It reads one line
of JSON for each request, and writes one line for each result.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Final

import msgspec

from pincite.collection.members import all_members, as_one, members, visible
from pincite.daemon.client.open_index import open_index
from pincite.daemon.refresh.freshness import DONE, GAVE_WAY, WORDS, RunRequest, SourceReport
from pincite.daemon.refresh.glance import UNREAD, Glance, glance, glance_at
from pincite.daemon.refresh.left_out import unreadable_of
from pincite.daemon.server.idle_memory import trim
from pincite.daemon.wire.protocol import ServedIndex
from pincite.errors import PinciteError
from pincite.index.documents import records_at
from pincite.ingest import index_sources
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.report import Progress
from pincite.ingestion.run import Only, Refresh, Stopped
from pincite.ingestion.sources.changes import UNREACHABLE, Emptied
from pincite.maintenance.consent import needs_consent
from pincite.maintenance.giving_way import while_nobody_waits
from pincite.model import DocumentRecord, Notice, SourceRecord
from pincite.ports import CollectionInfo
from pincite.settings.load import Settings, load_settings
from pincite.settings.of_index import trusted
from pincite.support.capabilities import be_nice
from pincite.support.decodable import ready
from pincite.support.fields import replace

_NICENESS: Final = 5  # at 10, a machine compiling on all cores left it a fortieth of a core
_PR_SET_PDEATHSIG: Final = 1
_TRIM_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class _Looked:
    """A source with the result of a look. `paths` are the paths that were looked at, () for
    everything; `shows` the pages among them that show other files."""

    record: SourceRecord
    seen: Glance
    paths: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()


async def refresh(
    settings: Settings,
    client: ServedIndex,
    tell: Callable[[SourceReport], None],
    asked: RunRequest,
    stop: asyncio.Event,
) -> None:
    """Look at every source on disk of every collection, or at the requested paths, and index the
    differences. A source that fails is reported with the reason and does not stop the others. If
    another writer waits for a collection, or `stop` is set, the rest is left to a later run."""
    infos = await client.collections()
    bases = dict.fromkeys(info.spec.public_name for info in visible(infos) if not info.foreign)
    for base in bases:
        if asked.paths and base not in asked.paths:
            continue
        if stop.is_set():
            tell(SourceReport(base, "", GAVE_WAY))
            return
        held = members(infos, base)
        info = as_one(held, held[-1].spec)
        try:
            await _refresh_base(settings, client, info, tell, asked, stop)
        except PinciteError as error:
            tell(SourceReport(base, "", "trouble", trouble=error.line))


async def _refresh_base(
    settings: Settings,
    client: ServedIndex,
    info: CollectionInfo,
    tell: Callable[[SourceReport], None],
    asked: RunRequest,
    stop: asyncio.Event,
) -> None:
    base = info.spec.public_name
    paths = asked.paths.get(base, {})
    looked = [
        await _look(client, base, one, paths.get(one.source.name, ()))
        for one in info.sources
        if one.source.kind != "records" and (not asked.paths or one.source.name in paths)
    ]
    wanted = ("same", "changed") if info.lost else ("changed",)
    changed = [one for one in looked if one.seen.state in wanted]
    for one in looked:
        if one not in changed:
            tell(_found(base, one, trouble=one.seen.detail, lasting=True))
    if changed and (why := needs_consent(settings, info, remote=asked.remote)):
        for one in changed:
            tell(_found(base, one, trouble=why, lasting=True))
        return
    for one in changed:
        tell(_found(base, one))
    for one in changed:
        unreachable: dict[str, None] = {}
        work = index_sources(
            settings,
            client,
            (),
            _options(info, unreachable),
            _telling_words(tell, replace(_found(base, one), state=WORDS)),
            Refresh(one.record.source.name, _only(client, one.paths), stop),
        )
        try:
            reports = await while_nobody_waits(work, settings.index, base)
        except Stopped:
            reports = None
        except PinciteError as error:
            lasting = isinstance(error, Emptied)
            tell(_found(base, one, trouble=error.line, lasting=lasting))
            continue
        if reports is None:
            tell(replace(_found(base, one), state=GAVE_WAY))
            return
        records = await _records(client, base, one.record, one.paths)
        indexed = {each.path for each in records}
        unread = {path for each in reports for path in unreadable_of(each.skipped_paths)}
        left = tuple(
            each
            for each in one.seen.differing
            if each[0] not in indexed and (each[0] not in unread or each[2] == UNREAD)
        )
        done = _found(base, one, trouble="; ".join(unreachable), lasting=True, written=True)
        kept = tuple(sorted(unread & indexed))
        encode_s = sum(each.encode_s for each in reports)
        shows = _showing(records)
        tell(replace(done, left=left, shows=shows, unread=kept, encode_s=encode_s))


def _telling_words(
    tell: Callable[[SourceReport], None], found: SourceReport
) -> Callable[[Progress], None]:
    """Return a receiver of progress that reports the source once, as soon as keyword search can
    find it."""
    untold = [found]

    def hear(progress: Progress) -> None:
        if progress.stage == "embed" and untold:
            tell(untold.pop())

    return hear


async def _look(
    client: ServedIndex, base: str, record: SourceRecord, paths: tuple[str, ...]
) -> _Looked:
    if paths and len(await _members(client, base)) == 1:
        records = await _records(client, base, record, paths)
        seen = await asyncio.to_thread(glance_at, record, records, paths)
        if seen.state in ("same", "changed"):
            return _Looked(record, seen, paths, _showing(records))
    records = await _records(client, base, record)
    seen = await asyncio.to_thread(glance, record, records)
    return _Looked(record, seen, (), _showing(records))


async def _members(client: ServedIndex, base: str) -> list[str]:
    infos = all_members(await client.collections(), base)
    return [info.spec.name for info in infos if not info.spec.pending]


async def _records(
    client: ServedIndex, base: str, record: SourceRecord, paths: tuple[str, ...] = ()
) -> list[DocumentRecord]:
    name, found = record.source.name, list[DocumentRecord]()
    for member in await _members(client, base):
        if paths:
            found += await records_at(client, member, name, paths)
        else:
            found += await client.documents(member, name)
    return found


def _only(client: ServedIndex, paths: tuple[str, ...]) -> Only | None:
    if not paths:
        return None

    async def records(collection: str, source: str) -> tuple[DocumentRecord, ...]:
        return await records_at(client, collection, source, paths)

    return Only(paths, records)


def _showing(records: Sequence[DocumentRecord]) -> tuple[str, ...]:
    return tuple(one.path for one in records if one.includes)


def _found(
    base: str, one: _Looked, *, trouble: str = "", lasting: bool = False, written: bool = False
) -> SourceReport:
    seen = one.seen
    return SourceReport(
        base,
        one.record.source.name,
        seen.state,
        {} if written else seen.named,
        tuple(seen.folders),
        trouble=trouble,
        lasting=lasting and bool(trouble),
        written=written,
        paths=one.paths,
        shows=one.shows,
    )


def _options(info: CollectionInfo, unreachable: dict[str, None]) -> IndexOptions:
    """Return the options with which the collection was indexed. Messages about folders that cannot
    be read are added to `unreachable`."""
    spec = info.spec

    def hear(notice: Notice) -> None:
        if notice.code == UNREACHABLE:
            unreachable[notice.message] = None

    return IndexOptions(
        collection=spec.public_name,
        lexical=spec.dense is None,
        model=spec.dense_name,
        on_notice=hear,
    )


def _tell(found: SourceReport) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
    sys.stdout.buffer.flush()


async def _run(root: Path, asked: RunRequest, stop: asyncio.Event) -> None:
    """Answer one request. Settings and trust are read again for each."""
    try:
        settings = trusted(load_settings(os.environ, root.parent, root))
        client = open_index(settings)
        try:
            await refresh(settings, client, _tell, asked, stop)
        finally:
            await client.close()
    except PinciteError as error:
        _tell(SourceReport("", "", "trouble", trouble=error.line))
    _tell(SourceReport("", "", DONE))


async def _answer(root: Path) -> None:
    """Answer requests one by one until the daemon closes the connection, even during a request."""
    lines = _lines(asyncio.get_running_loop())
    coming = asyncio.create_task(lines.get())
    while line := await _next(coming):
        asked, stop = msgspec.json.decode(line, type=ready(RunRequest)), asyncio.Event()
        coming = asyncio.create_task(lines.get())
        if asked.stop:  # of a run that has ended
            continue
        run = asyncio.create_task(_run(root, asked, stop))
        await asyncio.wait((run, coming), return_when=asyncio.FIRST_COMPLETED)
        while not run.done() and (line := coming.result()):
            if not msgspec.json.decode(line, type=ready(RunRequest)).stop:
                break
            stop.set()
            coming = asyncio.create_task(lines.get())
            await asyncio.wait((run, coming), return_when=asyncio.FIRST_COMPLETED)
        if coming.done() and not coming.result():
            run.cancel()
            await asyncio.gather(run, return_exceptions=True)
            return
        await run


async def _next(coming: asyncio.Task[bytes]) -> bytes:
    """Return the next request, empty at the end. Memory is released while waiting."""
    done, _ = await asyncio.wait((coming,), timeout=_TRIM_S)
    if not done:
        trim()
    return await coming


def _lines(loop: asyncio.AbstractEventLoop) -> asyncio.Queue[bytes]:
    """Return a queue with the lines of stdin, and an empty one at its end. A thread reads them,
    because event loops cannot wait for pipes on every system."""
    lines: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        rest = b""
        while part := os.read(0, 65_536):  # unbuffered: a buffer's lock would outlive the program
            *whole, rest = (rest + part).split(b"\n")
            for line in whole:
                loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, b"")

    Thread(target=read, daemon=True).start()
    return lines


def _die_with_the_daemon() -> None:
    """End this process with the daemon: no writer of an index may outlive the process that started
    it."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def main(index: str) -> int:
    """Run until the daemon closes the connection, then return 0."""
    _die_with_the_daemon()
    be_nice(_NICENESS)
    asyncio.run(_answer(Path(index)))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
