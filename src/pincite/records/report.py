"""Reports of writing and deleting records."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from pincite.ingestion.batch import Batch
from pincite.ingestion.report import IngestReport
from pincite.model import DocumentRecord

MOST_NAMED = 100  # failures that a report names


@dataclass(frozen=True, slots=True)
class RecordFailure:
    """A record that was left out. `position` counts those that were given from 1, or is a line of a
    file; 0 for one of an earlier run. `hint` says what to do, where that is known."""

    id: str
    position: int
    code: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class UpsertProgress:
    """How far a run is, in records. `chunks` were written, `id` is the last one. `stage` is `write`
    or `weigh`, of which `total` chunks are to be weighed."""

    stage: str
    done: int
    failed: int = 0
    chunks: int = 0
    id: str = ""
    total: int = 0


@dataclass(frozen=True, slots=True)
class UpsertReport:
    """What became of the records that were given: each is `written` (new or changed), `rewritten`
    (its attributes alone changed, nothing was embedded), `unchanged`, or failed. `failed` names the
    first hundred of these. `resumed` are records of an earlier run that had been cut off."""

    collection: str
    source: str
    written: int = 0
    rewritten: int = 0
    unchanged: int = 0
    resumed: int = 0
    failed: tuple[RecordFailure, ...] = ()
    failed_count: int = 0
    chunks: int = 0
    duration_s: float = 0.0


@dataclass(frozen=True, slots=True)
class DeleteReport:
    """What was deleted. `missing` names the first hundred of the ids that are not there."""

    collection: str
    source: str
    deleted: int = 0
    missing: tuple[str, ...] = ()
    missing_count: int = 0
    duration_s: float = 0.0


class Counts(IngestReport):
    """What one batch did: documents that are written, and paths that were left out and why."""

    written: list[DocumentRecord] = msgspec.field(default_factory=list)
    left_out: list[tuple[str, str, str]] = msgspec.field(default_factory=list)

    def count(self, batch: Batch, known: object, removed: object, kept: object = ()) -> None:  # noqa: ARG002
        """See IngestReport."""
        self.written += [one.record for one in batch.documents]
        self.left_out += [(one.path, one.code, one.detail) for one in batch.skipped]
