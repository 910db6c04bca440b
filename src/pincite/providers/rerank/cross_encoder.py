"""A cross-encoder on this machine: it reads query and document together, one pair per run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.errors import ConfigError, ModelUnavailable
from pincite.ports import RerankScore
from pincite.providers.rerank.scoring import best_first
from pincite.providers.transformers.folder import read_folder
from pincite.providers.transformers.heads import classifier
from pincite.providers.transformers.session import TransformerSession
from pincite.support.capabilities import cores

if TYPE_CHECKING:
    from pincite.model import SignalKind
    from pincite.providers.bundled.onnx_bert import Precision


class CrossEncoder:
    """A `Reranker` over a folder (`providers.transformers.folder`). Safe to share among threads.

    One label gives its logit. Two labels (no, yes) give `yes - no`, whose sigmoid is the softmax of
    `yes`. A score depends on its pair alone: pairs are never padded to each other's length.
    """

    kind: SignalKind = "logit"
    listwise = False
    instructed = False

    def __init__(
        self,
        folder: Path,
        *,
        name: str | None = None,
        threads: int | None = None,
        max_pieces: int | None = None,
        precision: Precision = "fp32",
    ) -> None:
        """Load the model. `precision` is that of a graph made from safetensors; `max_pieces` limits
        query and document together and cuts the longer of the two.

        Raises ModelUnavailable, and ConfigError for a model with more than two labels.
        """
        found = read_folder(folder)
        labels = found.config.labels
        if labels not in (1, 2):
            raise ConfigError(
                f"{folder} classifies pairs into {labels} classes; a reranker has one label, or two"
            )
        self._session = TransformerSession(found, classifier, precision, max_pieces)
        session = self._session
        self.fingerprint = (
            f"cross-encoder/{name or folder.name}/{session.precision}/{session.sha256[:12]}"
            f"/{session.longest}"
        )
        self._pool = ThreadPoolExecutor(threads or cores(), thread_name_prefix="pincite-reranker")

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",  # noqa: ARG002  # these models were trained without
    ) -> tuple[RerankScore, ...]:
        """See `Reranker.rerank`. If cancelled, it stops after the pairs in progress."""
        loop = asyncio.get_running_loop()
        pairs = [loop.run_in_executor(self._pool, self.logit, query, one) for one in documents]
        try:
            logits = await asyncio.gather(*pairs)
        finally:
            for pair in pairs:
                pair.cancel()
        return best_first((RerankScore(n, logit) for n, logit in enumerate(logits)), top_n)

    def logit(self, query: str, document: str) -> float:
        """Return the score of one pair."""
        values = self._session.run(query, document).reshape(-1)
        if values.size not in (1, 2):
            raise ModelUnavailable(f"the cross-encoder returned {values.size} numbers for one pair")
        return float(values[0] if values.size == 1 else values[1] - values[0])

    async def close(self) -> None:
        """Stop the workers."""
        self._pool.shutdown(cancel_futures=True)
