"""The interfaces of the engine: small Protocols whose docstrings are the contract.

An adapter implements one of these with one vendor library. The test suites in `pincite.testing`
check every adapter against this contract. Adapters raise only errors of `pincite.errors`.
"""

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
from pincite.ports.index import Index, LeasedIndex, Readable, ReadableIndex, Searchable
from pincite.ports.leases import Leases, Waiting
from pincite.ports.llms import LLM, Completion, CutTokens, Finish, Image, Message, Role
from pincite.ports.memory import Memory
from pincite.ports.rerankers import Reranker, RerankScore
from pincite.ports.storage import (
    Catalog,
    CollectionInfo,
    Measured,
    SearchRequest,
    Store,
    Stored,
    Totals,
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
