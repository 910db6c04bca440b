"""An open workspace: searches, reads and answers with an access; `writing` has the writes of the
worker.

Two independent checks protect documents. The first is the filter: an access is resolved to bounds,
and every search and read of the index has them. The second is a check in the database: before a
passage is judged, sent to a model or shown, the database says whether the user may read its
document.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from types import TracebackType
from typing import Final, Self, TypedDict, Unpack

from pincite.asking import SearchOptions
from pincite.asking.answers import AnswerOptions
from pincite.citations.check_item import Checked
from pincite.citations.claims import check_claims
from pincite.citations.compare_claim import Claim, ClaimCheck
from pincite.citations.get import get as read_passage
from pincite.citations.passage import Passage
from pincite.citations.resolve import NoChunk, NotNamed
from pincite.citations.verify import verify as verify_pack
from pincite.errors import ConfigError, IndexNotFound, NotFound, UsageError
from pincite.model import Answer, AnswerEvent, ChatMode, EvidencePack, TaskMode
from pincite.model.context_block import BUDGET, ContextBlock, ContextOrder, CountTokens
from pincite.ports import Reranker
from pincite.settings.load import Settings
from pincite.stages.context import Around
from pincite.stages.retrieve import SearchMode
from pincite.support.fields import replace
from pincite.trace import Trace
from pincite.workspace.access.bounds import bounds_of, require_scope
from pincite.workspace.access.second_check import SecondCheck
from pincite.workspace.conversations import owner_of, person_of
from pincite.workspace.facts import require_shared_memory
from pincite.workspace.indexing import settings_for
from pincite.workspace.model import Access, Document
from pincite.workspace.ports import Workspaces
from pincite.workspace.remembering import RememberingWorkspace
from pincite.workspace.replaced_texts import REPLACED
from pincite.workspace.search_models import (
    Reranked,
    SearchedCollection,
    rerank_texts,
    searched_collections,
)
from pincite.workspace.within import WithinAccess, document_of
from pincite.workspace.workspace_engine import WorkspaceEngine
from pincite.workspace.writing import WritingWorkspace

#: A feed with more documents is not used as a filter: the search checks each of its hits instead.
#: The filter costs 20 ms for this many documents: docs/decisions/0055.
_LISTED: Final = 1_000
_UNKNOWN: Final = "the citation names no accessible document"


class WorkspaceQuestionKeywords(TypedDict, total=False):
    """The arguments of a question in a workspace in addition to its text, as in
    `AsyncPincite.search`."""

    limit: int | None
    where: str
    by: SearchMode | None
    context: Around | None
    budget_ms: float | None
    preset: str | None


class WorkspaceSearchKeywords(WorkspaceQuestionKeywords, total=False):
    """The arguments of a search in a workspace in addition to its text."""

    mode: TaskMode | None
    subqueries: str | tuple[str, ...]


class Workspace(RememberingWorkspace, WritingWorkspace):
    """The index and the database of workspaces, for their users. Each call resolves its access
    again, so a membership, feed or document that was withdrawn is gone with the next call."""

    _engine: WorkspaceEngine

    def __init__(
        self,
        settings: Settings,
        workspaces: Workspaces,
        *,
        reranker: Reranker | None = None,
        lexical: bool = False,
    ) -> None:
        """`settings` are those of an index that has only workspaces. `lexical` opens it without a
        dense model. Raise ConfigError, UsageError."""
        own = settings_for(settings)
        if own.workspace.metadata == "model" and not own.use.llm:
            raise ConfigError(
                'workspace.metadata is "model", but no language model is configured',
                hint='set [models] llm = "PROVIDER:MODEL", or metadata = "rules"',
            )
        require_shared_memory(own)
        self._engine = WorkspaceEngine(own, workspaces, reranker)
        self._workspaces = workspaces
        self._base = own.indexed_collection
        self._folder = own.index
        self._made = False
        self._lexical = lexical
        self._check = SecondCheck(workspaces)

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
        """Close the index. The caller that opened the database closes it."""
        await self._engine.close()

    async def check_index(self) -> None:
        """Raise IndexUnavailable or StoreError if the index does not answer. An empty index is no
        error."""
        if await self._has_collection():
            await self._engine.client().hello()

    @property
    def kept_back(self) -> int:
        """Return how many documents the second check has withheld. Each one is an alarm in the
        log."""
        return self._check.kept_back

    @property
    def reads_pictures(self) -> bool:
        """Return whether OCR reads uploaded pages that are pictures, as `[documents] ocr` says."""
        return self._engine.settings.documents.ocr

    @property
    def settings(self) -> Settings:
        """Return the settings of the index."""
        return self._engine.settings

    @property
    def llm(self) -> str:
        """Return the language model that writes answers, empty if there is none."""
        return self._engine.settings.use.llm

    async def languages(self) -> tuple[str, ...]:
        """Return the languages whose stemmers are applied to texts."""
        infos = await self._engine.client().collections() if await self._has_collection() else ()
        own = (one.spec for one in infos if one.spec.public_name == self._base)
        return tuple(sorted({one.language for one in own})) or ("english",)

    async def collections(self, access: Access) -> tuple[SearchedCollection, ...]:
        """Return the collections that searches use, with their models, but nothing about their
        content. Raise Forbidden, IndexUnavailable."""
        require_scope(access, "search")
        return await searched_collections(self._engine, self._base)

    async def rerank(
        self, access: Access, query: str, texts: Sequence[str], top_n: int | None = None
    ) -> Reranked:
        """Return texts of the caller in the order of the configured reranker, best first. Raise
        Forbidden and the errors of `rerank_texts`."""
        require_scope(access, "search")
        return await rerank_texts(self._engine, query, texts, top_n)

    async def search(
        self,
        access: Access,
        text: str,
        *,
        trace: Trace | None = None,
        **keywords: Unpack[WorkspaceSearchKeywords],
    ) -> EvidencePack:
        """Return the evidence for a question, best first, from the documents that the access may
        read. `trace` is for the operator: its stages include candidates that the access may not
        read.

        Raise UsageError for an invalid argument, NotFound for a space that the user is not a member
        of, Forbidden, WorkspaceUnavailable, IndexUnavailable."""
        within = await self._within(access)
        return await within.find(SearchOptions(text, **keywords), trace)

    async def context(
        self,
        access: Access,
        text: str,
        budget: int = BUDGET,
        *,
        order: ContextOrder = "u",
        line_numbers: bool = True,
        count: CountTokens | None = None,
        **keywords: Unpack[WorkspaceSearchKeywords],
    ) -> ContextBlock:
        """Return the evidence of `search` as a block for a prompt, of at most `budget` tokens; see
        `AsyncPincite.context_for`. Raise the errors of `search`."""
        within = await self._within(access)
        form = {"order": order, "line_numbers": line_numbers, "count": count}
        return await within.context_for(text, budget, **form, **keywords)  # type: ignore[arg-type]

    async def answer(
        self,
        access: Access,
        text: str,
        *,
        conversation: str = "",
        speaker: Access | None = None,
        mode: ChatMode | None = None,
        **keywords: Unpack[WorkspaceQuestionKeywords],
    ) -> Answer:
        """Return an answer from the evidence that `search` finds. Raise the errors of `search` and
        ConversationNotFound."""
        said = {"conversation": conversation, "speaker": speaker}
        events = self.answer_stream(access, text, mode=mode, **said, **keywords)  # type: ignore[arg-type]
        async with aclosing(events):  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, Answer):
                    return event
        raise AssertionError("an answer ends with an Answer")

    async def require_conversation(self, access: Access, id_: str) -> None:
        """Raise ConversationNotFound if the conversation does not exist or belongs to somebody
        else."""
        user, space = person_of(owner_of(access))
        async with self._workspaces.of(user) as session:
            await session.conversation(id_, space)

    async def answer_stream(
        self,
        access: Access,
        text: str,
        *,
        conversation: str = "",
        speaker: Access | None = None,
        mode: ChatMode | None = None,
        **keywords: Unpack[WorkspaceQuestionKeywords],
    ) -> AsyncIterator[AnswerEvent]:
        """Yield the events of `answer` while it is written. Memory and conversations belong to the
        user; those of a key of one space are kept apart. `speaker` is the access that they belong
        to, if it differs from the narrower access of the question."""
        who = speaker or access
        if who.user_id != access.user_id or not who.reaches(access.space_id):
            raise UsageError("the speaker is another user, or in another space than the question")
        within = await self._within(access)
        if conversation:  # before a model is asked
            await self.require_conversation(who, conversation)
        asked = within.narrowed(SearchOptions(text, **keywords))
        options = AnswerOptions(asked, owner_of(who), conversation, mode)
        events = self._engine.answering(options, admit=within.admission)
        async with aclosing(events):
            async for event in events:
                yield event

    async def get(self, access: Access, citation: str, context: int = 0) -> Passage:
        """Return the text of a citation or of the #id of a chunk, with `context` lines around it.
        Raise NotFound, in the same words for missing and for unreadable text, and UsageError for a
        text that is not a citation. If the content of the document was replaced and is not indexed
        yet, the text is the earlier one, `changed`, with a warning."""
        within = await self._within(access)
        nothing = f"no indexed file is named {citation[:300]!r}"
        try:
            if not within.collections:
                raise NotNamed(nothing)
            found = await read_passage(
                self._engine.client(),
                citation,
                context,
                self._folder,
                bounds=within.bounds,
                collections=within.collections,
                admit=within.may_show if within.wide else None,
            )
            if await within.may_show(found.path):
                earlier = await self._check.replaced(access, [document_of(found.path)])
                return replace(found, changed=True, warning=REPLACED) if earlier else found
            raise NotNamed(nothing)
        except UsageError as error:
            if within.wide and (not within.shown or isinstance(error, NotNamed)):
                raise NotFound(nothing) from error  # another message would reveal hidden documents
            if isinstance(error, NotNamed | NoChunk):
                raise NotFound(error.message) from error
            raise

    async def check(self, access: Access, claims: Sequence[Claim]) -> tuple[ClaimCheck, ...]:
        """Return for each claim whether its citation is valid and whether the source contains the
        quote. A citation of text that may not be read is `unknown`, as one of missing text is. So
        is a citation of an earlier version without a quote, with its path and the reason, and of a
        document whose new content is not indexed yet. Raise the errors of `search`."""
        within = await self._within(access)
        if not within.collections:
            return tuple(ClaimCheck(one.citation, "unknown", _UNKNOWN) for one in claims)
        found = await check_claims(
            self._engine.client(),
            claims,
            self._folder,
            bounds=within.bounds,
            collections=within.collections,
            faults=False,  # they name files of the server
        )
        ids = {one.path: document_of(one.path) for one in found if one.path is not None}
        replaced = await self._check.replaced(access, ids.values())
        checked = []
        for one in found:
            hidden = one.path is not None and not await within.may_show(one.path)
            if hidden or (one.status == "unknown" and one.path is None):
                one = ClaimCheck(one.citation, "unknown", _UNKNOWN)
            elif one.path is not None and ids[one.path] in replaced:
                one = ClaimCheck(one.citation, "unknown", REPLACED, one.path)
            checked.append(one)
        return tuple(checked)

    async def verify(self, access: Access, pack: EvidencePack) -> tuple[Checked, ...]:
        """Return for each passage whether it is still current. Text that may no longer be read is
        `deleted`, text of a document whose new content is not indexed yet `unknown`. Raise the
        errors of `search`."""
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
            paths = {item.number: item.path for item in held}
            ids = {number: document_of(path) for number, path in paths.items()}
            replaced = await self._check.replaced(access, ids.values())  # first, as in searches
            checks = await verify_pack(client, asked, folder=self._folder, bounds=within.bounds)
            for one in checks:
                if one.status != "deleted" and await within.may_show(paths[one.number]):
                    earlier = Checked(one.number, one.citation, "unknown", REPLACED)
                    found[one.number] = earlier if ids[one.number] in replaced else one
        return tuple(
            found.get(item.number) or Checked(item.number, item.citation, "deleted", _UNKNOWN)
            for item in pack.evidence
        )

    async def delete(self, access: Access, document_id: str) -> Document:
        """Request the deletion of a document: it is hidden from all users at once, and a worker
        removes it from the index. Raise NotFound, Forbidden."""
        require_scope(access, "write")
        async with self._workspaces.of(access.user_id) as session:
            found = await session.document(document_id)
            readable = await session.readable(access)
            allowed = readable.document_ids is None or found.id in readable.document_ids
            if found.space_id not in readable.space_ids or not allowed:
                raise NotFound(f"no document has the id {document_id!r}")
            return await session.delete_document(document_id)

    async def _within(self, access: Access) -> WithinAccess:
        """Resolve an access to its current bounds. Raise NotFound, Forbidden,
        WorkspaceUnavailable."""
        require_scope(access, "search")
        async with self._workspaces.of(access.user_id) as session:
            readable = await session.readable(access, _LISTED)
        there = (self._base,) if await self._has_collection() else ()
        bounds = bounds_of(readable, access)
        return WithinAccess(self._engine, self._check, access, bounds, there, wide=readable.wide)

    async def _has_collection(self) -> bool:
        if not self._made:
            try:
                infos = await self._engine.client().collections()
            except IndexNotFound:
                return False
            self._made = any(info.spec.public_name == self._base for info in infos)
        return self._made
