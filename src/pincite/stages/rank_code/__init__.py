"""Rank passages of code by their files: see `rank.rank_code`.

Names are imported when they are first used, because a profile needs only the weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.support.late_names import late_names

if TYPE_CHECKING:
    from pincite.stages.rank_code.config import RankCodeConfig
    from pincite.stages.rank_code.definitions import defining
    from pincite.stages.rank_code.rank import forget, rank_code

if not TYPE_CHECKING:  # type checkers would take it for any name
    __getattr__ = late_names(
        __name__,
        {
            "pincite.stages.rank_code.config": "RankCodeConfig",
            "pincite.stages.rank_code.definitions": "defining",
            "pincite.stages.rank_code.rank": "forget rank_code",
        },
    )

__all__ = ["RankCodeConfig", "defining", "forget", "rank_code"]
