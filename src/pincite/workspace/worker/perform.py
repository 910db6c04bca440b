"""Do what jobs ask for: index documents, remove them, or update their feeds.

Several documents are indexed together. If that fails, each is indexed alone, so that the failure is
reported for the document that caused it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from pincite.ports.tracing import span
from pincite.workspace.database.jobs import is_about_feeds
from pincite.workspace.files.uploads import UploadedText, read_upload
from pincite.workspace.model import Document
from pincite.workspace.worker.deps import WorkerDeps

log = logging.getLogger("pincite.worker")

Result = dict[str, str] | Exception | None  # the metadata of a document, or why it has none


async def perform(deps: WorkerDeps, documents: Sequence[Document]) -> list[Result]:
    """Return the result of each document; a failure does not stop the others."""
    kind = "remove" if documents[0].status == "deleting" else "index"
    kind = "feeds" if all(map(is_about_feeds, documents)) else kind
    began_s = deps.clock()
    told: dict[str, str | int] = {"pincite.job.kind": kind, "pincite.job.documents": len(documents)}
    with span(f"pincite.job {kind}", told, "consumer"):
        if len(documents) == 1:
            found = [await _done(deps, documents[0])]
        elif kind == "feeds":
            found = await _written_feeds(deps, documents)
        else:
            found = await _done_together(deps, documents)
        took_ms = round((deps.clock() - began_s) * 1000, 1)
        event = {"kind": kind, "documents": len(documents), "took_ms": took_ms}
        log.info("a job is done", extra={"event": event})
        return found


async def _done_together(deps: WorkerDeps, documents: Sequence[Document]) -> list[Result]:
    results: dict[str, Result] = {}
    given = []
    for document in documents:
        try:
            given.append((document, await _read(deps, document)))
        except Exception as error:  # noqa: BLE001 - of this document, and told so
            results[document.id] = error
    try:
        found = await deps.workspace.index_documents(given) if given else ()
    except Exception as error:  # noqa: BLE001 - done again, so that it is told of who caused it
        log.info("indexing %d documents failed: %s", len(given), type(error).__name__)
        for document, _ in given:
            results[document.id] = await _done(deps, document)
    else:
        for (document, _), one in zip(given, found, strict=True):
            results[document.id] = one
    return [results[document.id] for document in documents]


async def _written_feeds(deps: WorkerDeps, documents: Sequence[Document]) -> list[Result]:
    """Update the feeds in the points of these documents; index those without points."""
    try:
        there = await deps.workspace.write_feeds(documents)
    except Exception as error:  # noqa: BLE001 - of this document, and told so
        if len(documents) == 1:
            return [error]
        log.info(
            "indexing the feeds of %d documents failed: %s", len(documents), type(error).__name__
        )
        return [(await _written_feeds(deps, [one]))[0] for one in documents]
    return [None if one.id in there else await _done(deps, one) for one in documents]


async def _done(deps: WorkerDeps, document: Document) -> Result:
    try:
        if document.status == "deleting":
            await deps.workspace.remove_document(document)
            return None
        if is_about_feeds(document) and await deps.workspace.write_feeds([document]):
            return None
        return await deps.workspace.index_document(document, await _read(deps, document))
    except Exception as error:  # noqa: BLE001 - one document must not end the worker
        return error


async def _read(deps: WorkerDeps, document: Document) -> UploadedText:
    raw = await deps.files.read(document.space_id, document.content_hash)
    ocr = deps.workspace.reads_pictures
    return await asyncio.to_thread(read_upload, raw, document.filename, ocr=ocr)
