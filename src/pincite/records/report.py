"""Reports of writing and deleting records."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from pincite.ingestion.batch import Batch
from pincite.ingestion.report import IngestReport
from pincite.model import DocumentRecord

MOST_NAMED = 100  # failures named in a report


@dataclass(frozen=True, slots=True)
class RecordFailure:
    """A record that was left out. `position` counts the given records from 1, or is a line or row
    of a file; 0 for a record of an earlier run. `hint` says what to do, if known."""

    id: str
    position: int
    code: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class UpsertProgress:
    """The progress of a run, in records. `chunks` is the number written so far, `id` the last
    record. `stage` is `write` or `weigh`; in the latter, `total` is the number of chunks."""

    stage: str
    done: int
    failed: int = 0
    chunks: int = 0
    id: str = ""
    total: int = 0


@dataclass(frozen=True, slots=True)
class UpsertReport:
    """The result for the given records: each is `written` (new or changed), `rewritten` (only its
    attributes changed, nothing was embedded), `unchanged`, or failed. `failed` has the first
    hundred failures. `resumed` are records of an interrupted earlier run."""

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
    """The result of a deletion. `missing` has the first hundred of the unknown ids."""

    collection: str
    source: str
    deleted: int = 0
    missing: tuple[str, ...] = ()
    missing_count: int = 0
    duration_s: float = 0.0


class Counts(IngestReport):
    """The counts of one indexing step, with its written documents, and path, code and detail of
    those left out."""

    written: list[DocumentRecord] = msgspec.field(default_factory=list)
    left_out: list[tuple[str, str, str]] = msgspec.field(default_factory=list)

    def count(self, batch: Batch, known: object, removed: object, kept: object = ()) -> None:  # noqa: ARG002
        """See IngestReport."""
        self.written += [one.record for one in batch.documents]
        self.left_out += [(one.path, one.code, one.detail) for one in batch.skipped]
