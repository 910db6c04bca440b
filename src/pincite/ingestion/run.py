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
    """A run was asked to stop. Written batches stay, and the next run continues after them."""


class Only(msgspec.Struct, frozen=True):
    """The files and folders that a run is limited to, by their paths. `records` returns the records
    of these paths in a collection and a source."""

    paths: tuple[str, ...]
    records: Callable[[str, str], Awaitable[tuple[DocumentRecord, ...]]]


class Refresh(msgspec.Struct, frozen=True):
    """A run that no user has requested. It updates one known source, with the settings in the
    catalog.

    It uses no paid model unless the settings allow it, and removes nothing if the disk of the
    source seems to be missing. `only` limits it to some files and folders. It raises Stopped after
    a batch if `stop` is set."""

    source: str
    only: Only | None = None
    stop: asyncio.Event | None = None


class IndexRun(msgspec.Struct, frozen=True):
    """A run that writes to the collection of its `options`. `models` are open until its end.

    `infos` are all collections of the index when it began, `held` the members of its collection in
    the order of their creation, and `sources` the source records of these. They are empty before
    `at`.
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
        """Return the run with the collections of its index. Its option `beside` becomes true if the
        options or the settings have it, if there are several members, or if one is named after its
        model."""
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

    def in_language(self, guessed: str | None) -> IndexRun:
        """Return the run with this language of its collection, unless it has one or None is
        given."""
        if guessed is None or self.options.language != "auto":
            return self
        return replace(self, options=replace(self.options, language=guessed))

    @property
    def collection(self) -> str:
        """Return the base name of the collection. It may have several members."""
        return self.options.collection

    @property
    def configured(self) -> tuple[SourceConfig, ...]:
        """Return the `[[source]]` tables of the collection."""
        return tuple(one for one in self.settings.sources if one.collection == self.collection)

    @property
    def asked_for(self) -> bool:
        """Return whether a user has requested the run. Such a run may use paid models, and remove
        documents of files that cannot be read."""
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
    """Yield a run that holds the lease of its collection. `what` describes it to processes that
    wait for the lease. Its models are closed at the end. Raises IndexUnavailable if another process
    still writes after `wait_s`."""
    name = options.collection or settings.indexed_collection
    options = replace(options, collection=name)
    waiting = Waiting(options.wait_s, options.on_notice)
    async with (
        client.leases.take(name, f"{what} into {name!r}", waiting),
        Models(settings, options.on_notice) as models,
    ):
        yield IndexRun(settings, client, models, options, progress, refresh)
