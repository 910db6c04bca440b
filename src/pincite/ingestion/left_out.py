"""What the catalog says of files that a run over a part of a source has left out."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.ingestion.changes import Changes
from pincite.ingestion.looking import is_at
from pincite.ingestion.report import IngestReport
from pincite.model.left_out import path_of
from pincite.ports import CollectionInfo, Index


async def record_left_out(
    index: Index,
    infos: Sequence[CollectionInfo],
    report: IngestReport,
    changes: Changes,
    paths: Sequence[str],
) -> None:
    """Name in the catalog which files a run over these files and folders alone has opened and left
    out. `infos` are as the run found them."""
    sources = (info.sources for info in infos if info.spec.name == report.collection)
    held = (one for records in sources for one in records if one.source.name == report.source)
    known = next(held, None)
    if known is None:
        return
    listed = {path for line in known.skipped_paths if is_at(path := path_of(line), paths)}
    amended = report.amended(known, listed - {one.path for one in changes.skipped})
    if amended != known:
        await index.put_source(report.collection, amended)
