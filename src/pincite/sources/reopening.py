"""Reopen sources from their records in the catalog."""

from __future__ import annotations

from pathlib import Path

from pincite.errors import SourceError
from pincite.model import SourceRecord
from pincite.sources.entries import OpenSource, Selection, SourceLimits, UnreadableSource
from pincite.sources.open_source import open_source
from pincite.sources.records import open_records
from pincite.support.fields import replace


def selection_of(record: SourceRecord) -> Selection:
    """Return the selection with which a source was indexed."""
    return Selection(
        include=record.include, exclude=record.exclude, file_types=record.source.file_types
    )


def reopen_source(
    record: SourceRecord, within: str = "", *, folder: Path | None = None, only_read: bool = False
) -> OpenSource:
    """Open a source of the catalog, or only its part `within`. Records are read from the index
    `folder`. Raises SourceError if the source or the part is missing."""
    source = record.source
    try:
        if source.kind == "records":
            return open_records(source, folder, only_read=only_read)
        opened = open_source(
            Path(source.location) / within if within else source.location,
            name=source.name,
            ref=source.ref if source.pinned else None,
            url_rule=source.url_rule,
            anchors=source.anchors,
            limits=SourceLimits(),
            selection=selection_of(record),
            is_folder=source.kind in ("folder", "file"),
        )
    except SourceError as error:
        hint = (
            f"restore it; if it was moved: pincite index PATH --name {source.name}; or remove"
            f" it from the index: pincite collections forget {source.name}"
        )
        if source.kind in ("archive", "wheel") and Path(source.location).is_file():
            raise UnreadableSource(error.message, hint) from error
        raise SourceError(error.message, hint=hint) from error
    opened.parts = record.within
    opened.source = replace(
        opened.source,
        attributes=source.attributes,
        front_matter=source.front_matter,
        descriptions=source.descriptions,
        index_descriptions=source.index_descriptions,
        mask_secrets=source.mask_secrets,
        ocr=source.ocr,
    )
    return opened
