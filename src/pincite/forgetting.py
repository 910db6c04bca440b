"""A source is taken out of a collection, and what is left is weighed for what is left."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.batches import Maker
from pincite.chunkers import ChunkerConfig
from pincite.hosted import Models
from pincite.indexing import writer_lock
from pincite.ingest import IngestDeps, weigh_again
from pincite.ports import CollectionInfo, Index
from pincite.settings import Settings
from pincite.sparse_models import sparse_of


async def forget_source(
    settings: Settings, index: Index, models: Models, infos: Sequence[CollectionInfo], source: str
) -> int:
    """Remove a source from the members of a base; returns how many documents there were. Raises
    IndexUnavailable while somebody indexes it, StoreError, and FingerprintMismatch after the
    source is gone where the rest cannot be weighed."""
    count = 0
    with writer_lock(settings.index, infos[0].spec.called):
        for info in infos:
            spec = info.spec
            count += await index.forget(spec.name, source)
            if spec.idf:
                maker = Maker(ChunkerConfig(), await sparse_of(models, spec), spec.dense)
                await weigh_again(spec.name, IngestDeps(index, None, maker))
            await index.settle(spec.name)
    return count
