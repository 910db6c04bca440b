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
    from pincite.citations.compare_claim import Claim
    from pincite.encoders.functions import OpenModels, Ranked, embed_documents, embed_query, rerank
    from pincite.engine import AsyncPincite
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
    from pincite.model import (
        Evidence,
        EvidencePack,
        Question,
        Record,
        RecordPage,
        Scope,
        Verdict,
    )
    from pincite.profile import Profile
    from pincite.scope.where import quote
    from pincite.settings.load import Settings, load_settings
    from pincite.sync import Pincite
    from pincite.trace import Trace

# onnxruntime reads this when it is loaded, which other libraries do, too.
_os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

if not TYPE_CHECKING:  # type checkers would take it for any name
    __getattr__ = late_names(
        __name__,
        {
            "pincite.citations.compare_claim": "Claim",
            "pincite.encoders.functions": "OpenModels Ranked embed_documents embed_query rerank",
            "pincite.engine": "AsyncPincite",
            "pincite.errors": (
                "AuthError CollectionsFailed ConfigError ConversationNotFound"
                " DaemonOfAnotherVersion DiskFull FingerprintMismatch IndexNotFound IndexTooNew"
                " IndexUnavailable InvalidAttribute InvalidRecord MemoryUnavailable"
                " ModelUnavailable NoDenseVectors PinciteError ProviderError RateLimited"
                " SourceError SourcesMissing StoreError TagsRequired Unavailable UntrustedConfig"
                " UsageError"
            ),
            "pincite.ingestion.options": "IndexOptions",
            "pincite.model": "Evidence EvidencePack Question Record RecordPage Scope Verdict",
            "pincite.profile": "Profile",
            "pincite.scope.where": "quote",
            "pincite.settings.load": "Settings load_settings",
            "pincite.sync": "Pincite",
            "pincite.trace": "Trace",
        },
    )

__all__ = [
    "AsyncPincite",
    "AuthError",
    "Claim",
    "CollectionsFailed",
    "ConfigError",
    "ConversationNotFound",
    "DaemonOfAnotherVersion",
    "DiskFull",
    "Evidence",
    "EvidencePack",
    "FingerprintMismatch",
    "IndexNotFound",
    "IndexOptions",
    "IndexTooNew",
    "IndexUnavailable",
    "InvalidAttribute",
    "InvalidRecord",
    "MemoryUnavailable",
    "ModelUnavailable",
    "NoDenseVectors",
    "OpenModels",
    "Pincite",
    "PinciteError",
    "Profile",
    "ProviderError",
    "Question",
    "Ranked",
    "RateLimited",
    "Record",
    "RecordPage",
    "Scope",
    "Settings",
    "SourceError",
    "SourcesMissing",
    "StoreError",
    "TagsRequired",
    "Trace",
    "Unavailable",
    "UntrustedConfig",
    "UsageError",
    "Verdict",
    "__version__",
    "embed_documents",
    "embed_query",
    "load_settings",
    "quote",
    "rerank",
]
