"""Pincite: evidence that can be cited.

>>> from pathlib import Path
>>> from pincite import Pincite
>>> with Pincite(Path(".pincite")) as pincite:  # doctest: +SKIP
...     pincite.index(["docs", "src"])
...     pack = pincite.search("how are chunks cited?")

Names are imported when they are first used: `import pincite` costs a few milliseconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pincite.version import VERSION as __version__

if TYPE_CHECKING:
    from pincite.engine import AsyncPincite
    from pincite.errors import PinciteError
    from pincite.ingestion.options import IndexOptions
    from pincite.model import Evidence, EvidencePack, Scope
    from pincite.profile import Profile
    from pincite.settings.load import Settings, load_settings
    from pincite.sync import Pincite

_HOMES = {
    "AsyncPincite": "pincite.engine",
    "Evidence": "pincite.model",
    "EvidencePack": "pincite.model",
    "IndexOptions": "pincite.ingestion.options",
    "Pincite": "pincite.sync",
    "PinciteError": "pincite.errors",
    "Profile": "pincite.profile",
    "Scope": "pincite.model",
    "Settings": "pincite.settings.load",
    "load_settings": "pincite.settings.load",
}

__all__ = [
    "AsyncPincite",
    "Evidence",
    "EvidencePack",
    "IndexOptions",
    "Pincite",
    "PinciteError",
    "Profile",
    "Scope",
    "Settings",
    "__version__",
    "load_settings",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pincite' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
