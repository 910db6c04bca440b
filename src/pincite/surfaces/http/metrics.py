"""Metrics for Prometheus: requests of this process, and pending work of the whole database.

Each process counts its own requests, and each series carries its name in `process`. Jobs and
documents are those of the database: every process reports the same numbers.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import MutableMapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from pincite.workspace.ports import Workspaces

_KEPT_S = 10.0  # seconds between two counts of all documents


class Metrics:
    """The numbers of one process and of its database."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._process = f"{socket.gethostname()}:{os.getpid()}"
        names = ("operation", "status", "process")
        self._asked = Counter("pincite_requests", "Requests.", names, registry=registry)
        self._took = Histogram(
            "pincite_request_seconds",
            "Seconds of a request.",
            ("operation", "process"),
            registry=registry,
        )
        self._jobs = Gauge(
            "pincite_jobs", "Jobs of the database that are not done.", ("state",), registry=registry
        )
        self._documents = Gauge(
            "pincite_documents", "Documents of the database.", ("status",), registry=registry
        )
        self._late = Gauge(
            "pincite_jobs_late_seconds",
            "Age in seconds of the job that has been due longest.",
            registry=registry,
        )
        self._counted_s = -_KEPT_S

    def answered(self, scope: MutableMapping[str, Any], status: int) -> None:
        """Count the start of a response."""
        name = getattr(scope.get("route_handler"), "handler_name", "none")
        self._asked.labels(name, str(status), self._process).inc()
        took_s = time.perf_counter() - float(scope.get("began_s", 0.0))
        self._took.labels(name, self._process).observe(took_s)

    async def text(self, workspaces: Workspaces) -> bytes:
        """Return all metrics in the format of Prometheus. Raises WorkspaceUnavailable."""
        if time.monotonic() - self._counted_s >= _KEPT_S:
            async with workspaces.administration() as operator:
                counts = await operator.counts()
            for state, number in counts.jobs.items():
                self._jobs.labels(state).set(number)
            for status, number in counts.documents.items():
                self._documents.labels(status).set(number)
            self._late.set(counts.late_s)
            self._counted_s = time.monotonic()
        return generate_latest(self._registry)
