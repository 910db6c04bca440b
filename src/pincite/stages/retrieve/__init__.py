"""Search all collections concurrently, each with its own encoders."""

from pincite.stages.retrieve.ask import RetrieveConfig, Retrieved, SearchMode, retrieve

__all__ = [
    "RetrieveConfig",
    "Retrieved",
    "SearchMode",
    "retrieve",
]
