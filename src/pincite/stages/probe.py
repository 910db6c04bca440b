"""Is anything near what is asked? One look at the single nearest chunk of each collection."""

from __future__ import annotations

from dataclasses import dataclass

from pincite.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ProbeConfig:
    """`enabled`: look at the nearest chunk before anything else is searched. `threshold`: its
    cosine, from which on the question is on topic; an equal value passes."""

    enabled: bool = False
    threshold: float = 0.3

    def __post_init__(self) -> None:
        if not -1 <= self.threshold <= 1:
            raise ConfigError(f"threshold is {self.threshold}; a cosine is from -1 to 1")
