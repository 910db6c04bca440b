"""The tables of `bench.retrieval.diversity`."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.retrieval.diversity import DiversityFigures
from pincite.evals.report.tables import table


def diversity(raw: Any) -> str:
    """nDCG@10 and the similarity of results by lambda, and what the probe costs."""
    figures = msgspec.convert(raw, DiversityFigures, str_keys=True)
    names = list(figures.sets)
    keys = [(one.fetch, one.relevance) for one in figures.sets[names[0]]]
    rows = []
    for place, (fetch, relevance) in enumerate(keys):
        cells = []
        for name in names:
            one = figures.sets[name][place]
            cells += [f"{one.ndcg_10:.3f}", f"{one.similarity:.3f}"]
        rows.append((f"{relevance:.1f}, of {fetch}", *cells))
    head = [cell for name in names for cell in (f"{name}, nDCG@10", "similarity")]
    costs = [
        (
            f"{one.store}, {one.chunks:,} chunks, {'exact' if one.exact else 'index'}",
            *(f"{value:.1f}" for value in (one.probe_ms, one.with_ms, one.without_ms)),
        )
        for one in figures.probes
    ]
    return "\n\n".join(
        (
            table(("lambda", *head), rows),
            table(("", "probe, ms", "search with it, ms", "without, ms"), costs),
        )
    )
