"""Ask every collection, each with its own encoders, all at once."""

from pincite.stages.retrieve.ask import RetrieveConfig, Retrieved, SearchMode, retrieve

__all__ = [
    "RetrieveConfig",
    "Retrieved",
    "SearchMode",
    "retrieve",
]
