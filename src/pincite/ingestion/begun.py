"""Files that were read and are being cut, and samples for a first average length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pincite.ingestion.analysis import Pending
from pincite.ingestion.read import ReadFile
from pincite.sources import Entry


@dataclass(frozen=True, slots=True)
class Begun:
    """A file with the time of its reading, and its pending analysis."""

    entry: Entry
    file: ReadFile
    read_ns: int
    pending: Pending


@dataclass(frozen=True, slots=True)
class Sample:
    """The average length of some files, and the analyses that need not be repeated."""

    average_length: float
    begun: Mapping[str, Begun] = field(default_factory=dict)
