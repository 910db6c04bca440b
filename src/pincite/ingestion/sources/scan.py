"""Find the changes of sources before they are indexed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.report import Progress
from pincite.ingestion.sources.changes import Changes, find_changes
from pincite.ingestion.sources.revisions import also_unembedded
from pincite.ingestion.sources.source_records import last_compared_ns
from pincite.model import CollectionSpec, DocumentRecord
from pincite.ports import CollectionInfo
from pincite.sources import OpenSource
from pincite.sources.folder import FolderSource

_Held = dict[tuple[str, bool], tuple[DocumentRecord, ...]]


class Looked(NamedTuple):
    """The indexed documents of a source, and its changes since then. They were compared from
    `began_ns` on, in nanoseconds since 1970."""

    records: tuple[DocumentRecord, ...]
    changes: Changes
    began_ns: int

    @property
    def pending_bytes(self) -> int:
        """Return the bytes of the files that must be indexed."""
        return sum(entry.size for entry in self.changes.pending)


async def look_at_all(
    opened: Sequence[OpenSource],
    spec: CollectionSpec,
    deps: IngestDeps,
    infos: Sequence[CollectionInfo],
) -> tuple[Looked, ...]:
    """Compare each source, or part of one, with its indexed documents; see `look`."""
    held: _Held = {}
    return tuple([await look(source, spec, deps, infos, held) for source in opened])


async def look(
    opened: OpenSource,
    spec: CollectionSpec,
    deps: IngestDeps,
    infos: Sequence[CollectionInfo],
    held: _Held | None = None,
) -> Looked:
    """Compare a source with its indexed documents. `infos` are the current collections; `held`
    caches the documents of a source for its other parts."""
    began_ns = time.time_ns()
    name, made_with = opened.source.name, deps.made_with
    if deps.words_only:
        made_with = also_unembedded(made_with)
    since_ns = last_compared_ns(infos, spec.name, opened)
    compare = partial(find_changes, opened, spec=spec, made_with=made_with, since_ns=since_ns)
    only = deps.only if isinstance(opened, FolderSource) else None
    held, key = {} if held is None else held, (name, only is None)
    if key not in held:
        held[key] = await (only.records if only else deps.index.documents)(spec.name, name)
    records = held[key]
    if only is not None and isinstance(opened, FolderSource):
        ours = opened.among(only.paths)
        records = tuple(one for one in records if _is_at(one.path, ours))  # the rest is left out
        compare = partial(compare, entries=opened.below(ours))
    deps.progress(Progress("diff", 0, len(records)))
    return Looked(records, await asyncio.to_thread(compare, records=records), began_ns)


def _is_at(path: str, places: Sequence[str]) -> bool:
    """Return whether a path is one of these places, or inside one; "" is everything."""
    return any(not one or path == one or path.startswith(f"{one}/") for one in places)
