"""Choose where documents are analysed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from pincite.chunkers import ChunkerConfig
from pincite.ingestion.analysis.analyse import Analyser
from pincite.ingestion.analysis.local import Careful
from pincite.ingestion.analysis.pooled import Shared
from pincite.ingestion.analysis.worker_pool import Workers
from pincite.ports import SparseEncoder
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.support.capabilities import cores

#: Bytes of files for each worker: below that, its start (a quarter of a second) is not worth it.
WORTH_BYTES: Final = 1_500_000


@contextmanager
def open_analyser(
    chunker: ChunkerConfig, sparse: SparseEncoder, total_bytes: int, processors: int = 0
) -> Iterator[Analyser]:
    """Yield an analyser. If there are cores and enough work, it uses workers and this process;
    otherwise only this process, with one worker for code that may hurt a parser. Sparse encoders
    other than BM25 stay in this process.

    One core is left to the writer, which has nearly as much to do as one worker. More workers cost
    more than a core each: every worker has to compute the terms of all words itself."""
    count = min((processors or cores()) - 1, total_bytes // WORTH_BYTES)
    analyser: Shared | Careful
    if count < 1 or not isinstance(sparse, Bm25Encoder):
        analyser = Careful(chunker, sparse)
    else:
        analyser = Shared(Workers(chunker, sparse.analyser.language, count), chunker, sparse)
    try:
        yield analyser
    finally:
        analyser.close()
