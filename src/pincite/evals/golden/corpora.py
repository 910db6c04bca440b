"""Index a test collection with one chunk per document, as its judgements require."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pincite.chunkers import chunk_id
from pincite.errors import UsageError
from pincite.evals.run.runner import Progressed, fingerprint
from pincite.model import Chunk, CollectionSpec, DocumentRecord, IndexedDocument, Point, SourceType
from pincite.ports import DenseEncoder, Index, SparseEncoder
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.language import guess_language, stemmer_for

_SAMPLE: Final = (40, 4_000)  # documents, and characters of each
PART: Final = 256  #: Texts of a record in the catalog, which counts as a document.


async def index_corpus(
    index: Index,
    name: str,
    texts: Mapping[str, str],
    encoder: DenseEncoder | None,
    *,
    language: str = "auto",
    sparse: SparseEncoder | None = None,
    source_type: SourceType = "docs",
    progress: Progressed = lambda *_: None,
) -> CollectionSpec:
    """Create a collection of that name with one chunk per text.

    The path of a chunk is the id of its document. Empty texts have no chunk. `sparse` replaces the
    analyser of the language. Raises UsageError if no text is left or the collection exists, and the
    errors of indexing.
    """
    texts = {key: text for key, text in texts.items() if text.strip()}
    if not texts:
        raise UsageError(f"the collection {name!r} would be empty")
    if any(info.spec.name == name for info in await index.collections()):
        raise UsageError(
            f"the collection {name!r} already exists", hint=f"pincite collections drop {name}"
        )
    if language == "auto":
        language = _language(tuple(texts.values()))
    analyser = sparse or Bm25Encoder(language)
    lengths = [analyser.encode_document(text, 1.0)[1] for text in texts.values()]
    spec = CollectionSpec(
        name=name,
        sparse=analyser.fingerprint,
        chunker="whole documents",
        dense=encoder.fingerprint if encoder else None,
        dimensions=encoder.dimensions if encoder else 0,
        language=language,
        average_length=max(1.0, sum(lengths) / len(lengths)),  # document sizes differ
        lexical_by_choice=encoder is None,
    )
    await index.create(spec)
    items = list(texts.items())
    for start in range(0, len(items), PART):
        batch = items[start : start + PART]
        bodies = [text for _, text in batch]
        vectors = await encoder.embed_documents(bodies) if encoder else [None] * len(batch)
        points, tokens = [], 0
        for (key, text), vector in zip(batch, vectors, strict=True):
            weights, length = analyser.encode_document(text, spec.average_length)
            points.append(Point(_chunk(name, key, text, source_type), weights, length, vector))
            tokens += length
        record = DocumentRecord(
            source=name,
            path=f"corpus/{start // PART:05}",
            revision=fingerprint((name, start, bodies, spec)) * 2,
            content_hash=fingerprint(bodies) * 4,
            ref="corpus",
            size=sum(map(len, bodies)),
            mtime_ns=0,
            chunks=len(points),
            tokens=tokens,
            source_type=source_type,
        )
        await index.replace(name, [IndexedDocument(record, points)])
        progress(min(start + PART, len(items)), len(items))
    return spec


def _language(texts: Sequence[str]) -> str:
    """Guess the language from a sample as large as that of indexing."""
    documents, chars = _SAMPLE
    sample = texts[:: max(1, len(texts) // documents)]
    return stemmer_for(guess_language("\n".join(text[:chars] for text in sample)))


def _chunk(name: str, key: str, text: str, source_type: SourceType) -> Chunk:
    return Chunk(
        id=chunk_id(name, key, "", 0, len(text)),
        repo=name,
        ref="corpus",
        path=key,
        source_type=source_type,
        language="text",
        start=0,
        end=len(text),
        start_line=1,
        end_line=text.count("\n") + 1,
        text=text,
        content_hash="none",
    )
