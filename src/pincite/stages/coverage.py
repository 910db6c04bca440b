"""How much of the question does a candidate cover? A signal with a scale, for the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from types import MappingProxyType
from typing import TYPE_CHECKING

from pincite.errors import ConfigError
from pincite.model import Chunk, Signal

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from pincite.model import Candidate


@dataclass(frozen=True, slots=True)
class CoverageConfig:
    """`candidates`: how many of the best are looked at. `word_weight`: what the words weigh
    where the cosine, which weighs 1, is known.

    AUROC of on-topic against off-topic questions, mean of ten tasks: words alone .941, best
    cosine alone .991, cosine + w words .994 (w = 1), .995 (0.5); product .994, maximum .983.
    Questions whose answers were taken out of the corpus, mean of seven: .685, .675, .727, .725,
    product .720. 5 candidates, 10 or 1 make no difference (.941, .940, .943). Words that weigh
    by their rarity: near questions .744 to .765, mean of nine sets, far ones .999 as before
    (docs/decisions/0024).
    """

    candidates: int = 5
    word_weight: float = 0.5

    def __post_init__(self) -> None:
        if self.candidates < 1:
            raise ConfigError(f"coverage.candidates is {self.candidates}; it must be at least 1")
        if self.word_weight < 0:
            raise ConfigError(f"coverage.word_weight is {self.word_weight}; it must be 0 or more")


def cover(
    question: str,
    candidates: Sequence[Candidate],
    terms: Callable[[str], frozenset[str]],
    config: CoverageConfig,
    foreign: frozenset[str] = frozenset(),
    before: Sequence[Candidate] = (),
    rarity: Mapping[str, Mapping[str, float]] = MappingProxyType({}),
    partial: Collection[str] = frozenset(),
) -> tuple[Candidate, ...]:
    """The candidates in their order, the best few with the signal `coverage`. `before` are the same
    ones in the order that they had before a reranker: the best few of these get it as well, so
    that a reranker lowers no verdict that is judged on it.

    `terms` gives the informative words of a text, without function words. With the share of the
    question's words that a candidate has (0 for a question without any), each weighing what
    `rarity` says of it in the collection, or all alike where it says nothing, the signal is

        share                              kind `share`, where no cosine is known
        (cosine + w share) / (1 + w)       kind `normalised`, negative cosines counting as 0

    Both lie in 0..1. In collections named in `foreign` the dense model does not know the
    language: its cosines rank somewhat, but their size means nothing (AUROC on Chinese .64, of
    the words .95), so only the words count. A candidate that only another wording of the question
    found has no cosine where others have one, and gets no signal; but for collections named in
    `partial`, where it may have no vector yet: there it has the share.
    """
    asked = terms(question)
    by_meaning = {one.collection for one in candidates if one.signal("dense") is not None}
    by_meaning.difference_update(partial)
    ahead = {(one.collection, one.chunk.id) for one in before[: config.candidates]}
    return tuple(
        one.with_signal(_coverage(one, asked, terms, config, foreign, rarity))
        if (place < config.candidates or (one.collection, one.chunk.id) in ahead)
        and (one.collection not in by_meaning or one.signal("dense") is not None)
        else one
        for place, one in enumerate(candidates)
    )


def _coverage(
    candidate: Candidate,
    asked: frozenset[str],
    terms: Callable[[str], frozenset[str]],
    config: CoverageConfig,
    foreign: frozenset[str],
    rarity: Mapping[str, Mapping[str, float]],
) -> Signal:
    weights = rarity.get(candidate.collection, {})
    share = _share(asked, asked & terms(_text(candidate.chunk)), weights)
    dense = candidate.signal("dense")
    if dense is None or dense.kind != "cosine" or candidate.collection in foreign:
        return Signal("coverage", "share", share)
    weight = config.word_weight
    value = (min(1.0, max(0.0, dense.value)) + weight * share) / (1 + weight)
    return Signal("coverage", "normalised", value)


def _share(asked: frozenset[str], found: frozenset[str], weights: Mapping[str, float]) -> float:
    """How much of what is asked is found, 0..1. Sums are exact, in whatever order."""
    whole = fsum(weights.get(term, 1.0) for term in asked)
    return fsum(weights.get(term, 1.0) for term in found) / whole if whole else 0.0


def _text(chunk: Chunk) -> str:
    """All words that the chunk was indexed with."""
    return "\n".join((chunk.title, *chunk.headings, *chunk.symbols, chunk.read_as))
