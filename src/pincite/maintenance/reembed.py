"""A collection gets another dense model, from the texts that are stored in it.

The new vectors go into a member of the same base that nobody searches until it is complete. Then it
takes the place of the others with one write to the catalog. A document is recorded there as soon
as it is whole, under the revision that it has: what is cut off goes on, and a later run of indexing
finds nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pincite.collection.members import all_members, as_one, members, next_serial, require_base
from pincite.encoders.by_name import Models
from pincite.encoders.sparse import sparse_of
from pincite.errors import ModelUnavailable, UsageError
from pincite.ingestion.dense_model import Dense, collection_name, open_dense
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.target import of_model
from pincite.ingestion.weigh import average_of
from pincite.maintenance.refill import Reembedded, Reembedding, ReembedOptions, Work, fill
from pincite.model import CollectionSpec
from pincite.ports import DenseEncoder, Index, SharedIndex, Waiting
from pincite.settings.load import Settings

__all__ = ["ReembedOptions", "Reembedded", "Reembedding", "reembed"]


async def reembed(
    settings: Settings,
    index: SharedIndex,
    base: str,
    model: str,
    options: ReembedOptions,
    progress: Callable[[Reembedding], None] = lambda _: None,
) -> Reembedded:
    """Give all documents of a base the dense model of that name. Searches are answered by the old
    ones until the new one is complete. Safe to repeat, and to stop at any time.

    Raises UsageError for an unknown collection, IndexUnavailable while somebody else writes to it,
    StoreError where the copy is not complete in the end, ConfigError, ProviderError, DiskFull.
    """
    waiting = Waiting(options.wait_s, options.on_notice)
    async with index.leases.take(base, f"embedding {base!r} with {model}", waiting):
        return await _reembed(settings, index, base, model, options, progress)


async def _reembed(
    settings: Settings,
    index: Index,
    base: str,
    model: str,
    options: ReembedOptions,
    progress: Callable[[Reembedding], None],
) -> Reembedded:
    infos = await index.collections()
    require_base(infos, base)
    held, known = members(infos, base), all_members(infos, base)
    if not held:
        called = sorted({info.spec.public_name for info in infos})
        raise UsageError(
            f"there is no collection {base!r}; there are: {', '.join(called) or 'none'}",
            hint="pincite collections",
        )
    together = as_one(held, held[-1].spec)
    if together.broken:
        raise UsageError(together.broken, hint=f"pincite collections rebuild {base}")
    asked = IndexOptions(
        collection=base,
        model=model,
        upgrade=True,
        beside=True,
        on_notice=options.on_notice,
        on_fetch=options.on_fetch,
    )
    async with open_dense(settings, of_model(settings, known, asked), asked) as dense:
        if dense.encoder is None:
            raise ModelUnavailable(f"there is no model {model!r}", hint="pincite doctor")
        models = Models(settings.use, settings.models, offline=settings.offline)
        try:
            await sparse_of(models, held[-1].spec)  # before anything is made
            spec = await make_target(index, base, dense, dense.encoder)
            sparse = await sparse_of(models, spec)
            work = Work(index, spec, dense.encoder, sparse, dense.batch_chunks, progress)
            return await fill(work, options)
        finally:
            await models.close()


async def make_target(
    index: Index, base: str, dense: Dense, encoder: DenseEncoder
) -> CollectionSpec:
    """The collection with the new model, made or made ready: pending unless it is searched already,
    as one member of several. Where it is the only one, nothing is written."""
    infos = await index.collections()
    ours, held = all_members(infos, base), members(infos, base)
    there = next((info for info in ours if info.spec.dense == encoder.fingerprint), None)
    olds = [info for info in held if info is not there]
    if there in held and not olds:
        return there.spec
    last = held[-1].spec
    together = as_one(held, last)
    new = replace(
        last,
        name=collection_name(base, dense, infos),
        dense=encoder.fingerprint,
        dimensions=encoder.dimensions,
        average_length=average_of(together.tokens, together.chunks),
        formerly=(),
        mixed=False,
    )
    like = there.spec if there else new
    formerly = {name for info in olds for name in info.spec.made_with}
    spec = replace(
        like,
        model=dense.name,
        base=base,
        formerly=tuple(sorted({*like.formerly, *formerly} - {encoder.fingerprint})),
    )
    if there in held:
        await index.create(spec)
        return spec
    replaced = {name for info in olds for name in (info.spec.name, *info.spec.replaces)}
    spec = replace(
        spec,
        serial=next_serial(info for info in ours if info is not there),
        pending=True,
        replaces=tuple(sorted(replaced - {spec.name})),
    )
    if there and there.spec.sparse != last.sparse:  # all of it would have to be weighed again
        spec = replace(new, **{name: getattr(spec, name) for name in _OF_MEMBERS})
        await index.reset(spec)
    else:
        await index.create(spec)
    return spec


_OF_MEMBERS = ("name", "model", "base", "formerly", "serial", "pending", "replaces")
