"""`local:FOLDER` and `local:OWNER/NAME`: cross-encoders on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from pincite.providers.facts import Facts
from pincite.providers.rerank.cross_encoder import CrossEncoder
from pincite.providers.rerank.scoring import AsProbabilities
from pincite.providers.transformers.hub import locate

if TYPE_CHECKING:
    from pincite.providers.registry import Setup
    from pincite.providers.rerank.scoring import OpenReranker

FACTS = Facts(
    "512 tokens a pair",
    "is cut, from the longer of query and document",
    "logit, made a probability",
)


async def open_rerank(setup: Setup) -> OpenReranker:
    """Return the reranker in a folder, in the cache or on the hub, from which it is fetched once.
    Its scores are sigmoids of logits.

    Raises ModelUnavailable, DiskFull, ConfigError.
    """

    def load() -> CrossEncoder:
        found = locate(setup.name.model, setup.models, offline=setup.offline)
        name = setup.name.model.rstrip("/").rsplit("/", 1)[-1]
        return CrossEncoder(
            found,
            name=name,
            max_pieces=setup.options.max_item_tokens or None,
            precision=setup.options.precision,
        )

    return AsProbabilities(await anyio.to_thread.run_sync(load))
