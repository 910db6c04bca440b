"""Look at every source briefly and record its state."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from pincite.daemon.refresh.glance import Glance, Limits, changes_in, glance
from pincite.daemon.refresh.known_sources import (
    MOST_DOCUMENTS,
    HasSources,
    Key,
    records_of,
    sources_of,
)
from pincite.daemon.refresh.source_states import SourceStates


class LookedAround(NamedTuple):
    """Whether a source has `changed` since it was indexed, and whether the state of one is
    `unknown`."""

    changed: bool
    unknown: bool


async def look_around(index: HasSources, states: SourceStates, limits: Limits) -> LookedAround:
    """Look at every source within `limits`, and record in `states` the differences, the failures,
    and the folders to watch. A difference that has failed before counts as no change."""
    changed = unknown = False
    pending: dict[Key, int] = {}
    troubles: dict[Key, str] = {}
    looked: set[Key] = set()
    for key, (record, members) in (await sources_of(index)).items():
        looked.add(key)
        documents = sum(info.documents for info in members)
        seen = Glance("unknown")
        if documents <= MOST_DOCUMENTS:
            records = await records_of(index, members, record.source.name)
            states.shows[key] = frozenset(one.path for one in records if one.includes)
            settled = frozenset(states.settled(key))
            seen = await asyncio.to_thread(glance, record, records, limits, settled)
        if seen.state == "gone":
            troubles[key] = seen.detail
        if seen.folders and seen.state != "unknown":
            states.folders[key] = tuple(seen.folders)
        if seen.state == "changed":
            if before := states.trouble_of(key, seen.differing):
                troubles[key] = before
                continue
            if files := changes_in(seen.named):
                pending[key] = files
        changed |= seen.state == "changed"
        unknown |= seen.state == "unknown"
    states.keep_only(looked)
    states.looked(pending, troubles)
    return LookedAround(changed, unknown)
