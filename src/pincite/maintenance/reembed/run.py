"""Give a collection another dense model, from the texts that are stored in it.

The new vectors are written to a member of the same base that searches skip until it is complete.
Then one write to the catalog puts it in the place of the others. A document is recorded there when
it is complete, under its revision. So an interrupted run can be continued, and a later indexing run
finds nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable

from pincite.collection.members import all_members, as_one, members, require_base
from pincite.encoders.by_name import Models
from pincite.encoders.sparse import sparse_of
from pincite.errors import ModelUnavailable, UsageError
from pincite.ingestion.dense_model import open_dense
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.target import of_model
from pincite.maintenance.reembed.fill import Work, fill
from pincite.maintenance.reembed.options import Reembedded, Reembedding, ReembedOptions
from pincite.maintenance.reembed.target import make_target
from pincite.ports import Index, LeasedIndex, Waiting
from pincite.settings.load import Settings
from pincite.settings.sections.models import BUNDLED
from pincite.support.arguments import require_kind


async def reembed(
    settings: Settings,
    index: LeasedIndex,
    base: str,
    model: str,
    options: ReembedOptions,
    progress: Callable[[Reembedding], None] = lambda _: None,
) -> Reembedded:
    """Give all documents of a base the dense model of that name. Searches use the old collections
    until the new one is complete. A run can be repeated, and stopped at any time.

    Raises UsageError for an unknown collection, IndexUnavailable while another process writes to
    it, StoreError if the copy is incomplete in the end, ConfigError, ProviderError, DiskFull.
    """
    require_kind("model", model, str, "the name of a model")
    if not model.strip():
        raise UsageError(f"model is {model!r}; it takes the name of a model", hint=repr(BUNDLED))
    require_kind("options", options, ReembedOptions, "ReembedOptions")
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
            f"no collection is named {base!r}; known collections: {', '.join(called) or 'none'}",
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
    info = of_model(settings, known, asked)
    async with (
        Models(settings, options.on_notice) as models,
        open_dense(settings, models, info, asked) as dense,
    ):
        if dense.encoder is None:
            raise ModelUnavailable(f"no model is named {model!r}", hint="pincite doctor")
        await sparse_of(models, held[-1].spec)  # before anything is created
        spec = await make_target(index, base, dense, dense.encoder)
        sparse = await sparse_of(models, spec)
        work = Work(index, spec, dense.encoder, sparse, dense.batch_chunks, progress)
        return await fill(work, options)
