"""Documents of workspaces in the index: records of one source, with what the payload says of each.

A document is the record `documents:SPACE/ID`. Ids of points are made of it, so that the same file
in two spaces, or twice in one, is not one point.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pincite.engine import AsyncPincite
from pincite.errors import IndexNotFound, UsageError
from pincite.model import Record
from pincite.model.attributes import MOST_VALUES
from pincite.settings.layers import layer_of
from pincite.settings.load import Settings
from pincite.settings.models import CollectionOptions
from pincite.sources.record_store import RecordStore, records_file
from pincite.workspace.metadata import found_metadata
from pincite.workspace.model import Document
from pincite.workspace.uploads import UploadedText

SOURCE: Final = "documents"  #: the source of all documents; citations begin with it
BASE: Final = "chunks"  #: the collection, where none is configured
REQUIRED: Final = ("space_id",)
_MOST_PAGES: Final = 100  # that are named in metadata
_MOST_CHARS: Final = 1_000  # of a value of metadata; guess, unmeasured


def settings_for(settings: Settings) -> Settings:
    """The settings of an index of workspaces: documents have the payload of workspaces, nobody
    reads them without a space, each dense model has a collection of its own, and questions are
    logged only where that is asked for."""
    base = settings.collection or BASE
    held = settings.use.options.get(base, CollectionOptions())
    options = {**settings.use.options, base: replace(held, require=REQUIRED, beside=True)}
    asked = layer_of(settings.layers, ("log", "enabled")) is not None
    return replace(
        settings,
        collection=base,
        log=settings.log if asked else replace(settings.log, enabled=False),
        use=replace(settings.use, options=options),
        store=replace(settings.store, fields="workspace"),
    )


def metadata_of(document: Document, text: UploadedText) -> dict[str, str]:
    """What rules find of a document, see `found_metadata`, and which pages OCR has read."""
    found = found_metadata(document.filename, "\n".join(text.pages), text.title)
    if text.recognised:
        told = ", ".join(map(str, text.recognised[:_MOST_PAGES]))
        found["ocr_pages"] = told + (", ..." if len(text.recognised) > _MOST_PAGES else "")
    return found


def record_of(document: Document, text: UploadedText, metadata: Mapping[str, str]) -> Record:
    """The document as a record. What a person has set wins. `feed_ids` serve other programs: which
    documents a feed has is asked of the database, so that many of them may be left out."""
    said = {**metadata, **{name: value for name, value in document.given.items() if value}}
    attributes: dict[str, Any] = {
        "document_id": document.id,
        "user_id": document.user_id,
        "space_id": document.space_id,
        "filename": document.filename,
        **{
            f"doc_{name}": said[name][:_MOST_CHARS]
            for name in ("title", "category", "document_type", "data_structure")
            if said.get(name)
        },
        "source_ids": list(document.source_ids),
        "feed_ids": sorted(document.feed_ids)[:MOST_VALUES],
    }
    held = {name: value for name, value in attributes.items() if value}
    title = (text.title or document.filename)[:_MOST_CHARS]
    if text.is_paged:
        return Record(document.id, pages=text.pages, title=title, attributes=held)
    form = text.language
    return Record(document.id, text.pages[0], title=title, attributes=held, language=form)


async def index_document(
    engine: AsyncPincite, document: Document, text: UploadedText, *, lexical: bool = False
) -> dict[str, str]:
    """See `Workspace.index_document`."""
    metadata = metadata_of(document, text)
    record = record_of(document, text, metadata)
    await _remove(engine, document.id, keep=f"{document.space_id}/{document.id}")
    report = await engine.upsert([record], source=SOURCE, lexical=lexical)
    if report.failed:
        raise UsageError(f"the document cannot be indexed: {report.failed[0].message}")
    return metadata


async def remove_document(engine: AsyncPincite, document_id: str) -> None:
    """See `Workspace.remove_document`."""
    await _remove(engine, document_id)


async def _remove(engine: AsyncPincite, document_id: str, keep: str = "") -> None:
    """Remove a document from all spaces where the index has it but for one path: one that moves is
    in neither for a moment, and never in both."""
    folder, base = engine.settings.index, engine.settings.indexed_collection

    def paths() -> tuple[str, ...]:
        if not records_file(folder).is_file():
            return ()
        with RecordStore(folder) as store:
            return store.paths_of(base, SOURCE, document_id)

    for path in await asyncio.to_thread(paths):
        if path != keep:
            space_id = path.partition("/")[0]
            try:
                await engine.delete(ids=[document_id], tags={"space_id": space_id}, source=SOURCE)
            except IndexNotFound:
                return
