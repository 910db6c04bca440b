"""Count again the files of sources that differ from the index."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping

from pincite.daemon.refresh.glance import Differing, Limits, changes_in, glance
from pincite.daemon.refresh.known_sources import (
    MOST_DOCUMENTS,
    HasSources,
    Key,
    records_of,
    sources_of,
)


async def still_differing(
    index: HasSources, wanted: Mapping[Key, Collection[Differing]], limit_s: float
) -> AsyncIterator[tuple[Key, int]]:
    """Yield the number of new, changed and removed files of each source of `wanted`, in files, 0
    or more. Its values are differences that an earlier run has settled. A source that is too large
    for one look of `limit_s` seconds, or is gone, is left out."""
    for key, (record, members) in (await sources_of(index)).items():
        if key not in wanted or sum(one.documents for one in members) > MOST_DOCUMENTS:
            continue
        records = await records_of(index, members, record.source.name)
        limits, settled = Limits.of_daemon(limit_s), frozenset(wanted[key])
        seen = await asyncio.to_thread(glance, record, records, limits, settled)
        if seen.state in ("same", "changed"):
            yield key, changes_in(seen.named)
