"""Select the text around each result: the passage within a readable part of its file."""

from pincite.stages.context.config import Around, ContextConfig
from pincite.stages.context.show import Shown, context

__all__ = ["Around", "ContextConfig", "Shown", "context"]
