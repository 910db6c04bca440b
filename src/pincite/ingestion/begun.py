"""Files that were read and are being cut, and those of which a first average length is taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pincite.ingestion.analysis import Pending
from pincite.ingestion.read import ReadFile
from pincite.sources import Entry


@dataclass(frozen=True, slots=True)
class Begun:
    """A file that was read, when, and what it is being cut into."""

    entry: Entry
    file: ReadFile
    read_ns: int
    pending: Pending


@dataclass(frozen=True, slots=True)
class Sample:
    """The average length of some files, and those whose analysis need not be done again."""

    average_length: float
    begun: Mapping[str, Begun] = field(default_factory=dict)
