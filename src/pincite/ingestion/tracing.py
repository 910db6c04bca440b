"""Telemetry of an indexing run."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec

from pincite.errors import UpdatedInPart
from pincite.ingestion.report import IngestReport
from pincite.ports.tracing import Span, span

P = ParamSpec("P")
Run = Callable[P, Coroutine[Any, Any, tuple[IngestReport, ...]]]


def watched_run(run: Run[P]) -> Run[P]:
    """Wrap a run in a span with the sums of the counts of its reports."""

    @wraps(run)
    async def watched(*args: P.args, **kwargs: P.kwargs) -> tuple[IngestReport, ...]:
        with span("pincite.index") as seen:
            try:
                reports = await run(*args, **kwargs)
            except UpdatedInPart as error:
                _count(seen, error.reports)
                raise
            _count(seen, reports)
            return reports

    return watched


def _count(seen: Span, reports: tuple[IngestReport, ...]) -> None:
    seen.set("pincite.sources", len(reports))
    for name in ("new", "changed", "unchanged", "removed", "chunks", "tokens", "reused"):
        seen.set(f"pincite.{name}", sum(getattr(one, name) for one in reports))
    seen.set("pincite.skipped", sum(sum(one.skipped.values()) for one in reports))
