"""The variables of OpenTelemetry, a part of the settings that costs nothing to import.

Where spans are sent is said by the variables of OpenTelemetry alone, never by a file: a file may be
somebody else's.

| variable | meaning |
|---|---|
| `OTEL_EXPORTER_OTLP_ENDPOINT`, the same with `_TRACES_` | a collector: spans are sent |
| `OTEL_TRACES_EXPORTER` | `otlp` or `console`: spans are sent; `none`: they are not |
| `OTEL_SDK_DISABLED` | `true`: nothing is sent, whatever else is set |
"""

from __future__ import annotations

import os
from collections.abc import Mapping

_DISABLED, _EXPORTER = "OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER"
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")


def spans_wanted(environ: Mapping[str, str] | None = None) -> bool | None:
    """What the variables of OpenTelemetry say: send spans, send none, or None for nothing."""
    known = os.environ if environ is None else environ
    if known.get(_DISABLED, "").strip().lower() == "true":
        return False
    exporter = known.get(_EXPORTER, "").strip().lower()
    if exporter:
        return exporter != "none"
    return True if any(known.get(name, "").strip() for name in _ENDPOINTS) else None


def otel_variables(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables of OpenTelemetry."""
    known = os.environ if environ is None else environ
    return {name: value for name, value in known.items() if name.startswith("OTEL_")}
