"""Rerank the best candidates, if a reranker is configured.

Names are imported when they are first used, because a profile needs only the settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.support.late_names import late_names

if TYPE_CHECKING:
    from pincite.stages.rerank.config import MOST_JUDGED, RerankConfig
    from pincite.stages.rerank.rank import judge, rerank
    from pincite.stages.rerank.texts import document, instruction_hash

if not TYPE_CHECKING:  # type checkers would take it for any name
    __getattr__ = late_names(
        __name__,
        {
            "pincite.stages.rerank.config": "MOST_JUDGED RerankConfig",
            "pincite.stages.rerank.rank": "judge rerank",
            "pincite.stages.rerank.texts": "document instruction_hash",
        },
    )

__all__ = ["MOST_JUDGED", "RerankConfig", "document", "instruction_hash", "judge", "rerank"]
