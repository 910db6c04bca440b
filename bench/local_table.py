"""The tables of `bench.local`."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.local import LocalFigures
from pincite.evals.report.tables import table


def local(raw: Any) -> str:
    """Fusions and wordings by set, then blends by the quality of the reranker."""
    figures = msgspec.convert(raw, LocalFigures, str_keys=True, strict=False)
    sets = list(figures.questions)
    steps = [
        (name, *(f"{one.scores[each]['nDCG@10']:.3f}" for each in sets), _change(one.difference))
        for name, one in figures.variants.items()
    ]
    blends = [
        (f"AUC {auc}, {name}", _change(one.difference))
        for auc, of in figures.blends.items()
        for name, one in of.items()
    ]
    return "\n\n".join(
        (
            table(("nDCG@10", *sets, "minus the default"), steps),
            table(("a reranker of a set quality", "minus none"), blends),
        )
    )


def _change(difference: dict[str, tuple[float, ...]]) -> str:
    mean, low, high = difference["nDCG@10"]
    return f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"
