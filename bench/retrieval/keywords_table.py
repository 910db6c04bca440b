"""The table of `bench.retrieval.keywords`."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.retrieval.keywords import KeywordFigures
from pincite.evals.report.tables import table


def keywords(raw: Any) -> str:
    """nDCG@10 of each set and engine, then recall and the shipped profile."""
    figures = msgspec.convert(raw, KeywordFigures, str_keys=True)
    names = list(next(iter(figures.sets.values())))
    rows = [
        (
            set_name,
            *(f"{found[name].lexical:.3f}" for name in names),
            *(f"{found[name].lexical_recall:.3f}" for name in names),
        )
        for set_name, found in figures.sets.items()
    ]
    count = len(figures.sets)
    means = [
        *(sum(one[name].lexical for one in figures.sets.values()) / count for name in names),
        *(sum(one[name].lexical_recall for one in figures.sets.values()) / count for name in names),
    ]
    rows.append(("**mean**", *(f"**{mean:.3f}**" for mean in means)))
    head = (*(f"{name}" for name in names), *(f"R@100, {name}" for name in names))
    hybrid = [
        (set_name, *(f"{found[name].default:.3f}" for name in ("ours", "porter")))
        for set_name, found in figures.sets.items()
        if found["porter"].default
    ]
    against = [
        (name, one.better, one.worse, f"{one.mean:+.3f} [{one.low:+.3f}, {one.high:+.3f}]")
        for name, one in figures.differences.items()
    ]
    return "\n\n".join(
        (
            "nDCG@10 and Recall@100 of keyword search alone:",
            table(("set", *head), rows),
            "FTS5 minus Pincite's BM25, nDCG@10, with equal weight for each set:",
            table(("FTS5 with", "sets above", "sets below", "difference"), against),
            "nDCG@10 of the default profile:",
            table(("set", "ours", "porter"), hybrid),
        )
    )
