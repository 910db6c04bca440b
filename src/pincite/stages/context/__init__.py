"""What is shown of a file for each result: the passage within what a person would read."""

from pincite.stages.context.config import Around, ContextConfig
from pincite.stages.context.show import Shown, context

__all__ = ["Around", "ContextConfig", "Shown", "context"]
