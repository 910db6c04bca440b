"""Search all collections concurrently, each with its own encoders.

Names are imported when they are first used, because a profile needs only the settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.support.late_names import late_names

if TYPE_CHECKING:
    from pincite.stages.retrieve.ask import Retrieved, retrieve
    from pincite.stages.retrieve.config import RetrieveConfig, SearchMode

if not TYPE_CHECKING:  # type checkers would take it for any name
    __getattr__ = late_names(
        __name__,
        {
            "pincite.stages.retrieve.ask": "Retrieved retrieve",
            "pincite.stages.retrieve.config": "RetrieveConfig SearchMode",
        },
    )

__all__ = ["RetrieveConfig", "Retrieved", "SearchMode", "retrieve"]
