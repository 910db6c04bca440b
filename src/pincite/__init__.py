"""Pincite: evidence that can be cited.

>>> from pincite import Pincite
>>> with Pincite(".pincite") as pincite:  # doctest: +SKIP
...     pincite.index("docs")
...     pack = pincite.search("how are chunks cited?", limit=5)
>>> print(pack.to_prompt(max_tokens=4000))  # doctest: +SKIP

Names are imported when they are first used: `import pincite` costs a few milliseconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pincite.version import VERSION as __version__

if TYPE_CHECKING:
    from pincite.citations.claims import Claim
    from pincite.encoders.functions import OpenModels, Ranked, embed_documents, embed_query, rerank
    from pincite.engine import AsyncPincite
    from pincite.errors import IndexNotFound, InvalidRecord, PinciteError, TagsRequired, UsageError
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

_HOMES = {
    "AsyncPincite": "pincite.engine",
    "Claim": "pincite.citations.claims",
    "Evidence": "pincite.model",
    "EvidencePack": "pincite.model",
    "IndexNotFound": "pincite.errors",
    "IndexOptions": "pincite.ingestion.options",
    "InvalidRecord": "pincite.errors",
    "OpenModels": "pincite.encoders.functions",
    "Pincite": "pincite.sync",
    "PinciteError": "pincite.errors",
    "Profile": "pincite.profile",
    "Question": "pincite.model",
    "Ranked": "pincite.encoders.functions",
    "Record": "pincite.model",
    "RecordPage": "pincite.model",
    "Scope": "pincite.model",
    "Settings": "pincite.settings.load",
    "TagsRequired": "pincite.errors",
    "Trace": "pincite.trace",
    "UsageError": "pincite.errors",
    "Verdict": "pincite.model",
    "embed_documents": "pincite.encoders.functions",
    "embed_query": "pincite.encoders.functions",
    "load_settings": "pincite.settings.load",
    "quote": "pincite.scope.where",
    "rerank": "pincite.encoders.functions",
}

__all__ = [
    "AsyncPincite",
    "Claim",
    "Evidence",
    "EvidencePack",
    "IndexNotFound",
    "IndexOptions",
    "InvalidRecord",
    "OpenModels",
    "Pincite",
    "PinciteError",
    "Profile",
    "Question",
    "Ranked",
    "Record",
    "RecordPage",
    "Scope",
    "Settings",
    "TagsRequired",
    "Trace",
    "UsageError",
    "Verdict",
    "__version__",
    "embed_documents",
    "embed_query",
    "load_settings",
    "quote",
    "rerank",
]


if not TYPE_CHECKING:  # type checkers would take it for any name

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'pincite' has no attribute {name!r}")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
