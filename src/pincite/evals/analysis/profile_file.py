"""Write learned thresholds into `pincite.toml`, with comments on their origin, and keep its other
content."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pincite.errors import UsageError
from pincite.evals.analysis.calibrate import (
    LEAST,
    MORE,
    Calibration,
    SignalCalibration,
    as_table,
    deciding,
)
from pincite.evals.analysis.refusal import Outcome
from pincite.evals.extra import need
from pincite.evals.golden.questions import write_whole
from pincite.evals.report.calibration import shares
from pincite.settings.load import load_settings
from pincite.stages.gate import GateConfig, RerankedThresholds, Thresholds
from pincite.support.fields import replace


def write_thresholds(path: Path, found: Calibration, created: str) -> tuple[str, ...]:
    """Set the thresholds of all signals in the profile, marked as calibrated, unless the current
    ones are better.

    A comment in each table names the golden set, and for a reranker its fingerprint. The rest of
    the file is unchanged. Returns the names of the fields. Raises UsageError for an invalid
    profile, with fewer than LEAST off-topic questions, and if no verdict would go by one of the
    pairs; then nothing is written.
    """
    tomlkit = need("tomlkit")
    if found.far + found.near < LEAST:
        raise UsageError(
            f"no thresholds were written: they need {LEAST} off-topic questions, but"
            f" {found.golden} has {found.far} far and {found.near} near",
            hint=MORE,
        )
    tables = as_table(found)
    if not tables:
        raise UsageError(
            "no thresholds were written: in cross-validation, none is better than the current ones",
            hint=MORE if found.near < LEAST else "add more questions of each kind",
        )
    text, config = "", GateConfig()
    if path.exists():  # raises an error that names the fault
        config = load_settings({"PINCITE_CONFIG": str(path)}, path.parent).profile.gate
        text = path.read_text(encoding="utf-8")
    _require_effect(path, found, config, tables)
    document: Any = tomlkit.parse(text)
    gate = _gate_of(document)
    by_field = {one.field: one for one in found.signals}
    for name, thresholds in tables.items():
        table = tomlkit.table()
        for line in _evidence(by_field[name], found, created):
            table.add(tomlkit.comment(line))
        table["grounded_at"] = round(thresholds.grounded_at, 4)
        table["weak_at"] = round(thresholds.weak_at, 4)
        table["calibrated"] = True
        if isinstance(thresholds, RerankedThresholds):
            table["reranker"] = thresholds.reranker
        if name in gate and not isinstance(gate[name], tomlkit.items.Table):
            del gate[name]  # a table in its place would take the keys that follow
        gate[name] = table
    write_whole(path, tomlkit.dumps(document))
    return tuple(tables)


def _gate_of(document: Any) -> Any:
    """Return the table of the gate, to which tables can be added. If it is written within a line
    or as dotted keys, it moves to the end of the document."""
    tomlkit = need("tomlkit")
    dotted = any(key and key.key == "gate" and key.is_dotted() for key, _ in document.body)
    given = document.get("gate", {})
    if "gate" in document and not dotted and not isinstance(given, tomlkit.items.InlineTable):
        return given
    document.pop("gate", None)
    document["gate"] = tomlkit.table()
    for name, value in given.items():
        document["gate"][name] = value
    return document["gate"]


def _require_effect(
    path: Path, found: Calibration, gate: GateConfig, tables: Mapping[str, Thresholds]
) -> None:
    """Raise UsageError if verdicts with this gate go by none of the learned thresholds."""
    after = deciding(found, replace(gate, **tables))
    if not after or after & tables.keys():
        return
    signals = dict.fromkeys(name.partition("_")[0] for name in tables)
    others = " or ".join(f'gate.signal = "{name}"' for name in signals)
    raise UsageError(
        f"no thresholds were written: verdicts go by {' and '.join(sorted(after))}"
        f" (gate.signal is {gate.signal!r}), whose current thresholds are better than the learned"
        f" ones, so those of {' and '.join(tables)} would change none",
        hint=f"set {others} in {path}, or add more questions of each kind",
    )


def _evidence(one: SignalCalibration, found: Calibration, created: str) -> list[str]:
    parted = ", ".join(f"{kind} {value:.3f}" for kind, value in one.auroc.items())
    lines = [
        f"learned {created} on {found.golden} ({found.golden_fingerprint}): {found.on_topic}"
        f" questions on topic, {found.far} far off topic, {found.near} near; AUROC {parted}",
        f"grounded / weak / none in %, {found.folds}-fold cross-validation: {_all(one.validated)}",
    ]
    if one.uncalibrated is not None and one.uncalibrated_at is not None:
        at = one.uncalibrated_at
        lines.append(f"before, at {at.grounded_at} and {at.weak_at}: {_all(one.uncalibrated)}")
    return [*lines, *found.notes]


def _all(outcome: Outcome) -> str:
    kinds = ("on topic", outcome.on), ("far", outcome.far), ("near", outcome.near)
    return ", ".join(f"{name} {shares(levels)}" for name, levels in kinds if levels.total)
