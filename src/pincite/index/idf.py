"""Apply the IDF of a query's terms from the counts of the catalog, with weights whose sums are
exact.

Each engine counts terms in its own way: removed points stay in its count until a segment is
rebuilt, staged points are included, and shards count separately. So engines only compute plain
products. These are exact: all weights are multiples of powers of two, so coarse that no sum of
their products takes more than the 24 bits of float32. The order in which an engine adds them makes
no difference.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from pincite.model import CollectionSpec, DocumentRecord, SparseVector, TermCounts
from pincite.stores.validate import check_sparse
from pincite.support.term_share import idf_of

#: Weights of chunks are multiples of 1/512 and below 4: those of BM25 are below k1 + 1 = 2.2.
_CHUNK_BITS = 9
_CHUNK_STEPS = 2**_CHUNK_BITS
_LARGEST = 4
_FLOAT_BITS = 24
#: A cache of rounded weights, cleared when it is full, at 5 MB. A collection has some thousand
#: different weights: they depend on how often a chunk has a term, and on its length.
_REMEMBERED = 50_000
_ROUNDED: dict[float, float] = {}


def stored(
    spec: CollectionSpec, record: DocumentRecord, vectors: Sequence[SparseVector]
) -> tuple[Sequence[SparseVector], dict[str, TermCounts]]:
    """Return the weights of a document's chunks as the store gets them, and the counts of their
    terms for the catalog, by revision. Weights without IDF stay unchanged and are not counted.
    Raises InvalidPoint for weights that cannot be rounded."""
    if not spec.idf:
        return vectors, {}
    weights = [rounded(vector, record.path) for vector in vectors]
    return weights, {record.revision: count_terms(weights)}


def count_terms(vectors: Iterable[SparseVector]) -> TermCounts:
    """Count the chunks with each term, and the chunks with any term."""
    having_any = [vector.indices for vector in vectors if vector.indices]
    return TermCounts(len(having_any), Counter(chain.from_iterable(having_any)))


def rounded(chunk: SparseVector, path: str = "") -> SparseVector:
    """Return the weights of a chunk as multiples of 1/512, none of them 0. Raises InvalidPoint,
    which names the path, for a weight that is not a positive float32. The store checks the rest."""
    try:
        return SparseVector(chunk.indices, tuple(map(_ROUNDED.__getitem__, chunk.values)))
    except KeyError:  # a weight that has not been seen yet
        check_sparse(chunk, repr(path))
        steps = {value: (round(value * _CHUNK_STEPS) or 1) / _CHUNK_STEPS for value in chunk.values}
    if len(_ROUNDED) + len(steps) > _REMEMBERED:
        _ROUNDED.clear()
    _ROUNDED.update(steps)
    return SparseVector(chunk.indices, tuple(map(steps.__getitem__, chunk.values)))


def with_idf(query: SparseVector, counted: TermCounts) -> SparseVector:
    """Return the query's weights times the IDF of their terms (`idf_of`) among the chunks with any
    term. Terms that no chunk has are left out. The results are rounded to the finest power of two
    with which sums of products stay exact, 1/128 for a question of ten words, but never to 0."""
    weights = {}
    for term, value in zip(query.indices, query.values, strict=True):
        if n := counted.having.get(term, 0):
            weights[term] = value * idf_of(counted.chunks, n)
    largest = math.frexp(_LARGEST * math.fsum(weights.values()))[1]
    bits = _FLOAT_BITS - _CHUNK_BITS - largest
    steps = (round(math.ldexp(weight, bits)) or 1 for weight in weights.values())
    return SparseVector(tuple(weights), tuple(math.ldexp(count, -bits) for count in steps))
