"""`local:FOLDER` and `local:OWNER/NAME` as sparse encoders: SPLADE on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from pincite.providers.facts import Facts
from pincite.providers.sparse.splade import DOCUMENT_TERMS, PRUNE_BELOW, QUERY_TERMS, SpladeEncoder
from pincite.providers.transformers.hub import locate

if TYPE_CHECKING:
    from pincite.providers.registry import Setup

FACTS = Facts("512 tokens a text", "is cut", "sum of products of learned weights (dot)")


async def open_splade(setup: Setup) -> SpladeEncoder:
    """Open the model with the options for pruning, terms and normalisation. Raises
    ModelUnavailable, DiskFull, ConfigError."""
    options = setup.options

    def load() -> SpladeEncoder:
        found = locate(setup.name.model, setup.models, offline=setup.offline)
        return SpladeEncoder(
            found,
            name=setup.name.model.rstrip("/").rsplit("/", 1)[-1],
            prune_below=PRUNE_BELOW if options.prune_below is None else options.prune_below,
            document_terms=options.document_terms or DOCUMENT_TERMS,
            query_terms=options.query_terms or QUERY_TERMS,
            normalise=options.normalise,
            max_pieces=options.max_item_tokens or None,
            precision=options.precision,
        )

    return await anyio.to_thread.run_sync(load)
