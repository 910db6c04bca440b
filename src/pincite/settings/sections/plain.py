"""Tables of `pincite.toml` whose keys are exactly the fields of their types."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from pincite.settings.sections.documents import DocumentSettings
from pincite.settings.sections.refresh import RefreshSettings
from pincite.settings.sections.retrieval_log import LogSettings
from pincite.settings.sections.telemetry import LoggingSettings, TracingSettings

#: The types by name, which is the same in the file and in `Settings`.
PLAIN: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {
        "log": LogSettings,
        "refresh": RefreshSettings,
        "tracing": TracingSettings,
        "logging": LoggingSettings,
        "documents": DocumentSettings,
    }
)
