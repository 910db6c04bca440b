"""Select the text around each result: the passage within a readable part of its file.

Names are imported when they are first used, because a profile needs only the settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.support.late_names import late_names

if TYPE_CHECKING:
    from pincite.stages.context.config import Around, ContextConfig
    from pincite.stages.context.show import Shown, context

if not TYPE_CHECKING:  # type checkers would take it for any name
    __getattr__ = late_names(
        __name__,
        {
            "pincite.stages.context.config": "Around ContextConfig",
            "pincite.stages.context.show": "Shown context",
        },
    )

__all__ = ["Around", "ContextConfig", "Shown", "context"]
