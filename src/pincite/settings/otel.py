"""The variables of OpenTelemetry. This module is quick to import.

Only the variables of OpenTelemetry say where spans are sent, never a file, which may be from
somebody else.

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
    """Return whether the variables of OpenTelemetry ask to send spans, or not; None if they are not
    set."""
    known = os.environ if environ is None else environ
    if known.get(_DISABLED, "").strip().lower() == "true":
        return False
    exporter = known.get(_EXPORTER, "").strip().lower()
    if exporter:
        return exporter != "none"
    return True if any(known.get(name, "").strip() for name in _ENDPOINTS) else None


def otel_variables(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return all variables that begin with `OTEL_`."""
    known = os.environ if environ is None else environ
    return {name: value for name, value in known.items() if name.startswith("OTEL_")}
