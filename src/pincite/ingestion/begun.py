"""Files that were read and are being cut."""

from __future__ import annotations

import msgspec

from pincite.ingestion.analysis.analyse import Pending
from pincite.ingestion.read import ReadFile
from pincite.sources import Entry


class Begun(msgspec.Struct, frozen=True):
    """A file with the time of its reading, and its pending analysis."""

    entry: Entry
    file: ReadFile
    read_ns: int
    pending: Pending
