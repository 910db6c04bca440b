"""The tables of `bench.answering.refusals`."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.answering.refusals import RefusalFigures, SideFigures
from pincite.evals.analysis.refusal import Levels
from pincite.evals.report.tables import table


def refusals(raw: Any) -> str:
    """A row for each set and side, and how far each level can be trusted."""
    figures = msgspec.convert(raw, RefusalFigures, str_keys=True)
    rows = [
        row
        for name in figures.after
        for row in (
            _row(f"{name}, before", figures.before[name]),
            _row(f"{name}, **after**", figures.after[name]),
            *([_row(f"{name}, probe", figures.probe[name])] if name in figures.probe else ()),
        )
    ]
    head = (
        *("grounded / weak / none", "on topic, %", "near, %", "far, %"),
        *("AUROC near", "far", "refusal precision", "recall", "in hand"),
    )
    trust = [
        (name, *(_trust(sides, level) for level in ("grounded", "weak", "none")))
        for name, sides in (
            ("before", figures.before),
            ("**after**", figures.after),
            ("probe", figures.probe),
        )
        if sides
    ]
    said = "Share of questions on topic among those with a verdict, mean of the sets. Half of all"
    return "\n\n".join(
        (
            table(head, rows),
            f"{said} questions are on topic, a quarter are near and a quarter are far:",
            table(("", "grounded", "weak", "none"), trust),
            *_cosines(figures),
        )
    )


def _cosines(figures: RefusalFigures) -> tuple[str, ...]:
    """What thresholds on the cosine of the nearest chunk refuse, and the means of the sets."""
    sets = figures.cosines
    if not sets:
        return ()
    rows: list[tuple[str, ...]] = []
    for place, one in enumerate(next(iter(sets.values()))):
        of_sets = [found[place] for found in sets.values()]
        shares = [(each.on, each.near, each.far) for each in of_sets]
        means = [
            sum(100 * (value or 0.0) for value in column) / len(column)
            for column in zip(*shares, strict=True)
        ]
        told = (" / ".join(f"{100 * (value or 0.0):.0f}" for value in each) for each in shares)
        mean = " / ".join(f"{value:.0f}" for value in means)
        rows.append((f"below {one.threshold:.2f}", *told, f"**{mean}**"))
    said = "Questions whose nearest chunk is below a cosine, on topic / near / far, %:"
    return said, table(("", *sets, "mean"), rows)


def _row(name: str, one: SideFigures) -> tuple[str, ...]:
    outcome = one.outcome
    missed, refused = _share(outcome.on, "none"), _refused(one)
    precision = refused / (refused + missed) if refused + missed else None
    return (
        name,
        *(_levels(of) for of in (outcome.on, outcome.near, outcome.far)),
        *(_number(value) for value in (one.auroc_near, one.auroc_far, precision, refused)),
        f"{one.in_hand} of {outcome.on.none}",
    )


def _refused(one: SideFigures) -> float:
    return (_share(one.outcome.far, "none") + _share(one.outcome.near, "none")) / 2


def _share(levels: Levels, level: str) -> float:
    return float(getattr(levels, level)) / max(1, levels.total)


def _levels(one: Levels) -> str:
    return " / ".join(f"{100 * _share(one, name):.0f}" for name in ("grounded", "weak", "none"))


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _trust(sides: Any, level: str) -> str:
    kinds = [
        sum(_share(getattr(one.outcome, kind), level) for one in sides.values())
        for kind in ("on", "near", "far")
    ]
    whole = 2 * kinds[0] + kinds[1] + kinds[2]
    return f"{2 * kinds[0] / whole:.2f}" if whole else "–"
