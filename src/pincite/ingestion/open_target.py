"""Open the collection that a run writes to, with its models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from pincite.collection.union import UnionIndex
from pincite.encoders.sparse import sparse_of
from pincite.ingestion.attributes.schema import settle_schema
from pincite.ingestion.dense_model import open_dense, require_local
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.run import IndexRun
from pincite.ingestion.sources.revisions import made_with_no_other
from pincite.ingestion.sources.source_records import Opened
from pincite.ingestion.target import choose_target, of_model, settle_spec
from pincite.model import CollectionSpec


class OpenTarget(msgspec.Struct, frozen=True):
    """The collection that new documents are written to. `others` are the other members of its base;
    `index` applies removals and shared settings to them, too."""

    index: UnionIndex
    spec: CollectionSpec
    others: tuple[CollectionSpec, ...]
    deps: IngestDeps


@asynccontextmanager
async def open_target(run: IndexRun, opened: Sequence[Opened] = ()) -> AsyncIterator[OpenTarget]:
    """Yield the target of a run, created or upgraded if necessary. `opened` are the sources that it
    indexes: their attributes are added, and the language of a new collection is guessed from them.
    All members have the same attribute types afterwards.

    Raises UsageError, ConfigError, FingerprintMismatch, ModelUnavailable, ProviderError and the
    errors of the store.
    """
    settings, options, refresh = run.settings, run.options, run.refresh
    schema = await settle_schema(run, opened)
    info = of_model(settings, run.held, options)
    async with open_dense(settings, run.models, info, options) as dense:
        if options.background and dense.name and run.asked_for:
            require_local(dense.name)
        target = choose_target(run, dense)
        spec = await settle_spec(run, target, dense, opened, schema)
        index = UnionIndex(run.client, spec.name, target.others)
        await index.share(schema.attributes, schema.require)
        deps = IngestDeps(
            index,
            await sparse_of(run.models, spec),
            dense.encoder,
            batch_chunks=dense.batch_chunks,
            made_with=made_with_no_other if options.rebuild else index.made_with,
            progress=run.progress,
            on_notice=options.on_notice,
            careful=not run.asked_for,
            background=options.background,
            only=refresh.only if refresh else None,
            stop=refresh.stop if refresh else None,
        )
        yield OpenTarget(index, spec, target.others, deps)
