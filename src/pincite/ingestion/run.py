"""A run that writes to a collection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import msgspec

from pincite.collection.members import all_sources, members
from pincite.encoders.by_name import Models
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.report import Progress
from pincite.model import DocumentRecord, SourceRecord
from pincite.ports import CollectionInfo, LeasedIndex, Waiting
from pincite.settings.load import Settings
from pincite.settings.sections.sources import SourceConfig
from pincite.support.fields import replace


class Stopped(Exception):
    """A run was asked to stop. What it has finished stays, and the next one continues there."""


class Only(msgspec.Struct, frozen=True):
    """The files and folders that a run looks at, instead of whole sources. `records` returns their
    records in a collection and a source."""

    paths: tuple[str, ...]
    records: Callable[[str, str], Awaitable[tuple[DocumentRecord, ...]]]


class Refresh(msgspec.Struct, frozen=True):
    """A run that nobody requested: it updates a known source, described as in the collection.

    It uses no paid model unless the settings allow it, and removes nothing if the disk of the
    source seems to be missing. `only` limits it to these files and folders. It ends with Stopped
    after a batch in which `stop` is set."""

    source: str
    only: Only | None = None
    stop: asyncio.Event | None = None


class IndexRun(msgspec.Struct, frozen=True):
    """A run that writes to the collection of its `options`. `models` are open until its end.

    `infos` are all collections of the index when it began, `held` the members of its collection in
    the order in which they were made, and `sources` what these know; empty before `at`.
    """

    settings: Settings
    client: LeasedIndex
    models: Models
    options: IndexOptions
    progress: Callable[[Progress], None] = lambda _: None
    refresh: Refresh | None = None
    infos: tuple[CollectionInfo, ...] = ()
    held: tuple[CollectionInfo, ...] = ()
    sources: tuple[SourceRecord, ...] = ()

    def at(self, infos: Sequence[CollectionInfo]) -> IndexRun:
        """Return the run with the collections of its index. Another model gets a separate
        collection if the options or the settings say so, and if there are several members, or one
        is named after its model."""
        held = members(infos, self.collection)
        asked = self.options.beside or self.settings.beside(self.collection)
        beside = asked or len(held) > 1 or any(info.spec.base for info in held)
        return replace(
            self,
            options=replace(self.options, beside=beside),
            infos=tuple(infos),
            held=held,
            sources=all_sources(held),
        )

    @property
    def collection(self) -> str:
        """The name of the collection, of which there may be several members."""
        return self.options.collection

    @property
    def configured(self) -> tuple[SourceConfig, ...]:
        """The `[[source]]` tables of the collection."""
        return tuple(one for one in self.settings.sources if one.collection == self.collection)

    @property
    def asked_for(self) -> bool:
        """Whether somebody requested the run, which may cost money and remove documents then."""
        return self.refresh is None


@asynccontextmanager
async def begin_run(
    settings: Settings,
    client: LeasedIndex,
    options: IndexOptions,
    what: str,
    progress: Callable[[Progress], None] = lambda _: None,
    refresh: Refresh | None = None,
) -> AsyncIterator[IndexRun]:
    """Yield a run with the lease of its collection. `what` tells waiting processes what it does.
    Its models are closed in the end. Raises IndexUnavailable while another process writes."""
    name = options.collection or settings.indexed_collection
    options = replace(options, collection=name)
    waiting = Waiting(options.wait_s, options.on_notice)
    async with (
        client.leases.take(name, f"{what} into {name!r}", waiting),
        Models(settings, options.on_notice) as models,
    ):
        yield IndexRun(settings, client, models, options, progress, refresh)
