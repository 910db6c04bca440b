"""Bring sources up to date that differ from what is indexed of them, as `pincite index` would.

`python -m pincite.maintenance.refresh INDEX WISH` does so for the daemon, in a process of its own:
files are read and parsed there, at low priority, and their errors and their memory end with it. It
writes a line of JSON for each thing that the daemon should know.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from pincite.collection.members import all_members, as_one, members, visible
from pincite.daemon.freshness import Found
from pincite.daemon.glance import Glance, glance
from pincite.daemon.open_index import open_index
from pincite.daemon.protocol import ServedIndex
from pincite.errors import PinciteError
from pincite.ingest import index_sources
from pincite.ingestion.dense_model import LOCAL_PROVIDERS
from pincite.ingestion.options import IndexOptions
from pincite.model import DocumentRecord, SourceRecord
from pincite.ports import CollectionInfo
from pincite.settings.load import Settings, load_settings
from pincite.settings.models import BUNDLED
from pincite.settings.opening import trusted
from pincite.support.capabilities import be_nice

_NICENESS: Final = 5  # at 10 a machine that compiles on all cores left it a fortieth of one
_PR_SET_PDEATHSIG: Final = 1


@dataclass(frozen=True, slots=True)
class _Looked:
    record: SourceRecord
    seen: Glance


async def refresh(
    settings: Settings, client: ServedIndex, tell: Callable[[Found], None], *, remote: bool
) -> None:
    """Look at every source on disk of every collection, and index those that differ. What cannot be
    brought up to date is told with the reason, and costs only itself."""
    infos = await client.collections()
    bases = dict.fromkeys(info.spec.public_name for info in visible(infos) if not info.foreign)
    for base in bases:
        held = members(infos, base)
        info = as_one(held, held[-1].spec)
        try:
            await _refresh_base(settings, client, info, tell, remote=remote)
        except PinciteError as error:
            tell(Found(base, "", "trouble", trouble=str(error)))


async def _refresh_base(
    settings: Settings,
    client: ServedIndex,
    info: CollectionInfo,
    tell: Callable[[Found], None],
    *,
    remote: bool,
) -> None:
    base = info.spec.public_name
    looked = [
        await _look(client, base, one) for one in info.sources if one.source.kind != "records"
    ]
    changed = [one for one in looked if one.seen.state == "changed" or info.lost]
    for one in looked:
        if one not in changed:
            tell(_found(base, one, trouble=one.seen.detail))
    if changed and (why := _kept_back(settings, info, remote=remote)):
        for one in changed:
            tell(_found(base, one, trouble=why))
        return
    for one in changed:
        tell(_found(base, one))
    for one in changed:
        try:
            await index_sources(
                settings,
                client,
                (),
                _options(info),
                lambda _: None,
                among=frozenset({one.record.source.name}),
            )
        except PinciteError as error:
            tell(_found(base, one, trouble=str(error)))
        else:
            indexed = {each.path for each in await _records(client, base, one.record)}
            left = tuple(each for each in one.seen.differing if each[0] not in indexed)
            tell(replace(_found(base, one, written=True), left=left))


async def _look(client: ServedIndex, base: str, record: SourceRecord) -> _Looked:
    records = await _records(client, base, record)
    return _Looked(record, await asyncio.to_thread(glance, record, records))


async def _records(client: ServedIndex, base: str, record: SourceRecord) -> list[DocumentRecord]:
    infos = all_members(await client.collections(), base)
    return [
        document
        for info in infos
        if not info.spec.pending
        for document in await client.documents(info.spec.name, record.source.name)
    ]


def _found(base: str, one: _Looked, *, trouble: str = "", written: bool = False) -> Found:
    seen = one.seen
    return Found(
        base,
        one.record.source.name,
        seen.state,
        {} if written else seen.named,
        tuple(seen.folders),
        trouble=trouble,
        written=written,
    )


def _kept_back(settings: Settings, info: CollectionInfo, *, remote: bool) -> str:
    """Why a collection is not brought up to date by itself, empty where it is."""
    if remote:
        return ""
    ways = "pincite index, or [refresh] remote = true"
    model = info.spec.model
    if model and model.partition(":")[0] not in LOCAL_PROVIDERS:
        return f"its model, {model}, may cost money, and nobody asked for it ({ways})"
    if settings.store.url:
        return f"its points are on the server {settings.store.place} ({ways})"
    return ""


def _options(info: CollectionInfo) -> IndexOptions:
    """Those with which it was indexed."""
    spec = info.spec
    return IndexOptions(
        collection=spec.public_name,
        lexical=spec.dense is None,
        model="" if spec.dense is None else spec.model or BUNDLED,
    )


def _tell(found: Found) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
    sys.stdout.buffer.flush()


async def _run(root: Path, *, remote: bool) -> None:
    settings = trusted(load_settings(os.environ, root.parent, root))
    client = open_index(settings)
    try:
        await refresh(settings, client, _tell, remote=remote)
    finally:
        await client.close()


def _die_with_the_daemon() -> None:
    """What writes to an index must not outlive the process that started it."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def main(index: str, remote: str) -> int:
    """0 unless nothing could be looked at; then the last line says why."""
    _die_with_the_daemon()
    be_nice(_NICENESS)
    try:
        asyncio.run(_run(Path(index), remote=remote == "remote"))
    except PinciteError as error:
        _tell(Found("", "", "trouble", trouble=str(error)))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
