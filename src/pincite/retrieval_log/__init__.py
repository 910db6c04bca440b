"""The retrieval log: one line of JSON per search, which is enough to repeat it and to see changes.

It is in the index folder, which only its user can read and which has all indexed text anyway. It
has questions, ids, scores and settings; never the text of a chunk.
"""

from pincite.retrieval_log.compare import Difference, ItemChange, Replay, compare
from pincite.retrieval_log.event import (
    Asked,
    CollectionState,
    Event,
    Failure,
    Found,
    RerankState,
    Shown,
    found_by,
)
from pincite.retrieval_log.files import LogFiles
from pincite.retrieval_log.reading import events, find_event
from pincite.retrieval_log.recorder import Entry, Recorder, file_recorder

__all__ = [
    "Asked",
    "CollectionState",
    "Difference",
    "Entry",
    "Event",
    "Failure",
    "Found",
    "ItemChange",
    "LogFiles",
    "Recorder",
    "Replay",
    "RerankState",
    "Shown",
    "compare",
    "events",
    "file_recorder",
    "find_event",
    "found_by",
]
