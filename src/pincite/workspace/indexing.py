"""Index documents of workspaces as records of one source, with their metadata in the payload.

A document is the record `documents:SPACE/ID`. Ids of points are made from this name, so that the
same file in two spaces, or twice in one, has separate points.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pincite.engine import AsyncPincite
from pincite.errors import IndexNotFound, UsageError
from pincite.model import ExtractedRecord, KeptRecord, PageSpan, Record, RecordPage
from pincite.model.attributes import MOST_VALUES
from pincite.model.records import OCR, PAGE_NUMBER
from pincite.settings.file.layers import layer_of
from pincite.settings.load import Settings
from pincite.settings.sections.models import CollectionOptions
from pincite.sources.record_places import has_records, open_record_store
from pincite.support.fields import replace
from pincite.workspace.checks import VALUE_CHARS, kept_text
from pincite.workspace.files.uploads import UploadedText
from pincite.workspace.metadata.by_rules import found_metadata
from pincite.workspace.model import Document

SOURCE: Final = "documents"  #: the source of all documents; citations begin with it
BASE: Final = "chunks"  #: the collection if the settings name none
REQUIRED: Final = ("space_id",)
_MOST_PAGES: Final = 100  # pages that are listed in metadata
_MOST_CHARS: Final = 1_000  # of a value of metadata; guess, unmeasured


def settings_for(settings: Settings) -> Settings:
    """Return the settings of an index of workspaces: documents have the payload of workspaces,
    every read needs a space, each dense model has a collection of its own, and questions are logged
    only if the settings ask for it."""
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
    """Return the metadata that rules find for a document (see `found_metadata`), the pages that
    were read by OCR, and the notes of reading, one per line."""
    found = found_metadata(document.filename, text.text, text.title)
    if text.recognised:
        told = ", ".join(map(str, text.recognised[:_MOST_PAGES]))
        found["ocr_pages"] = told + (", ..." if len(text.recognised) > _MOST_PAGES else "")
    if text.notes:
        found["notes"] = _listed(text.notes)
    return found


def _listed(notes: Sequence[str]) -> str:
    """Return the notes, one per line, up to the limit, and then the number of the others."""
    kept: list[str] = []
    room = VALUE_CHARS - _MOST_CHARS
    for note in (" ".join(one.split())[:_MOST_CHARS] for one in notes):
        room -= len(note) + 1
        if room < 0:
            kept.append(f"more: {len(notes) - len(kept):,} notes")
            break
        kept.append(note)
    return kept_text("\n".join(kept), VALUE_CHARS)


def record_of(document: Document, text: UploadedText, metadata: Mapping[str, str]) -> Record:
    """Return the document as a record. Metadata that a person set replaces found metadata.
    `feed_ids` are for other programs and may be incomplete: searches ask the database for the
    documents of a feed."""
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
    title = (document.given.get("title") or text.title or document.filename)[:_MOST_CHARS]
    if text.layout is None:
        form = text.language
        return Record(document.id, text.text, title=title, attributes=held, language=form)
    pages = tuple(
        replace(
            page, attributes={PAGE_NUMBER: page.number} | ({OCR: True} if page.recognised else {})
        )
        for page in text.pages
    )
    return ExtractedRecord(
        *(document.id, text.text), title=title, attributes=held, spans=pages, layout=text.layout
    )


async def index_documents(
    engine: AsyncPincite,
    given: Sequence[tuple[Document, UploadedText, Mapping[str, str]]],
    *,
    lexical: bool = False,
) -> tuple[UsageError | None, ...]:
    """Write documents with the found metadata in one run. Return for each document the reason why
    it cannot be indexed, or None; see `Workspace.index_documents`."""
    records = [record_of(*one) for one in given]
    for document, *_ in given:
        await _remove(engine, document.id, keep=f"{document.space_id}/{document.id}")
    report = await engine.upsert(records, source=SOURCE, lexical=lexical)
    if report.failed_count > len(report.failed):
        raise UsageError(f"the documents cannot be indexed: {report.failed[0].message}")
    reasons = {one.id: one.message for one in report.failed}
    return tuple(
        UsageError(f"the document cannot be indexed: {reasons[document.id]}")
        if document.id in reasons
        else None
        for document, *_ in given
    )


async def write_feeds(
    engine: AsyncPincite, documents: Sequence[Document], *, lexical: bool = False
) -> frozenset[str]:
    """See `Workspace.write_feeds`."""
    held = await asyncio.to_thread(_kept, engine, documents)
    changed = [one for document, kept in held if (one := _with_feeds(document, kept)) is not None]
    if changed:
        report = await engine.upsert(changed, source=SOURCE, lexical=lexical)
        if report.failed:
            raise UsageError(f"a document cannot be indexed: {report.failed[0].message}")
    return frozenset(document.id for document, _ in held)


def _with_feeds(document: Document, kept: KeptRecord) -> Record | None:
    """Return the record with the current feeds of the document, None if nothing changed."""
    feeds = sorted(document.feed_ids)[:MOST_VALUES]
    others = {name: value for name, value in kept.attributes.items() if name != "feed_ids"}
    attributes = {**others, "feed_ids": feeds} if feeds else others
    if attributes == dict(kept.attributes):
        return None
    if kept.layout is not None:
        return ExtractedRecord(
            *(kept.id, kept.text, None, kept.title, kept.url, attributes, kept.language),
            spans=kept.pages,
            layout=kept.layout,
        )
    return Record(
        kept.id,
        None if kept.pages else kept.text,
        [_page_of(kept.text, one) for one in kept.pages] or None,
        kept.title,
        kept.url,
        attributes,
        kept.language,
    )


def _page_of(text: str, page: PageSpan) -> RecordPage:
    """Return the page of a stored record in the form in which it was given."""
    own = dict(page.attributes)
    number = own.pop(PAGE_NUMBER, None)
    held = number if isinstance(number, int) else None
    return RecordPage(text[page.start : page.end], held, own)


def _kept(engine: AsyncPincite, documents: Sequence[Document]) -> list[tuple[Document, KeptRecord]]:
    """Return the documents that the index has, each with its stored record."""
    folder, base = engine.settings.index, engine.settings.indexed_collection
    if not has_records(folder):
        return []
    with open_record_store(folder) as store:
        found = [(one, store.get(base, SOURCE, f"{one.space_id}/{one.id}")) for one in documents]
    return [(one, kept) for one, kept in found if kept is not None]


async def remove_document(engine: AsyncPincite, document_id: str) -> None:
    """See `Workspace.remove_document`."""
    await _remove(engine, document_id)


async def _remove(engine: AsyncPincite, document_id: str, keep: str = "") -> None:
    """Remove a document from all spaces in the index except for the path `keep`. A document that
    moves is briefly in neither space, and never in both."""
    folder, base = engine.settings.index, engine.settings.indexed_collection

    def paths() -> tuple[str, ...]:
        if not has_records(folder):
            return ()
        with open_record_store(folder) as store:
            return store.paths_of(base, SOURCE, document_id)

    for path in await asyncio.to_thread(paths):
        if path != keep:
            space_id = path.partition("/")[0]
            try:
                await engine.delete(ids=[document_id], tags={"space_id": space_id}, source=SOURCE)
            except IndexNotFound:
                return
