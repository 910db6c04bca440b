"""Results that are relevant and differ from each other: maximal marginal relevance (MMR).

Carbonell and Goldstein (1998), The Use of MMR, Diversity-Based Reranking for Reordering Documents
and Producing Summaries: next is `argmax lambda * rel - (1 - lambda) * max cos` over what is left,
where the maximum is over what was taken.
"""

from __future__ import annotations

from dataclasses import dataclass

from pincite.errors import ConfigError


@dataclass(frozen=True, slots=True)
class DiversifyConfig:
    """`enabled`: choose by MMR. `fetch`: among so many of the best by cosine. `relevance`: the
    lambda, 1 for relevance alone, 0 for difference alone."""

    enabled: bool = False
    fetch: int = 20
    relevance: float = 0.5

    def __post_init__(self) -> None:
        if self.fetch < 1:
            raise ConfigError(f"fetch is {self.fetch}; it takes 1 or more")
        if not 0 <= self.relevance <= 1:
            raise ConfigError(f"relevance is {self.relevance}; it is from 0 to 1")
