"""The tables of `bench.local_preset.local`."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import msgspec

from bench.local_preset.local import LocalFigures
from pincite.evals.report.tables import table


def local(raw: Any) -> str:
    """Fusions and rephrasings by set, then blends by the quality of the reranker."""
    figures = msgspec.convert(raw, LocalFigures, str_keys=True, strict=False)
    sets = list(figures.questions)
    steps = [
        (
            name,
            *(f"{one.scores[each]['nDCG@10']:.3f}" for each in sets),
            _change(one.difference, "nDCG@10"),
            f"{fmean(one.scores[each]['R@20'] for each in sets):.3f}",
            _change(one.difference, "R@20"),
            f"{one.p50_ms:.0f}",
        )
        for name, one in figures.variants.items()
    ]
    blends = [
        (f"AUC {auc}, {name}", _change(one.difference, "nDCG@10"))
        for auc, of in figures.blends.items()
        for name, one in of.items()
    ]
    return "\n\n".join(
        (
            table(
                (
                    *("nDCG@10", *sets, "minus the default"),
                    *("R@20, mean", "minus the default", "p50, ms"),
                ),
                steps,
            ),
            table(("reranker of a given quality", "minus none"), blends),
        )
    )


def _change(difference: dict[str, tuple[float, ...]], measure: str) -> str:
    mean, low, high = difference[measure]
    return f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"
