"""The storage of dense vectors in Qdrant Edge: unchanged or also quantised; in memory or on disk.

A layout takes effect when a shard is optimised and large enough for a graph. Before that, and for
points written since, searches are exact over the unquantised vectors.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec
import qdrant_edge as edge

from pincite.stores.payload import DENSE, SPARSE

Quantization: TypeAlias = Literal["none", "scalar", "binary"]

#: Quantised vectors find this multiple of the requested hits; the vectors themselves then sort
#: them. Without it recall is limited by the quantised order, whatever `hnsw_ef`: .98 for int8 and
#: .69 for one bit of 8,000 synthetic chunks, with it 1.0 and .99.
_OVERSAMPLING: dict[Quantization, float] = {"scalar": 2.0, "binary": 4.0}


#: Qdrant Edge holds Python's lock, so only one search runs at a time; further threads of its own
#: would only spin without work.
_SEARCH_THREADS = 1


class EdgeLayout(msgspec.Struct, frozen=True):
    """A layout: `scalar` is int8, `binary` one bit per dimension; quantised vectors are kept in
    memory. With `on_disk` the vectors themselves are read from disk when needed."""

    quantization: Quantization = "none"
    on_disk: bool = False


#: The default: searches are faster, and hits and scores the same.
USUAL = EdgeLayout("scalar")


def shard_config(*, idf: bool) -> edge.EdgeConfig:
    """Return the configuration that creates or opens a shard. `idf` says whether sparse weights are
    multiplied with the IDF. Dense vectors and their layout are left out and stay unchanged."""
    sparse = edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf if idf else None)
    return edge.EdgeConfig(
        vectors={}, sparse_vectors={SPARSE: sparse}, max_search_threads=_SEARCH_THREADS
    )


def config_for(layout: EdgeLayout, dimensions: int) -> edge.EdgeConfig:
    """Return the configuration to open a shard with for optimising; everything else stays
    unchanged."""
    pinned = edge.Memory.Pinned
    match layout.quantization:
        case "scalar":
            quantised = edge.ScalarQuantizationConfig(edge.ScalarType.Int8, memory=pinned)
        case "binary":
            quantised = edge.BinaryQuantizationConfig(memory=pinned)
        case "none":
            quantised = None
    dense = edge.EdgeVectorParams(
        dimensions,
        edge.Distance.Cosine,
        quantization_config=quantised,
        memory=edge.Memory.Cold if layout.on_disk else None,
    )
    return edge.EdgeConfig(vectors={DENSE: dense})


def search_params(layout: EdgeLayout, hnsw_ef: int, exact: bool) -> edge.SearchParams:
    """Return parameters of a dense search whose scores are those of the vectors themselves."""
    oversampling = _OVERSAMPLING.get(layout.quantization)
    again = edge.QuantizationSearchParams(rescore=True, oversampling=oversampling)
    return edge.SearchParams(
        hnsw_ef=hnsw_ef, exact=exact, quantization=again if oversampling else None
    )


def unquantised() -> edge.SearchParams:
    """Return parameters for the scores of given points."""
    return edge.SearchParams(quantization=edge.QuantizationSearchParams(ignore=True))
