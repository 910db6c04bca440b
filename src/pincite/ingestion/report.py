"""Progress and report of an indexing run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from pincite.ingestion.batch import Batch
from pincite.ingestion.sources.changes import Changes
from pincite.model import DocumentRecord, SourceRecord
from pincite.model.left_out import code_of, lies_in, line_of, path_of
from pincite.support.fields import replace

_T = TypeVar("_T")
_NAMED = 50  # skipped files listed in the catalog


class Progress(msgspec.Struct, frozen=True):
    """The progress of a run. `done` and `total` count files, or chunks in the stage `weigh`.

    The stages are:

    - `read`: read a sample of files, to guess the language of a new collection;
    - `diff`: compare the indexed files of one source with the current ones;
    - `index`: index the files of all sources of the run, counted together;
    - `embed`: the same, to add vectors to files that keyword search already covers;
    - `weigh`: compute sparse vectors of an earlier version again.

    `chunks` is the number of chunks written so far, `path` the latest file.
    """

    stage: str
    done: int
    total: int
    chunks: int = 0
    path: str = ""


class IngestReport(msgspec.Struct):
    """The result of a run for one source. `new` to `unchanged` count files. `rewritten` of the
    `unchanged` ones have other attributes now; `remade` of the `changed` ones have the same
    content, and were indexed again for another model, analysis or option. `reused` of the written
    `chunks` kept their dense vector. `skipped` counts files by code, `skipped_paths` lists them as
    `code: path (detail)`; `noted` and `noted_paths` do the same for remarks on indexed files. The
    `duration_s` of the first report of a run includes the time that was spent on all sources
    together."""

    collection: str
    source: str
    new: int = 0
    changed: int = 0
    renamed: int = 0
    removed: int = 0
    unchanged: int = 0
    rewritten: int = 0
    chunks: int = 0
    tokens: int = 0
    reused: int = 0
    duration_s: float = 0.0
    encode_s: float = 0.0
    skipped: dict[str, int] = {}
    skipped_paths: list[str] = []
    noted: dict[str, int] = {}
    noted_paths: list[str] = []
    remade: int = 0

    def skip(self, code: str, path: str, detail: str) -> None:
        """Count and list a skipped file."""
        self.skipped[code] = self.skipped.get(code, 0) + 1
        self.skipped_paths.append(line_of(code, path, detail))

    def note(self, path: str, notes: str) -> None:
        """Count and list the remarks on an indexed file, in the form of `DocumentRecord.notes`."""
        for line in notes.split("\n") if notes else ():
            code, _, detail = line.partition(": ")
            self.noted[code] = self.noted.get(code, 0) + 1
            self.noted_paths.append(line_of(code, path, detail))

    def expect(self, changes: Changes, records: Sequence[DocumentRecord]) -> None:
        """Set the counts of these changes, and add the remarks on unchanged documents from their
        records."""
        self.new, self.changed = changes.new, changes.changed
        self.unchanged, self.removed = changes.unchanged, len(changes.removed)
        self.rewritten = changes.rewritten
        moving = {entry.path for entry in changes.pending} | {r.path for r in changes.removed}
        for known in records:
            if known.path not in moving:
                self.note(known.path, known.notes)

    def count(
        self,
        batch: Batch,
        known: Mapping[str, DocumentRecord],
        removed: set[str],
        kept: Container[str] = (),
    ) -> None:
        """Add a batch. `known` are the documents that were indexed before, by path. `removed` are
        the content hashes of removed ones: a new file with one of them counts as renamed. A skipped
        file does not count as a document, except paths in `kept`, whose documents stay."""
        for skip in batch.skipped:
            self.skip(skip.code, skip.path, skip.detail)
            if skip.path in kept:
                self.changed -= 1
                self.unchanged += 1
            elif skip.path in known:
                self.changed -= 1
                self.removed += 1
            else:
                self.new -= 1
        renamed = 0
        for one in batch.documents:
            self.note(one.record.path, one.record.notes)
            former = known.get(one.record.path)
            self.remade += former is not None and _same_content(former, one.record)
            if former is None and one.record.content_hash in removed:
                removed.discard(one.record.content_hash)
                renamed += 1
        self.renamed += renamed
        self.new -= renamed
        self.removed -= renamed

    def embedded(self, later: IngestReport) -> IngestReport:
        """Return one report for this run, which indexed keywords, and a later one that added
        vectors."""
        return replace(
            self,
            reused=self.reused + later.reused,
            duration_s=self.duration_s + later.duration_s,
            encode_s=self.encode_s + later.encode_s,
            skipped=later.skipped,
            skipped_paths=later.skipped_paths,
            noted=later.noted,
            noted_paths=later.noted_paths,
        )

    def complete(self, record: SourceRecord, within: str, began_ns: int) -> SourceRecord:
        """Return the record of a source after a complete run over its part `within`, with the
        current time; otherwise as `listed`."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return replace(self.listed(record, within, began_ns), complete=True, indexed_at=now)

    def amended(
        self, record: SourceRecord, former: Sequence[str], now: Sequence[str]
    ) -> SourceRecord:
        """Return the record of a source after a run over a part of it. `former` are the lines of
        earlier skipped files that the run has visited again, `now` those of files that it has
        skipped. Only 50 files are listed: a file that is counted but not listed may be counted
        twice."""
        counts = Counter(record.skipped)
        parts = {part: Counter(known) for part, known in record.skipped_in.items()}
        kept = [line for line in record.skipped_paths if line not in former]
        for line, number in (*((one, -1) for one in former), *((one, 1) for one in now)):
            code = code_of(line)
            part = next((one for one in parts if lies_in(path_of(line), one)), None)
            for counted in (counts, *(() if part is None else (parts[part],))):
                counted[code] = max(0, counted[code] + number)
        return replace(
            record,
            skipped=dict(+counts),
            skipped_in={part: dict(+known) for part, known in parts.items()},
            skipped_paths=(*now, *kept)[:_NAMED],
        )

    def listed(self, record: SourceRecord, within: str, began_ns: int) -> SourceRecord:
        """Return the record of a source after a run over its part `within`, which began to compare
        its files at `began_ns`, in nanoseconds since 1970. The skipped files and the times of its
        other parts are those of earlier runs."""
        others = record.skipped_paths
        parts = _with_part(record.skipped_in, within, self.skipped)
        counts = sum(map(Counter, parts.values()), Counter[str]())
        kept = [line for line in others if not lies_in(path_of(line), within)]
        return replace(
            record,
            skipped=dict(counts),
            skipped_in=parts,
            compared_in=_with_part(record.compared_in, within, began_ns),
            skipped_paths=(*kept, *self.skipped_paths[:_NAMED]),
            noted=self.noted,
            noted_paths=tuple(self.noted_paths[:_NAMED]),
        )


def count_time(reports: Sequence[IngestReport], run_s: float) -> None:
    """Add the time of a run that no report has to the first report, in seconds, such as that for
    opening models and for guessing the language."""
    if reports:
        reports[0].duration_s += max(0.0, run_s - sum(one.duration_s for one in reports))


def _with_part(known: Mapping[str, _T], within: str, value: _T) -> dict[str, _T]:
    """Return the values of the parts of a source, with this one for a part, and for those in it.
    The value of a part around it stays, as it also holds of other files."""
    parts = {part: known[part] for part in known if not lies_in(part, within)}
    if not any(lies_in(within, part) for part in parts):
        parts[within] = value
    return parts


def _same_content(former: DocumentRecord, now: DocumentRecord) -> bool:
    """Return whether the content is the same. False for a document that includes other files, as
    these may have changed."""
    return former.content_hash == now.content_hash and not now.includes
