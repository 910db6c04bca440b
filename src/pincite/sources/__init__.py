"""Sources of documents: folders, git checkouts, archives, single files and stored records."""

from pincite.sources.entries import (
    Entry,
    OpenSource,
    Selection,
    SkipCode,
    Skipped,
    SourceLimits,
    UnreadableFile,
)
from pincite.sources.kinds import reject_content
from pincite.sources.open_source import open_source

__all__ = [
    "Entry",
    "OpenSource",
    "Selection",
    "SkipCode",
    "Skipped",
    "SourceLimits",
    "UnreadableFile",
    "open_source",
    "reject_content",
]
