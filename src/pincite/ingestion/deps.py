"""What a run of indexing asks, opened."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from pincite.chunkers import ChunkerConfig
from pincite.ingestion.batch import BATCH_CHUNKS
from pincite.ingestion.begun import Sample
from pincite.ingestion.describe_images import Vision
from pincite.ingestion.refusals import Refusals
from pincite.ingestion.report import Progress
from pincite.ingestion.revisions import MadeWith, made_with_no_other
from pincite.model import CollectionSpec, Notice
from pincite.ports import DenseEncoder, Index, SparseEncoder
from pincite.sources import OpenSource

#: From so much text on words are indexed before vectors: it takes the bundled model some five
#: seconds on two cores.
MUCH_BYTES = 500_000


async def nothing_early(_opened: OpenSource, _spec: CollectionSpec) -> Sample | None:
    """No files were read before."""
    return None


@dataclass(frozen=True, slots=True)
class IngestDeps:
    """What a run needs; the collection's spec has the fingerprints of `chunker` and encoders.
    `dense` is None for a lexical collection. A batch holds about `batch_chunks`. Where more
    than `much_bytes` of files wait for vectors, words are indexed before. With `words_only`
    chunks are written without the dense vectors that they have not had before. `stage` is what
    progress calls the run: `index`, or `embed` where words alone are there already. With
    `background` vectors of more than `much_bytes` are left to another run. A `careful` run removes
    nothing where a source looks as if its disk were away. `vision` describes
    pictures, where a model is named for that. `early` gives what was read of a source before;
    `refusals` know from which files no text came."""

    index: Index
    sparse: SparseEncoder
    dense: DenseEncoder | None
    chunker: ChunkerConfig = field(default_factory=ChunkerConfig)
    batch_chunks: int = BATCH_CHUNKS
    made_with: MadeWith = made_with_no_other
    progress: Callable[[Progress], None] = lambda _: None
    on_notice: Callable[[Notice], None] = lambda _: None
    much_bytes: int = MUCH_BYTES
    words_only: bool = False
    stage: str = "index"
    careful: bool = False
    background: bool = False
    vision: Vision | None = None
    early: Callable[[OpenSource, CollectionSpec], Awaitable[Sample | None]] = nothing_early
    refusals: Refusals | None = None
