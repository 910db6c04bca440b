"""A database of workspaces in memory, of which tests say what it knows: as much as searches ask."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from pincite.errors import ConfigError, NotFound, WorkspaceUnavailable
from pincite.support.fields import replace
from pincite.workspace import Access, Document, Readable
from pincite.workspace.files.uploads import UploadedText

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def uuid(number: int) -> str:
    """An id."""
    return str(UUID(int=number))


def page(text: str, *, title: str = "") -> UploadedText:
    """A plain text that was uploaded."""
    return UploadedText(text, "text", title)


@dataclass
class Memory:
    """`members` are users by space, `documents` by id, `feeds` ids of documents by feed, `removed`
    spaces by deleted document. `unmanned`: it has no operator."""

    members: dict[str, set[str]] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    feeds: dict[str, set[str]] = field(default_factory=dict)
    removed: dict[str, str] = field(default_factory=dict)
    replaced: frozenset[str] = frozenset()
    down: bool = False
    unmanned: bool = False

    def add(self, number: int, space_id: str, user_id: str, **more: Any) -> Document:
        """A document that was uploaded."""
        named: dict[str, Any] = {"filename": f"{number}.txt", **more}
        made = Document(
            id=uuid(number),
            space_id=space_id,
            user_id=user_id,
            content_hash="",
            bytes=0,
            status="ready",
            version=1,
            created=NOW,
            updated=NOW,
            **named,
        )
        self.documents[made.id] = made
        return made

    def change(self, document: Document, **more: Any) -> Document:
        """Another version of it."""
        made = replace(document, version=document.version + 1, **more)
        self.documents[made.id] = made
        return made

    @asynccontextmanager
    async def of(self, user_id: str) -> AsyncIterator[Any]:
        if self.down:
            raise WorkspaceUnavailable("the database does not answer")
        yield MemorySession(self, user_id)

    async def administer(self, work: Callable[[Any], Awaitable[Any]]) -> Any:
        if self.unmanned:
            raise ConfigError("there is no address of an operator")
        return await work(self)

    async def leaving(
        self, document_ids: Collection[str], space_ids: Collection[str]
    ) -> frozenset[str]:
        gone = self.removed
        return frozenset(d for d in document_ids if d in gone and gone[d] in space_ids)


@dataclass
class MemorySession:
    """What one user may see."""

    memory: Memory
    user_id: str

    @property
    def _spaces(self) -> list[str]:
        return sorted(s for s, users in self.memory.members.items() if self.user_id in users)

    async def visible(self, document_ids: Collection[str]) -> frozenset[str]:
        known, mine = self.memory.documents, self._spaces
        return frozenset(d for d in document_ids if d in known and known[d].space_id in mine)

    async def replaced(self, document_ids: Collection[str]) -> frozenset[str]:
        return self.memory.replaced & set(document_ids)

    async def document(self, document_id: str) -> Document:
        if document_id not in await self.visible([document_id]):
            raise NotFound(f"no document has the id {document_id!r}")
        return self.memory.documents[document_id]

    async def delete_document(self, document_id: str) -> Document:
        await self.document(document_id)
        gone = self.memory.documents.pop(document_id)
        self.memory.removed[gone.id] = gone.space_id
        return gone

    async def readable(self, access: Access, most: int | None = None) -> Readable:
        spaces = self._spaces
        if access.space_id is not None:
            if access.space_id not in spaces:
                raise NotFound("there is no such space")
            spaces = [access.space_id]
        ids: set[str] | None = None
        if access.document_ids is not None:
            ids = set(access.document_ids)
        if access.feed_ids is not None:
            fed: set[str] = set().union(*(self.memory.feeds[f] for f in access.feed_ids))
            ids = fed if ids is None else ids & fed
        known = self.memory.documents
        seen = [] if ids is None else sorted(await self.visible(ids))
        named = None if ids is None else tuple(i for i in seen if known[i].space_id in spaces)
        if access.document_ids is None and most is not None and len(named or ()) > most:
            return Readable(self.user_id, tuple(spaces), wide=True)
        return Readable(self.user_id, tuple(spaces), named)
