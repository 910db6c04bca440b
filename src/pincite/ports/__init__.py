"""The interfaces of the engine: small Protocols whose docstrings are the contract.

An adapter implements one of these with one vendor library. The test suites in `pincite.testing`
check every adapter against this contract. Adapters raise only errors of `pincite.errors`.

The modules `predicate`, `query_vectors` and `failures` define no protocols. They contain functions
that callers of ports share.

Names are imported when they are first used, because a daemon needs only a third of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.support.late_names import late_names

if TYPE_CHECKING:
    from pincite.ports.catalog import Catalog, Totals
    from pincite.ports.conversations import Conversations, ConversationState
    from pincite.ports.encoders import DenseEncoder, GroupedEncoder, SparseEncoder
    from pincite.ports.files import Files, Gone, Quote, Seen
    from pincite.ports.filters import (
        EVERYTHING,
        FILTER_FIELDS,
        NUMBER_FIELDS,
        TEXT_FIELDS,
        AnyOf,
        Condition,
        DateRange,
        Exists,
        Filter,
        Ids,
        Is,
        Phrase,
        Prefix,
        Range,
        Text,
        equals,
        words,
    )
    from pincite.ports.index import (
        CollectionInfo,
        Index,
        LeasedIndex,
        Paged,
        PagedIndex,
        Readable,
        ReadableIndex,
        Searchable,
        SearchableFacts,
    )
    from pincite.ports.leases import Leases, Waiting
    from pincite.ports.llms import LLM, Completion, CutTokens, Finish, Image, Message, Role
    from pincite.ports.memory import Memory
    from pincite.ports.rerankers import Reranker, RerankScore
    from pincite.ports.store import Measured, SearchRequest, Store, Stored

if not TYPE_CHECKING:  # type checkers would take it for any name
    __getattr__ = late_names(
        __name__,
        {
            "pincite.ports.catalog": "Catalog Totals",
            "pincite.ports.conversations": "Conversations ConversationState",
            "pincite.ports.encoders": "DenseEncoder GroupedEncoder SparseEncoder",
            "pincite.ports.files": "Files Gone Quote Seen",
            "pincite.ports.filters": (
                "EVERYTHING FILTER_FIELDS NUMBER_FIELDS TEXT_FIELDS AnyOf Condition DateRange "
                "Exists Filter Ids Is Phrase Prefix Range Text equals words"
            ),
            "pincite.ports.index": (
                "CollectionInfo Index LeasedIndex Paged PagedIndex Readable ReadableIndex "
                "Searchable SearchableFacts"
            ),
            "pincite.ports.leases": "Leases Waiting",
            "pincite.ports.llms": "LLM Completion CutTokens Finish Image Message Role",
            "pincite.ports.memory": "Memory",
            "pincite.ports.rerankers": "Reranker RerankScore",
            "pincite.ports.store": "Measured SearchRequest Store Stored",
        },
    )

__all__ = [
    "EVERYTHING",
    "FILTER_FIELDS",
    "LLM",
    "NUMBER_FIELDS",
    "TEXT_FIELDS",
    "AnyOf",
    "Catalog",
    "CollectionInfo",
    "Completion",
    "Condition",
    "ConversationState",
    "Conversations",
    "CutTokens",
    "DateRange",
    "DenseEncoder",
    "Exists",
    "Files",
    "Filter",
    "Finish",
    "Gone",
    "GroupedEncoder",
    "Ids",
    "Image",
    "Index",
    "Is",
    "LeasedIndex",
    "Leases",
    "Measured",
    "Memory",
    "Message",
    "Paged",
    "PagedIndex",
    "Phrase",
    "Prefix",
    "Quote",
    "Range",
    "Readable",
    "ReadableIndex",
    "RerankScore",
    "Reranker",
    "Role",
    "SearchRequest",
    "Searchable",
    "SearchableFacts",
    "Seen",
    "SparseEncoder",
    "Store",
    "Stored",
    "Text",
    "Totals",
    "Waiting",
    "equals",
    "words",
]
