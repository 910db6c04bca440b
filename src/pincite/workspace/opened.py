"""An open workspace: searches, reads and answers with an access, and what the worker writes.

Two locks, one behind the other. The filter: an access is resolved to bounds, which every search
and read of the index has. The second lock: before a passage is judged, sent to a model or shown,
the database says whether the user may read its document. Neither trusts the other.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from types import TracebackType
from typing import Final, Self, TypedDict, Unpack

import msgspec

from pincite.answering.basis import nothing_indexed
from pincite.asking import SearchOptions, question_of
from pincite.asking.answers import AnswerOptions
from pincite.asking.contexts import Contexts
from pincite.citations.claims import Claim, ClaimCheck
from pincite.citations.claims import check as check_claims
from pincite.citations.locate import Checked, NotNamed, Passage
from pincite.citations.locate import get as read_passage
from pincite.citations.locate import verify as verify_pack
from pincite.engine import AsyncPincite
from pincite.errors import Forbidden, IndexNotFound, NotFound
from pincite.model import Answer, AnswerEvent, Attributes, ChatMode, EvidencePack, TaskMode
from pincite.model.context_block import BUDGET, ContextBlock, ContextOrder, CountTokens
from pincite.ports import Reranker
from pincite.settings.load import Settings
from pincite.stages.context import Around
from pincite.stages.pack import SCHEMA_VERSION
from pincite.stages.retrieve import SearchMode
from pincite.workspace.access import bounds_of
from pincite.workspace.indexing import SOURCE, index_document, remove_document, settings_for
from pincite.workspace.model import Access, Document, KeyScope
from pincite.workspace.models import (
    Reranked,
    SearchedCollection,
    rerank_texts,
    searched_collections,
)
from pincite.workspace.ports import Workspaces
from pincite.workspace.uploads import UploadedText

log = logging.getLogger("pincite.workspace")

_NOTHING: Final = "nothing is indexed that may be searched"
_UNKNOWN: Final = "no document that may be read is cited"


class QuestionKeywords(TypedDict, total=False):
    """What a question in a workspace takes besides its text, as `AsyncPincite.search` does."""

    limit: int | None
    where: str
    by: SearchMode | None
    context: Around | None
    budget_ms: float | None


class SearchKeywords(QuestionKeywords, total=False):
    """What a search takes besides these."""

    mode: TaskMode
    subqueries: str | tuple[str, ...]


class Workspace:
    """What an index and a database of workspaces hold, for those who may see it. Each call resolves
    its access anew: a membership, feed or document that was withdrawn is so for the next call."""

    def __init__(
        self,
        settings: Settings,
        workspaces: Workspaces,
        *,
        reranker: Reranker | None = None,
        lexical: bool = False,
    ) -> None:
        """`settings` are those of an index that has nothing but workspaces in it; `lexical` makes
        it without a dense model. Raises ConfigError, UsageError."""
        own = settings_for(settings)
        self._engine = AsyncPincite(own, reranker=reranker)
        self._workspaces = workspaces
        self._base = own.indexed_collection
        self._folder = own.index
        self._made = False
        self._lexical = lexical
        #: How many documents the second lock has kept back: each is an alarm in the log.
        self.kept_back = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the index. The database is whose who opened it."""
        await self._engine.close()

    async def check_index(self) -> None:
        """Raise IndexUnavailable where the index does not answer; that nothing is indexed yet is no
        fault."""
        await self._has_collection()

    @property
    def reads_pictures(self) -> bool:
        """Are pages of uploads that are pictures read by OCR? As `[documents] ocr` says."""
        return self._engine.settings.documents.ocr

    async def collections(self, access: Access) -> tuple[SearchedCollection, ...]:
        """The collections that searches ask, with their models, and nothing of what is in them.
        Raises Forbidden, IndexUnavailable."""
        _require(access, "search")
        return await searched_collections(self._engine, self._base)

    async def rerank(
        self, access: Access, query: str, texts: Sequence[str], top_n: int | None = None
    ) -> Reranked:
        """Texts that the caller gives, best first, by the reranker of the settings. Raises
        Forbidden, and as `rerank_texts`."""
        _require(access, "search")
        return await rerank_texts(self._engine, query, texts, top_n)

    async def search(
        self, access: Access, text: str, **keywords: Unpack[SearchKeywords]
    ) -> EvidencePack:
        """The evidence for a question, best first, of what the access lets be read.

        Raises UsageError for an argument that cannot be, NotFound for a space that the user is no
        member of, Forbidden, WorkspaceUnavailable, IndexUnavailable."""
        return await (await self._within(access)).find(SearchOptions(text, **keywords))

    async def context(
        self,
        access: Access,
        text: str,
        budget: int = BUDGET,
        *,
        order: ContextOrder = "u",
        line_numbers: bool = True,
        count: CountTokens | None = None,
        **keywords: Unpack[SearchKeywords],
    ) -> ContextBlock:
        """The same as a block for a prompt, of at most so many tokens; see
        `AsyncPincite.context_for`. Raises as `search`."""
        within = await self._within(access)
        form = {"order": order, "line_numbers": line_numbers, "count": count}
        return await within.context_for(text, budget, **form, **keywords)  # type: ignore[arg-type]

    async def answer(
        self,
        access: Access,
        text: str,
        *,
        conversation: str = "",
        mode: ChatMode | None = None,
        **keywords: Unpack[QuestionKeywords],
    ) -> Answer:
        """An answer from the evidence that `search` finds. Raises as `search`, and
        ConversationNotFound."""
        events = self.answer_stream(access, text, conversation=conversation, mode=mode, **keywords)
        async with aclosing(events):  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, Answer):
                    return event
        raise AssertionError("an answer ends with an Answer")

    async def answer_stream(
        self,
        access: Access,
        text: str,
        *,
        conversation: str = "",
        mode: ChatMode | None = None,
        **keywords: Unpack[QuestionKeywords],
    ) -> AsyncIterator[AnswerEvent]:
        """As `answer`, while it is written. Memory and conversations are the user's own; those of a
        key of one space are kept apart."""
        within = await self._within(access)
        asked = within.narrowed(SearchOptions(text, **keywords))
        options = AnswerOptions(asked, _person(access), conversation, mode)
        events = self._engine.answering(options, admit=within.admit)
        async with aclosing(events):  # type: ignore[type-var]
            async for event in events:
                yield event

    async def get(self, access: Access, citation: str, context: int = 0) -> Passage:
        """The text that a citation or the #id of a chunk stands for, with lines around it. Raises
        NotFound for what is not there and for what may not be read, in the same words, UsageError
        for what is no citation."""
        within = await self._within(access)
        try:
            if not within.collections:
                raise NotNamed(f"no indexed file is named {citation[:300]!r}")
            found = await read_passage(
                self._engine.client(),
                citation,
                context,
                self._folder,
                bounds=within.bounds,
                collections=within.collections,
            )
            if not await within.may_show(found.path):
                raise NotNamed(f"no indexed file is named {citation[:300]!r}")
        except NotNamed as error:
            raise NotFound(error.message) from error
        return found

    async def check(self, access: Access, claims: Sequence[Claim]) -> tuple[ClaimCheck, ...]:
        """Do citations hold, and do they say what is quoted? What may not be read is `unknown`, as
        what is not there. Raises as `search`."""
        within = await self._within(access)
        if not within.collections:
            return tuple(ClaimCheck(one.citation, "unknown", _UNKNOWN) for one in claims)
        index, where = self._engine.client(), within.collections
        bounds = within.bounds
        found = await check_claims(index, claims, self._folder, bounds=bounds, collections=where)
        checked = []
        for one in found:
            hidden = one.path is not None and not await within.may_show(one.path)
            unknown = hidden or one.status == "unknown"
            checked.append(ClaimCheck(one.citation, "unknown", _UNKNOWN) if unknown else one)
        return tuple(checked)

    async def verify(self, access: Access, pack: EvidencePack) -> tuple[Checked, ...]:
        """Does the evidence still hold? What may not be read any more is `deleted`. Raises as
        `search`."""
        within = await self._within(access)
        held = tuple(
            item
            for item in pack.evidence
            if within.collections
            and self._base in (item.collection, item.collection.rpartition("__")[0])
        )
        found: dict[int, Checked] = {}
        if held:
            asked, client = replace(pack, evidence=held), self._engine.client()
            checks = await verify_pack(client, asked, folder=self._folder, bounds=within.bounds)
            paths = {item.number: item.path for item in held}
            for one in checks:
                if one.status != "deleted" and await within.may_show(paths[one.number]):
                    found[one.number] = one
        return tuple(
            found.get(item.number) or Checked(item.number, item.citation, "deleted", _UNKNOWN)
            for item in pack.evidence
        )

    async def delete(self, access: Access, document_id: str) -> Document:
        """Ask for a document to go: from now on nobody sees it, and a worker takes it out of the
        index. Raises NotFound, Forbidden."""
        _require(access, "write")
        async with self._workspaces.of(access.user_id) as session:
            found = await session.document(document_id)
            readable = await session.readable(access)
            allowed = readable.document_ids is None or found.id in readable.document_ids
            if found.space_id not in readable.space_ids or not allowed:
                raise NotFound(f"there is no document {document_id!r}")
            return await session.delete_document(document_id)

    async def index_document(self, document: Document, text: UploadedText) -> dict[str, str]:
        """Write a document into the index as it is to be now, in place of what is there of it; for
        the worker. Returns the metadata that was found. Where only metadata, sources or feeds have
        changed nothing is embedded. Raises what `AsyncPincite.upsert` raises."""
        return await index_document(self._engine, document, text, lexical=self._lexical)

    async def remove_document(self, document: Document) -> None:
        """Take a document out of the index; for the worker. One that is not there is fine."""
        await remove_document(self._engine, document.id)

    async def _within(self, access: Access) -> _Within:
        """What an access lets be read now. Raises NotFound, Forbidden, WorkspaceUnavailable."""
        _require(access, "search")
        async with self._workspaces.of(access.user_id) as session:
            bounds = bounds_of(await session.readable(access), access)
        there = await self._has_collection()
        return _Within(self, access, bounds, (self._base,) if there else ())

    async def _has_collection(self) -> bool:
        if not self._made:
            try:
                infos = await self._engine.client().collections()
            except IndexNotFound:
                return False
            self._made = any(info.spec.public_name == self._base for info in infos)
        return self._made

    async def _admitted(self, access: Access, ids: frozenset[str]) -> frozenset[str]:
        """The second lock. What it keeps back is told to nobody but the log."""
        wanted = ids - {""}
        named = access.document_ids
        asked = wanted if named is None else wanted & frozenset(named)
        within = msgspec.structs.replace(access, document_ids=tuple(sorted(asked)))
        async with self._workspaces.of(access.user_id) as session:
            readable = await session.readable(within)
            allowed = frozenset(readable.document_ids or ()) & await session.visible(asked)
        if kept := len(ids - allowed):
            self.kept_back += kept
            log.error("alarm: the index gave %d documents that the user may not read", kept)
        return allowed


