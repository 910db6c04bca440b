"""The open dependencies of an indexing run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import msgspec

from pincite.chunkers import ChunkerConfig
from pincite.ingestion.batch import BATCH_CHUNKS, FileUnderAnalysis
from pincite.ingestion.describe_images import Vision
from pincite.ingestion.refusals import Refusals
from pincite.ingestion.report import Progress
from pincite.ingestion.run import Only
from pincite.ingestion.sources.revisions import MadeWith, made_with_no_other
from pincite.model import CollectionSpec, Notice
from pincite.ports import DenseEncoder, Index, SparseEncoder
from pincite.sources import OpenSource

#: Bytes of text above which keywords are indexed before vectors: the bundled model takes about five
#: seconds for them on two cores.
MUCH_BYTES = 500_000


async def nothing_early(
    _opened: OpenSource, _spec: CollectionSpec
) -> Mapping[str, FileUnderAnalysis]:
    """Return no files: none were read early."""
    return {}


class IngestDeps(msgspec.Struct, frozen=True):
    """The dependencies of a run. The collection's spec has the fingerprints of `chunker` and the
    encoders. `dense` is None for a lexical collection. A batch has about `batch_chunks` chunks. If
    more than `much_bytes` of files wait for vectors, keywords are indexed first. With `words_only`,
    chunks are written without new dense vectors. `stage` is the name of the run in progress
    messages: `index`, or `embed` if the keywords are already indexed.

    With `background`, vectors of more than `much_bytes` are left to another run. A `careful` run
    keeps the documents of files that cannot be read now, and all documents if a source has become
    empty. `vision` describes pictures, if a model is configured. `early` returns the files of a
    source that were read in advance, by path. `refusals` are known files without extractable text.
    `only` limits the run to some files and folders; it leaves the record of the source unchanged.
    The run raises Stopped after a batch in which `stop` is set.
    """

    index: Index
    sparse: SparseEncoder
    dense: DenseEncoder | None
    chunker: ChunkerConfig = msgspec.field(default_factory=ChunkerConfig)
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
    early: Callable[[OpenSource, CollectionSpec], Awaitable[Mapping[str, FileUnderAnalysis]]] = (
        nothing_early
    )
    refusals: Refusals | None = None
    only: Only | None = None
    stop: asyncio.Event | None = None
