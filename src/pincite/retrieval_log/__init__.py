"""The retrieval log: one line of JSON per search, enough to ask again and to see what changed.

It lies in the index folder, which only its user can read and which holds all the text that is
indexed anyway. It holds questions, ids, scores and settings; never the text of a chunk.
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
