"""Move an index to another store with its ids, vectors and payloads; nothing is encoded again.

The catalog stays where it is. Complete parts of the target are not copied again, so an interrupted
copy can be continued. The index uses the new store only after all points were counted and a sample
was compared.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pincite.catalog.file import holds_index, open_catalog
from pincite.daemon.server.service import AlreadyRunning, take_index
from pincite.daemon.wire.protocol import ServedIndex
from pincite.errors import IndexNotFound, StoreError
from pincite.index.folder import Remembered, fresh_owner, remembered, write_remembered
from pincite.index.store_of_folder import open_store
from pincite.model import CollectionSpec, Point
from pincite.ports import Catalog, Store, Waiting
from pincite.settings.defaults import WAIT_S
from pincite.settings.load import Settings
from pincite.support.processes.locks import Lock

_PAGE = 256
_LOOK_S = 0.1
_SAMPLE = 64  # points of each collection that are compared, with their vectors
_SAME = 1e-4  # tolerance for the numbers of a vector


@dataclass(frozen=True, slots=True)
class _Sample:
    """A point that is compared after copying, and the position after which to look for it."""

    after: str | None
    point: Point


@dataclass(frozen=True, slots=True)
class Moved:
    """The result for one collection; `copied` of its `points` were missing in the target."""

    collection: str
    points: int
    copied: int
    compared: int


async def move(
    settings: Settings,
    client: ServedIndex,
    environ: Mapping[str, str],
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    waiting: Waiting = Waiting(WAIT_S),
) -> tuple[Moved, ...]:
    """Copy all points to the configured store and use it from now on. The old points stay where
    they are. A run can be repeated. Raises IndexNotFound, IndexUnavailable if other processes write
    to the index or use it for too long, StoreError, DiskFull, UsageError."""
    root = settings.index
    if not holds_index(root):
        raise IndexNotFound(f"no index exists at {root}", hint="pincite index PATH")
    names = sorted({info.spec.public_name for info in await client.collections()})
    async with AsyncExitStack() as leases:
        for name in names:
            what = f"moving the index to {settings.store.place}"
            await leases.enter_async_context(client.leases.take(name, what, waiting))
        return await _move_all(settings, client, environ, progress, waiting)


async def _take(root: Path, client: ServedIndex, waiting: Waiting) -> Lock:
    """Take the lock of the daemon after asking it to leave, and also any daemon that a search has
    started in the meantime."""
    started_s = time.monotonic()
    while True:
        await client.leave()
        try:
            return take_index(root)
        except AlreadyRunning:
            if time.monotonic() - started_s >= waiting.limit_s:
                raise
            await asyncio.sleep(_LOOK_S)


async def _move_all(
    settings: Settings,
    client: ServedIndex,
    environ: Mapping[str, str],
    progress: Callable[[int, int], None],
    waiting: Waiting,
) -> tuple[Moved, ...]:
    root = settings.index
    lock = await _take(root, client, waiting)
    try:
        known = remembered(root)
        becomes = Remembered(settings.store, known.owner or fresh_owner())
        if becomes.settings.place == known.settings.place:
            return ()
        write_remembered(root, Remembered(known.settings, becomes.owner))  # for the next try
        catalog = open_catalog(root)
        try:
            moved = await _move(root, known, becomes, environ, catalog, progress)
        finally:
            await catalog.close()
        write_remembered(root, becomes)
        return moved
    finally:
        lock.close()


async def _move(
    root: Path,
    known: Remembered,
    becomes: Remembered,
    environ: Mapping[str, str],
    catalog: Catalog,
    progress: Callable[[int, int], None],
) -> tuple[Moved, ...]:
    source = open_store(root, known, environ)
    try:
        target = open_store(root, becomes, environ)
        try:
            specs = await catalog.specs()
            for spec in specs:
                await source.store.create(spec)
                await target.store.create(spec)
            moved = [await copy(source.store, target.store, spec, progress) for spec in specs]
            await target.store.flush()
        finally:
            await target.store.close()
    finally:
        await source.store.close()
    return tuple(moved)


async def copy(
    source: Store,
    target: Store,
    spec: CollectionSpec,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Moved:
    """Make the target hold exactly the visible points of the source. Raises StoreError if it does
    not in the end."""
    name = spec.name
    unseen = await source.staged(name)
    wanted = {k: n for k, n in (await source.revisions(name)).items() if k not in unseen}
    held, waiting = await target.revisions(name), await target.staged(name)
    await target.remove(name, sorted(held.keys() - wanted.keys()))
    whole = {key for key, count in wanted.items() if held.get(key) == count}
    changed = await _changed(source, target, name, whole) if whole else set()
    await target.remove(name, sorted(changed))
    whole -= changed
    total, done, copied = sum(wanted.values()), 0, 0
    sample: list[_Sample] = []
    after: str | None = None
    while page := await source.export(name, after, _PAGE):
        first = _Sample(after, page[0][1])
        after = page[-1][1].chunk.id
        lacking: dict[str, list[Point]] = {}
        for revision, point in page:
            if revision not in whole:
                lacking.setdefault(revision, []).append(point)
        await target.stage(name, lacking)
        copied += sum(map(len, lacking.values()))
        if done * _SAMPLE // max(total, 1) < (done + len(page)) * _SAMPLE // max(total, 1):
            sample.append(first)
        done += len(page)
        progress(done, total)
    unpublished = sorted((wanted.keys() - whole) | (waiting & wanted.keys()))
    for start in range(0, len(unpublished), _PAGE):
        await target.publish(name, dict.fromkeys(unpublished[start : start + _PAGE]))
    await _compare(target, spec, wanted, sample)
    return Moved(name, total, copied, len(sample))


async def _changed(source: Store, target: Store, name: str, whole: set[str]) -> set[str]:
    """Return the revisions that an interrupted copy has completed and that now have a changed
    chunk: attributes change without a new revision."""
    changed: set[str] = set()
    after: str | None = None
    while page := await source.export(name, after, _PAGE):
        after = page[-1][1].chunk.id
        made = {point.chunk.id: revision for revision, point in page if revision in whole}
        held = {one.chunk.id: one.chunk for one in await target.load(name, list(made))}
        for _, point in page:
            chunk = point.chunk
            if chunk.id in made and held.get(chunk.id, chunk) != chunk:
                changed.add(made[chunk.id])
    return changed


async def _compare(
    target: Store, spec: CollectionSpec, wanted: Mapping[str, int], sample: Sequence[_Sample]
) -> None:
    name = spec.name
    held = await target.revisions(name)
    if dict(held) != dict(wanted):
        raise StoreError(
            f"{name} has {sum(held.values())} points after copying, but {sum(wanted.values())}"
            " are expected",
            hint="run the same command again",
        )
    for one in sample:
        found = await target.export(name, one.after, 1)
        if not found or not _alike(found[0][1], one.point):
            raise StoreError(
                f"chunk {one.point.chunk.id} of {name} changed while copying",
                hint=f"pincite collections rebuild {name}",
            )


def _alike(copied: Point, point: Point) -> bool:
    if copied.chunk != point.chunk or (copied.dense is None) != (point.dense is None):
        return False
    return point.dense is None or bool(np.allclose(copied.dense, point.dense, atol=_SAME))  # type: ignore[arg-type]
