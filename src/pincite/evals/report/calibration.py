"""Show learned thresholds beside those of the profile."""

from __future__ import annotations

from pincite.evals.analysis.calibrate import Calibration, as_table
from pincite.evals.analysis.refusal import Levels, Outcome, Refusal
from pincite.evals.report.tables import table
from pincite.stages.gate import Thresholds

HEAD = (
    *("signal", "thresholds", "weak_at", "grounded_at"),
    *("on topic", "far", "near", "refusals of far", "of near"),
    *("AUROC far, near", "weak_at of the folds"),
)


def calibration_table(found: Calibration) -> str:
    """Return every signal, learned and current, as Markdown."""
    notes = "".join(f"\n\n> {note}" for note in found.notes)
    return f"{table(HEAD, calibration_rows(found))}\n\n{explained(found)}{notes}"


def calibration_rows(found: Calibration) -> list[tuple[str, ...]]:
    """Return two rows for each signal: the learned thresholds, and those of the profile."""
    good = as_table(found)
    rows = []
    for one in found.signals:
        name = "learned" if one.field in good else "learned, worse"
        chosen = f"{one.chosen[0]:.3f}..{one.chosen[1]:.3f}"
        parted = ", ".join(f"{value:.3f}" for value in one.auroc.values())
        name = name if one.field else "learned, not in the profile"
        rows.append((one.signal, name, *_at(one.learned), *_levels(one.validated), parted, chosen))
        if one.uncalibrated and one.uncalibrated_at:
            rows.append(("", *_own(one.uncalibrated, one.uncalibrated_at), "", ""))
    return rows


def explained(found: Calibration) -> str:
    """Explain the shares in the rows."""
    return (
        f"Shares that are grounded / weak / none, in %: {found.on_topic} questions on topic,"
        f" {found.far} far off topic, {found.near} near. Refusals, the verdicts `none`, with their"
        " precision and recall. Those of learned thresholds by cross-validation,"
        f" {found.folds} folds, {found.repeats} times."
    )


def shares(one: Levels) -> str:
    """Format `12 / 33 / 55`, in per cent; a dash without questions."""
    if not one.total:
        return "–"
    return " / ".join(
        f"{count / one.total:.0%}"[:-1] for count in (one.grounded, one.weak, one.none)
    )


def _own(outcome: Outcome, at: Thresholds) -> tuple[str, ...]:
    return ("calibrated before" if at.calibrated else "the profile's", *_at(at), *_levels(outcome))


def _at(at: Thresholds) -> tuple[str, str]:
    return f"{at.weak_at:.3f}", f"{at.grounded_at:.3f}"


def _levels(outcome: Outcome) -> tuple[str, ...]:
    levels = shares(outcome.on), shares(outcome.far), shares(outcome.near)
    return (*levels, _refusals(outcome.far_refusal), _refusals(outcome.near_refusal))


def _refusals(one: Refusal) -> str:
    """Format precision and recall; a dash for an empty denominator."""
    return " / ".join(
        "–" if share is None else f"{share:.2f}" for share in (one.precision, one.recall)
    )
