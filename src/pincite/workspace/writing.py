"""The writes of the worker: add, change and remove documents in the index of workspaces."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.errors import UsageError
from pincite.workspace.files.uploads import UploadedText
from pincite.workspace.indexing import index_documents, remove_document, write_feeds
from pincite.workspace.metadata.detection import metadata_of_all
from pincite.workspace.model import Document
from pincite.workspace.workspace_engine import WorkspaceEngine


class WritingWorkspace:
    """The part of `Workspace` that a worker calls. It takes no access: a job names its document."""

    _engine: WorkspaceEngine
    _lexical: bool

    async def index_document(self, document: Document, text: UploadedText) -> dict[str, str]:
        """Write a document into the index in place of its previous version; for the worker. Return
        the found metadata. Nothing is embedded if only metadata, sources or feeds have changed.
        Raise the errors of `AsyncPincite.upsert`."""
        (found,) = await self._index(((document, text),))
        if isinstance(found, UsageError):
            raise found
        return found

    async def index_documents(
        self, given: Sequence[tuple[Document, UploadedText]]
    ) -> tuple[dict[str, str] | UsageError, ...]:
        """Write several documents in one run. Return for each its metadata, or the reason why it
        cannot be indexed. Raise if none, or perhaps only some, could be written; repeating the call
        is safe."""
        return await self._index(given)

    async def remove_document(self, document: Document) -> None:
        """Remove a document from the index; for the worker. A missing document is no error."""
        await remove_document(self._engine, document.id)

    async def _index(
        self, given: Sequence[tuple[Document, UploadedText]]
    ) -> tuple[dict[str, str] | UsageError, ...]:
        told = self._engine.settings.workspace
        described = await metadata_of_all(given, told, self._engine.describing_llm)
        whole = tuple((*one, found) for one, found in zip(given, described, strict=True))
        refused = await index_documents(self._engine, whole, lexical=self._lexical)
        return tuple(why or found for why, found in zip(refused, described, strict=True))

    async def write_feeds(self, documents: Sequence[Document]) -> frozenset[str]:
        """Update only the feeds in the points of documents, without their files and without a
        model; for the worker. Return the ids of the documents that the index has; the others must
        be indexed. Raise the errors of `index_document`."""
        return await write_feeds(self._engine, documents, lexical=self._lexical)
