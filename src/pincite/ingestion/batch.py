"""What goes through the write path: documents that are ready for their vectors, in batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pincite.model import AttributeType, DocumentRecord, Point

BATCH_CHUNKS = 256  # two cores idle for less than 1 % of the time at the end of such a batch


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document that only lacks its dense vectors. `texts` are what the encoders read of each of
    its points, in order, `new` the types of attributes that the collection has not had before.
    `revision` stands in for that of the record as long as a point lacks its dense vector."""

    record: DocumentRecord
    points: tuple[Point, ...]
    texts: tuple[str, ...]
    revision: str = ""
    new: Mapping[str, AttributeType] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that was opened and left out; `code` is `failed` for those that went wrong."""

    path: str
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """Whole documents. `position` counts the files that have been read so far, `path` is the last
    one."""

    documents: tuple[Prepared, ...]
    skipped: tuple[SkippedFile, ...]
    position: int
    path: str

    @property
    def new(self) -> Mapping[str, tuple[AttributeType, str]]:
        """Types of attributes that the collection has not had before, and where they were seen."""
        found: dict[str, tuple[AttributeType, str]] = {}
        for one in self.documents:
            for name, kind in one.new.items():
                found.setdefault(name, (kind, one.record.path))
        return found