class _Within(Contexts):
    """A workspace as far as an access reaches."""

    def __init__(
        self,
        workspace: Workspace,
        access: Access,
        bounds: Attributes,
        collections: tuple[str, ...],
    ) -> None:
        self.bounds = bounds
        self.collections = collections
        self._workspace = workspace
        self._access = access

    async def admit(self, ids: frozenset[str]) -> frozenset[str]:
        """Those of the documents whose passages may leave."""
        return await self._workspace._admitted(self._access, ids)

    async def may_show(self, path: str) -> bool:
        """May text of the document with this path leave?"""
        id_ = path.rpartition("/")[2]
        return id_ in await self.admit(frozenset({id_}))

    def narrowed(self, asked: SearchOptions) -> SearchOptions:
        """What is asked, of what may be read. Raises UsageError."""
        scope = replace(
            question_of(asked).scope,
            collections=self.collections,
            sources=(SOURCE,),
            bounds=self.bounds,
        )
        return replace(asked, scope=scope, where="")

    async def find(self, asked: SearchOptions) -> EvidencePack:
        """As `AsyncPincite.find`."""
        if not self.collections:
            question_of(asked)
            return nothing_indexed(asked.text, SCHEMA_VERSION, _NOTHING)
        return await self._workspace._engine.find(self.narrowed(asked), admit=self.admit)


def _require(access: Access, scope: KeyScope) -> None:
    if scope not in access.scopes:
        raise Forbidden(f"the key lacks the scope {scope}")


def _person(access: Access) -> str:
    """Whose memory and conversations: a key of one space must not read what was said elsewhere."""
    return access.user_id if access.space_id is None else f"{access.user_id}/{access.space_id}"
