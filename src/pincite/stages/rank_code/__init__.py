"""Rank passages of code by their files: see `rank.rank_code`."""

from pincite.stages.rank_code.bare import known_bare
from pincite.stages.rank_code.definitions import names_of
from pincite.stages.rank_code.paths import place_of
from pincite.stages.rank_code.rank import RankCodeConfig, rank_code
from pincite.stages.rank_code.words import vocabulary_of

__all__ = ["RankCodeConfig", "forget", "rank_code"]


def forget() -> None:
    """Clear the caches of names, paths and texts."""
    for known in (known_bare, names_of, place_of, vocabulary_of):
        known.cache_clear()
