"""The seams of the engine: small Protocols whose docstrings are the contract.

An adapter implements one of these with one vendor library; the suites in `pincite.testing` hold
every adapter to the words below. Errors are those of `pincite.errors` and no others.
"""

from pincite.ports.encoders import DenseEncoder, GroupedEncoder, SparseEncoder
from pincite.ports.index import Index, Searchable
from pincite.ports.judges import (
    LLM,
    Completion,
    Finish,
    Message,
    Reranker,
    RerankScore,
    Role,
)
from pincite.ports.storage import (
    FILTER_FIELDS,
    AnyOf,
    Catalog,
    CollectionInfo,
    Filter,
    SearchRequest,
    Store,
    Stored,
    Totals,
)

__all__ = [
    "FILTER_FIELDS",
    "LLM",
    "AnyOf",
    "Catalog",
    "CollectionInfo",
    "Completion",
    "DenseEncoder",
    "Filter",
    "Finish",
    "GroupedEncoder",
    "Index",
    "Message",
    "RerankScore",
    "Reranker",
    "Role",
    "SearchRequest",
    "Searchable",
    "SparseEncoder",
    "Store",
    "Stored",
    "Totals",
]
