"""The scores of candidates on the scales that the ranking of files needs, all in 0..1."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pincite.model import Candidate, Signal

_EQUAL = 1e-6  # relative difference below which scores are equal; rounding errors are smaller


class Scores(NamedTuple):
    """The numbers of each candidate, in the order of the candidates."""

    collections: tuple[str, ...]
    ranks: tuple[float, ...]
    sparse: tuple[Signal | None, ...]
    dense: tuple[Signal | None, ...]
    fused: tuple[Signal | None, ...]

    @classmethod
    def of(cls, candidates: Sequence[Candidate]) -> Scores:
        """Collect the signals of the candidates, reading each once."""
        named = [{signal.name: signal for signal in one.signals} for one in candidates]
        return cls(
            tuple(one.collection for one in candidates),
            tuple(one.rank_signal.value for one in candidates),
            tuple(one.get("sparse") for one in named),
            tuple(one.get("dense") for one in named),
            tuple(one.get("fused") for one in named),
        )

    def shares(self, words_power: float, partial: Mapping[str, float]) -> list[float]:
        """Return the scores divided by the highest one.

        Fusion has stretched the scores of keyword search alone, so that the last one would count
        nothing: see `_unstretched`. One rare word can put a passage far ahead there. An exponent
        reduces this lead, less so the more chunks of a collection have a vector.
        """
        by_words = all(self.sparse) and not any(self.dense)
        values = self._unstretched() if by_words else self.ranks
        lowest = min(0.0, *values)
        top = max(values) - lowest or 1.0
        powers = {
            name: share + (1 - share) * words_power
            for name in set(self.collections)
            for share in (0.0 if by_words else partial.get(name, 1.0),)
        }
        return [
            ((value - lowest) / top) ** powers[name]
            for value, name in zip(values, self.collections, strict=True)
        ]

    def _unstretched(self) -> list[float]:
        """Return the scores of keyword search alone on a scale where no word gives 0. Fusion had
        moved the lowest score to 0. Later changes of a score (smoothing, the weight of a
        collection) are kept."""
        words, fused = self._values(self.sparse), self._values(self.fused)
        of: dict[str, list[tuple[float, float]]] = defaultdict(list)
        pairs = list(zip(words, fused, strict=True))
        for name, pair in zip(self.collections, pairs, strict=True):
            of[name].append(pair)
        together = _slope(pairs)
        slopes = {name: _slope(own, together) for name, own in of.items()}
        return [
            rank - by_fusion + slopes[name] * by_words
            for name, rank, (by_words, by_fusion) in zip(
                self.collections, self.ranks, pairs, strict=True
            )
        ]

    def _values(self, signals: Sequence[Signal | None]) -> list[float]:
        return [
            rank if signal is None else signal.value
            for rank, signal in zip(self.ranks, signals, strict=True)
        ]

    def adding(self, dense: float, partial: Mapping[str, float]) -> list[float]:
        """Return one number for each candidate, from both sides' scores over their range. Empty if
        the sides are unknown.

        The words weigh more here than for single passages of prose, because they tell better than
        one vector which file is meant. While embeddings are being computed, only the words count: a
        sum over passages with and without a vector would measure the progress of the embedding.
        """
        if not any(self.sparse):
            return []
        weight = dense if any(self.dense) else 0.0
        weights = [0.0 if name in partial else weight for name in self.collections]
        sides = (_over_range(self.dense), _over_range(self.sparse, 0.0))
        mixed = [
            share * by_meaning + (1 - share) * by_word
            for share, by_meaning, by_word in zip(weights, *sides, strict=True)
        ]
        top = max(mixed) or 1.0
        return [value / top for value in mixed]

    def words(self) -> list[float]:
        """Return the keyword scores divided by the highest one. Empty if only one side found the
        candidates."""
        both = any(self.sparse) and any(self.dense)
        return _over_range(self.sparse, 0.0) if both else []


def _slope(pairs: Sequence[tuple[float, float]], known: float | None = None) -> float:
    """Return the fused score per unit of keyword score. If the scores do not differ, it is `known`,
    the value for all collections."""
    (low, least), (high, most) = min(pairs), max(pairs)
    if high - low > _EQUAL * abs(high) and most > least:
        return (most - least) / (high - low)
    if known is not None:
        return known
    return most / high if high > 0 else 1.0


def _over_range(signals: Sequence[Signal | None], lowest: float | None = None) -> list[float]:
    known = [signal.value for signal in signals if signal is not None] or [0.0]
    low, high = min(known) if lowest is None else min(lowest, *known), max(known)
    width = high - low or 1.0
    return [0.0 if signal is None else (signal.value - low) / width for signal in signals]
