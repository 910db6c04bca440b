"""Thresholds into `pincite.toml`, beside what stands there, with where they come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pincite.errors import UsageError
from pincite.evals.calibrate import Calibration, SignalCalibration, as_table
from pincite.evals.golden import write_whole
from pincite.evals.needs import need
from pincite.evals.refusal import Refusal
from pincite.settings import load_settings


def write_thresholds(path: Path, found: Calibration, created: str) -> tuple[str, ...]:
    """Set the thresholds of every signal that has some in the profile, marked as calibrated, unless
    those were better; each table says in a comment what it was learned from. The rest of the file
    stays as it is. Returns the names of the fields. Raises UsageError for a file that is no
    profile; then nothing has been written."""
    tomlkit = need("tomlkit")
    tables = as_table(found)
    if not tables:
        raise UsageError(
            "no thresholds are written: by cross-validation none is as good as what is there",
            hint="a golden set with more off-topic questions gives better ones",
        )
    text = ""
    if path.exists():
        load_settings({"PINCITE_CONFIG": str(path)}, path.parent)  # names what is wrong with it
        text = path.read_text(encoding="utf-8")
    document: Any = tomlkit.parse(text)
    gate = document.setdefault("gate", tomlkit.table())
    by_field = {one.field: one for one in found.signals}
    for name, thresholds in tables.items():
        table = tomlkit.table()
        for line in _evidence(by_field[name], found, created):
            table.add(tomlkit.comment(line))
        table["grounded_at"] = round(thresholds.grounded_at, 4)
        table["weak_at"] = round(thresholds.weak_at, 4)
        table["calibrated"] = True
        gate[name] = table
    write_whole(path, tomlkit.dumps(document))
    return tuple(tables)


def _evidence(one: SignalCalibration, found: Calibration, created: str) -> list[str]:
    lines = [
        f"learned {created} on {found.golden} ({found.golden_fingerprint}):"
        f" {found.on_topic} questions on topic, {found.off_topic} off topic, AUROC {one.auroc:.3f}",
        f"refusals, {found.folds}-fold cross-validation: {_shares(one.validated)}",
    ]
    if one.uncalibrated is not None and one.uncalibrated_at is not None:
        lines.append(f"before, at {one.uncalibrated_at.weak_at}: {_shares(one.uncalibrated)}")
    return [*lines, *found.notes]


def _shares(refusal: Refusal) -> str:
    def text(value: float | None) -> str:
        return "none" if value is None else f"{value:.2f}"

    return f"precision {text(refusal.precision)}, recall {text(refusal.recall)}"
