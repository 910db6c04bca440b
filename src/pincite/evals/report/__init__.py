"""Reports of runs: a single HTML file, Markdown, JSON."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pincite.errors import UsageError
from pincite.evals.analysis.calibrate import Calibration, calibrate
from pincite.evals.analysis.compare import Comparison, compare
from pincite.evals.analysis.measures import VERDICT
from pincite.evals.analysis.summary import Summary, summarise
from pincite.evals.report.calibration import calibration_table
from pincite.evals.report.html import is_page, page
from pincite.evals.report.tables import comparison_table, summary_table
from pincite.evals.run.results import Run

_HEADING = "# Retrieval on "
_COMPARED = ("nDCG@10", "R@10", "RR@12", VERDICT)


def render(runs: Sequence[Run], form: str, names: Sequence[str]) -> str:
    """Return the report of one or several runs as `html`, `md` or `json`. The other runs are
    compared with the first one. Raises UsageError for runs without a question in common."""
    summaries = [summarise(run, names) for run in runs]
    comparison = compare(runs[0], runs[1:], _COMPARED) if len(runs) > 1 else None
    calibrations = [_calibration(run) for run in runs]
    if form == "html":
        return page(runs, summaries, comparison, calibrations)
    if form == "json":
        value = {
            "stamps": [run.stamp for run in runs],
            "summaries": summaries,
            "comparison": comparison,
            "calibrations": calibrations,
        }
        return msgspec.json.format(msgspec.json.encode(value), indent=1).decode() + "\n"
    return _markdown(runs, summaries, comparison, calibrations)


def is_report(text: str) -> bool:
    """Return whether this is the text of an earlier report, in any of its forms."""
    if text.startswith(_HEADING) or is_page(text):
        return True
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return isinstance(found, dict) and {"stamps", "summaries"} <= found.keys()


def _calibration(run: Run) -> Calibration | None:
    """Return the calibration, None with too few questions to learn from."""
    try:
        return calibrate(run)
    except UsageError:
        return None


def _markdown(
    runs: Sequence[Run],
    summaries: Sequence[Summary],
    comparison: Comparison | None,
    calibrations: Sequence[Calibration | None],
) -> str:
    parts = [f"{_HEADING}{runs[0].stamp.golden}"]
    if comparison is not None:
        parts += ["## Runs compared", comparison_table(comparison, 0)]
    for run, summary, found in zip(runs, summaries, calibrations, strict=True):
        parts.append(summary_table(summary))
        if found is not None:
            parts += ["### Thresholds of the verdict", calibration_table(found)]
        parts.append(_taken(run))
    return "\n\n".join(parts) + "\n"


def _taken(run: Run) -> str:
    stamp = run.stamp
    indexed = "; ".join(
        f"{one.name}: {one.documents:,} documents, {one.chunks:,} chunks, contents {one.contents}"
        for one in stamp.collections
    )
    return (
        f"Taken {stamp.created} with Pincite {stamp.pincite}, profile {stamp.profile_fingerprint},"
        f" golden set {stamp.golden} ({stamp.golden_fingerprint}); {indexed}."
    )
