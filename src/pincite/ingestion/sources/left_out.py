"""Update the catalog's list of skipped files after a run over a part of a source."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.ingestion.report import IngestReport
from pincite.ingestion.sources.changes import Changes
from pincite.model.left_out import is_of, line_of
from pincite.ports import CollectionInfo, Index


async def record_left_out(
    index: Index,
    infos: Sequence[CollectionInfo],
    report: IngestReport,
    changes: Changes,
    paths: Sequence[str],
) -> None:
    """Update the skipped files of a source in the catalog after a run over these files and folders
    only. `infos` are the collections at the beginning of the run."""
    sources = (info.sources for info in infos if info.spec.name == report.collection)
    held = (one for records in sources for one in records if one.source.name == report.source)
    known = next(held, None)
    if known is None:
        return
    looked_at = [line for line in known.skipped_paths if any(is_of(line, one) for one in paths)]
    others = [
        line_of(one.code, one.path, one.detail)
        for one in changes.skipped
        if any(is_of(line, one.path) for line in looked_at)
    ]
    amended = report.amended(known, looked_at, (*report.skipped_paths, *others))
    if amended != known:
        await index.put_source(report.collection, amended)
