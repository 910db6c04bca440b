"""TEMPORARY gate of the lead, to be replaced by the measured one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.model import Candidate, Gated, Verdict


@dataclass(frozen=True, slots=True)
class GateConfig:
    """One threshold."""

    grounded_at: float = 0.4
    weak_at: float = 0.2


def gate(candidates: Sequence[Candidate], config: GateConfig) -> Gated:
    best = max((s.value for c in candidates if (s := c.signal("dense") or c.signal("sparse"))), default=0.0)
    level = (
        "grounded" if best >= config.grounded_at else "weak" if best >= config.weak_at else "none"
    )
    return Gated(
        tuple(candidates),
        Verdict(
            level,
            "dense",
            "cosine",
            best,
            config.grounded_at,
            config.weak_at,
            False,
            f"best dense {best:.2f}",
        ),
    )  # type: ignore[arg-type]
