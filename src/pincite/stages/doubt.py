"""Lower a verdict if a word of the question occurs nowhere in the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.support.fields import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pincite.model import Gated, Verdict
    from pincite.stages.gate import GateConfig

_MOST_NAMED = 3  # absent words in a reason


def may_doubt(verdict: Verdict, config: GateConfig) -> bool:
    """Return whether `doubt` would lower this verdict if a word were absent.

    Only `grounded` by a coverage below the limit of its kind is lowered. Calibrated thresholds come
    from questions about this corpus, so they are kept."""
    by_coverage = verdict.signal == "coverage" and not verdict.calibrated
    return verdict.level == "grounded" and by_coverage and verdict.value < _least(verdict, config)


def doubt(gated: Gated, absent: Sequence[str], config: GateConfig) -> Gated:
    """Return `gated` with the verdict `weak` if the index lacks words of the question, those in
    `absent`, and the verdict is one of `may_doubt`. Figures: docs/decisions/0080."""
    verdict = gated.verdict
    if not absent or not may_doubt(verdict, config):
        return gated
    least = _least(verdict, config)
    named = ", ".join(f"“{one}”" for one in absent[:_MOST_NAMED])
    verb = "occurs" if len(absent) == 1 else "occur"
    reason = (
        f"The coverage of the best passage is {verdict.value:.2f}, below {least:.2f}, and"
        f" {named} {verb} nowhere: it may be about something else."
    )
    return replace(gated, verdict=replace(verdict, level="weak", grounded_at=least, reason=reason))


def _least(verdict: Verdict, config: GateConfig) -> float:
    return config.absent_share if verdict.kind == "share" else config.absent_normalised
