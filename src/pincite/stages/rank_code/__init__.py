"""Rank passages of code by their files: see `rank.rank_code`."""

from pincite.stages.rank_code.rank import RankCodeConfig, rank_code

__all__ = ["RankCodeConfig", "rank_code"]
