"""Pincite: evidence that can be cited.

>>> from pincite import Pincite
>>> with Pincite(".pincite") as pincite:  # doctest: +SKIP
...     pincite.index("docs")
...     pack = pincite.search("how are chunks cited?", limit=5)
>>> print(pack.to_prompt(max_tokens=4000))  # doctest: +SKIP

Names are imported when they are first used: `import pincite` costs a few milliseconds.
"""

from __future__ import annotations

import os as _os
from typing import TYPE_CHECKING

from pincite.support.late_names import late_names
from pincite.version import VERSION as __version__

if TYPE_CHECKING:
    from pincite.asking import SearchOptions
    from pincite.asking.answers import AnswerOptions
    from pincite.citations.check_item import Checked
    from pincite.citations.compare_claim import Claim, ClaimCheck
    from pincite.citations.files import Listing, Most, Passages
    from pincite.citations.passage import Passage
    from pincite.daemon.refresh.freshness import Freshness
    from pincite.encoders.functions import OpenModels, Ranked, embed_documents, embed_query, rerank
    from pincite.engine import AsyncPincite
    from pincite.engine.descriptions import Description
    from pincite.errors import (
        AuthError,
        CollectionsFailed,
        ConfigError,
        ConversationNotFound,
        DaemonOfAnotherVersion,
        DiskFull,
        FingerprintMismatch,
        IndexNotFound,
        IndexTooNew,
        IndexUnavailable,
        InvalidAttribute,
        InvalidRecord,
        MemoryUnavailable,
        ModelUnavailable,
        NoDenseVectors,
        PinciteError,
        ProviderError,
        RateLimited,
        SourceError,
        SourcesMissing,
        StoreError,
        TagsRequired,
        Unavailable,
        UntrustedConfig,
        UsageError,
    )
    from pincite.ingestion.options import IndexOptions
    from pincite.ingestion.report import IngestReport, Progress
    from pincite.maintenance.reembed import Reembedded, Reembedding, ReembedOptions
    from pincite.model import (
        Answer,
        AnswerEvent,
        AnswerPiece,
        ChatMode,
        Evidence,
        EvidencePack,
        Fact,
        Notice,
        Question,
        Record,
        RecordPage,
        Scope,
        SourceType,
        TaskMode,
        Turn,
        Verdict,
    )
    from pincite.model.context_block import ContextBlock, ContextOrder, CountTokens
    from pincite.ports import CollectionInfo, ConversationState, Reranker, Waiting
    from pincite.profile import Profile
    from pincite.records.report import DeleteReport, UpsertProgress, UpsertReport
    from pincite.scope.choosing import Admit
    from pincite.scope.where import quote
    from pincite.settings.load import Settings, load_settings
    from pincite.settings.sections.refresh import RefreshMode
    from pincite.stages.context import Around
    from pincite.stages.retrieve import SearchMode
    from pincite.sync import Pincite
    from pincite.trace import Trace

# onnxruntime reads this when it is loaded, which other libraries do, too.
_os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

if not TYPE_CHECKING:  # type checkers would take it for any name
    __getattr__ = late_names(
        __name__,
        {
            "pincite.asking": "SearchOptions",
            "pincite.asking.answers": "AnswerOptions",
            "pincite.citations.check_item": "Checked",
            "pincite.citations.compare_claim": "Claim ClaimCheck",
            "pincite.citations.files": "Listing Most Passages",
            "pincite.citations.passage": "Passage",
            "pincite.daemon.refresh.freshness": "Freshness",
            "pincite.scope.choosing": "Admit",
            "pincite.encoders.functions": "OpenModels Ranked embed_documents embed_query rerank",
            "pincite.engine": "AsyncPincite",
            "pincite.engine.descriptions": "Description",
            "pincite.errors": (
                "AuthError CollectionsFailed ConfigError ConversationNotFound"
                " DaemonOfAnotherVersion DiskFull FingerprintMismatch IndexNotFound IndexTooNew"
                " IndexUnavailable InvalidAttribute InvalidRecord MemoryUnavailable"
                " ModelUnavailable NoDenseVectors PinciteError ProviderError RateLimited"
                " SourceError SourcesMissing StoreError TagsRequired Unavailable UntrustedConfig"
                " UsageError"
            ),
            "pincite.ingestion.options": "IndexOptions",
            "pincite.ingestion.report": "IngestReport Progress",
            "pincite.maintenance.reembed": "ReembedOptions Reembedded Reembedding",
            "pincite.model": (
                "Answer AnswerEvent AnswerPiece ChatMode Evidence EvidencePack Fact Notice"
                " Question Record RecordPage Scope SourceType TaskMode Turn Verdict"
            ),
            "pincite.model.context_block": "ContextBlock ContextOrder CountTokens",
            "pincite.ports": "CollectionInfo ConversationState Reranker Waiting",
            "pincite.profile": "Profile",
            "pincite.records.report": "DeleteReport UpsertProgress UpsertReport",
            "pincite.scope.where": "quote",
            "pincite.settings.load": "Settings load_settings",
            "pincite.settings.sections.refresh": "RefreshMode",
            "pincite.stages.context": "Around",
            "pincite.stages.retrieve": "SearchMode",
            "pincite.sync": "Pincite",
            "pincite.trace": "Trace",
        },
    )

__all__ = [
    "Admit",
    "Answer",
    "AnswerEvent",
    "AnswerOptions",
    "AnswerPiece",
    "Around",
    "AsyncPincite",
    "AuthError",
    "ChatMode",
    "Checked",
    "Claim",
    "ClaimCheck",
    "CollectionInfo",
    "CollectionsFailed",
    "ConfigError",
    "ContextBlock",
    "ContextOrder",
    "ConversationNotFound",
    "ConversationState",
    "CountTokens",
    "DaemonOfAnotherVersion",
    "DeleteReport",
    "Description",
    "DiskFull",
    "Evidence",
    "EvidencePack",
    "Fact",
    "FingerprintMismatch",
    "Freshness",
    "IndexNotFound",
    "IndexOptions",
    "IndexTooNew",
    "IndexUnavailable",
    "IngestReport",
    "InvalidAttribute",
    "InvalidRecord",
    "Listing",
    "MemoryUnavailable",
    "ModelUnavailable",
    "Most",
    "NoDenseVectors",
    "Notice",
    "OpenModels",
    "Passage",
    "Passages",
    "Pincite",
    "PinciteError",
    "Profile",
    "Progress",
    "ProviderError",
    "Question",
    "Ranked",
    "RateLimited",
    "Record",
    "RecordPage",
    "ReembedOptions",
    "Reembedded",
    "Reembedding",
    "RefreshMode",
    "Reranker",
    "Scope",
    "SearchMode",
    "SearchOptions",
    "Settings",
    "SourceError",
    "SourceType",
    "SourcesMissing",
    "StoreError",
    "TagsRequired",
    "TaskMode",
    "Trace",
    "Turn",
    "Unavailable",
    "UntrustedConfig",
    "UpsertProgress",
    "UpsertReport",
    "UsageError",
    "Verdict",
    "Waiting",
    "__version__",
    "embed_documents",
    "embed_query",
    "load_settings",
    "quote",
    "rerank",
]
