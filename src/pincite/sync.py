"""`AsyncPincite` for callers without an event loop."""

from __future__ import annotations

from collections.abc import (
    AsyncIterable,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Mapping,
)
from functools import partial
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, TypeVar, Unpack

from pincite.asking import SearchKeywords, SearchOptions
from pincite.asking.answers import AnswerKeywords
from pincite.citations.check_item import Checked
from pincite.citations.compare_claim import Claim, ClaimCheck
from pincite.citations.files import Listing, Most, Passages
from pincite.citations.passage import Passage
from pincite.daemon.refresh.freshness import Freshness
from pincite.engine import AsyncPincite
from pincite.engine.descriptions import Description
from pincite.ingestion.options import IndexKeywords, IndexOptions, RecordKeywords
from pincite.ingestion.report import IngestReport, Progress
from pincite.model import (
    Answer,
    AnswerEvent,
    ChatMode,
    EvidencePack,
    Fact,
    Question,
    Record,
    Scope,
    SourceType,
    TaskMode,
    Turn,
)
from pincite.model.context_block import BUDGET, ContextBlock, ContextOrder, CountTokens
from pincite.model.records import RECORDS
from pincite.ports import CollectionInfo, ConversationState, Reranker, Waiting
from pincite.profile import Profile
from pincite.settings.defaults import WAIT_S
from pincite.settings.load import Settings
from pincite.settings.sections.refresh import RefreshMode
from pincite.stages.context import Around
from pincite.stages.retrieve import SearchMode
from pincite.support.processes.caller import Caller, Reading
from pincite.support.processes.engine_thread import EngineThread
from pincite.trace import Trace

if TYPE_CHECKING:
    from pincite.maintenance.reembed import Reembedded, Reembedding, ReembedOptions
    from pincite.records.report import DeleteReport, UpsertProgress, UpsertReport
    from pincite.scope.choosing import Admit

C = TypeVar("C", bound=type)


def _documented(facade: C) -> C:
    """The class with the docstrings of the methods of `AsyncPincite` that have the same names, and
    their examples without `await`."""
    for name, method in vars(facade).items():
        original = getattr(AsyncPincite, name, None)
        if callable(method) and original is not None and (name[0] != "_" or name == "__init__"):
            shown = (original.__doc__ or "").replace("await ", "").replace(" async for ", " for ")
            method.__doc__ = shown.replace("Async", "")
    return facade


@_documented
class Pincite:
    """An open index folder with the methods of `AsyncPincite`. Use it as a context manager.

    Its event loop runs in a thread of its own, so it may be used from several threads, and where
    a loop is running already, as in a notebook. A forked process opens the index anew.

    >>> with Pincite(".pincite") as pincite:
    ...     reports = pincite.index("docs", lexical=True)
    ...     pack = pincite.search("how is a key rotated?")
    >>> pack[0].path
    'src/keys.py'
    """

    def __init__(
        self,
        index: str | PathLike[str] | Settings | None = None,
        *,
        reranker: Reranker | None = None,
        refresh: RefreshMode | None = None,
    ) -> None:
        """See `AsyncPincite`."""
        self._thread = EngineThread(
            AsyncPincite(index, reranker=reranker, refresh=refresh),
            lambda engine: AsyncPincite(engine.settings, reranker=reranker),
        )

    @property
    def _engine(self) -> AsyncPincite:
        return self._thread.engine

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """See `AsyncPincite.close`."""
        self._thread.close()

    def index(
        self,
        locations: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
        *,
        options: IndexOptions | None = None,
        progress: Callable[[Progress], None] | None = None,
        **keywords: Unpack[IndexKeywords],
    ) -> tuple[IngestReport, ...]:
        """See `AsyncPincite.index`."""

        def work(caller: Caller) -> Awaitable[tuple[IngestReport, ...]]:
            told = caller.told(progress)
            return self._engine.index(locations, options=options, progress=told, **keywords)

        return self._thread.call_from(work)

    def upsert(
        self,
        records: Iterable[object] | AsyncIterable[object] | Record,
        *,
        collection: str = "",
        source: str = RECORDS,
        batch: int = 1_000,
        on_error: Literal["report", "raise"] = "report",
        options: IndexOptions | None = None,
        progress: Callable[[UpsertProgress], None] | None = None,
        **keywords: Unpack[RecordKeywords],
    ) -> UpsertReport:
        """See `AsyncPincite.upsert`."""

        def work(caller: Caller) -> Awaitable[UpsertReport]:
            of = partial(self._engine.upsert, Reading(records, caller), collection=collection)
            how = partial(of, source=source, batch=batch, on_error=on_error, options=options)
            return how(progress=caller.told(progress), **keywords)

        return self._thread.call_from(work)

    def delete(
        self,
        *,
        ids: str | int | Iterable[str | int] | None = None,
        where: str = "",
        tags: Mapping[str, object] | None = None,
        collection: str = "",
        source: str = RECORDS,
        waiting: Waiting = Waiting(WAIT_S),
    ) -> DeleteReport:
        """See `AsyncPincite.delete`."""
        work = partial(self._engine.delete, ids=ids, where=where, tags=tags, waiting=waiting)
        return self._thread.call(partial(work, collection=collection, source=source))

    def count_records(
        self,
        *,
        ids: str | int | Iterable[str | int] | None = None,
        where: str = "",
        tags: Mapping[str, object] | None = None,
        collection: str = "",
        source: str = RECORDS,
    ) -> int:
        """See `AsyncPincite.count_records`."""
        work = partial(self._engine.count_records, ids=ids, where=where, tags=tags)
        return self._thread.call(partial(work, collection=collection, source=source))

    def search(
        self,
        text: str,
        *,
        limit: int | None = None,
        kinds: SourceType | Iterable[SourceType] = (),
        paths: str | Iterable[str] = (),
        not_paths: str | Iterable[str] = (),
        where: str = "",
        collections: str | Iterable[str] = (),
        sources: str | Iterable[str] = (),
        ref: str | None = None,
        tags: Mapping[str, object] | None = None,
        mode: TaskMode | None = None,
        preset: str | None = None,
        by: SearchMode | None = None,
        context: Around | None = None,
        budget_ms: float | None = None,
        subqueries: str | Iterable[str] = (),
        scope: Scope | None = None,
        profile: Profile | None = None,
        show_all: bool = False,
        trace: Trace | None = None,
    ) -> EvidencePack:
        """See `AsyncPincite.search`."""
        return self._thread.call(
            partial(
                self._engine.search,
                text,
                limit=limit,
                kinds=kinds,
                paths=paths,
                not_paths=not_paths,
                where=where,
                collections=collections,
                sources=sources,
                ref=ref,
                tags=tags,
                mode=mode,
                preset=preset,
                by=by,
                context=context,
                budget_ms=budget_ms,
                subqueries=subqueries,
                scope=scope,
                profile=profile,
                show_all=show_all,
                trace=trace,
            )
        )

    def find(
        self, asked: SearchOptions, *, trace: Trace | None = None, admit: Admit | None = None
    ) -> EvidencePack:
        """See `AsyncPincite.find`."""
        return self._thread.call(partial(self._engine.find, asked, trace=trace, admit=admit))

    def ask(
        self, question: Question, *, profile: Profile | None = None, trace: Trace | None = None
    ) -> EvidencePack:
        """See `AsyncPincite.ask`."""
        return self._thread.call(partial(self._engine.ask, question, profile=profile, trace=trace))

    def answer(
        self,
        text: str,
        *,
        user: str = "",
        conversation: str = "",
        mode: ChatMode | None = None,
        **keywords: Unpack[AnswerKeywords],
    ) -> Answer:
        """See `AsyncPincite.answer`."""
        work = partial(self._engine.answer, text, user=user, conversation=conversation, mode=mode)
        return self._thread.call(partial(work, **keywords))

    def answer_stream(
        self,
        text: str,
        *,
        user: str = "",
        conversation: str = "",
        mode: ChatMode | None = None,
        **keywords: Unpack[AnswerKeywords],
    ) -> Generator[AnswerEvent, None, None]:
        """See `AsyncPincite.answer_stream`."""
        of = partial(self._engine.answer_stream, text, user=user, conversation=conversation)
        return self._thread.iterate(partial(of, mode=mode, **keywords))

    def get(
        self,
        locator: str,
        context: int = 0,
        *,
        tags: Mapping[str, object] | None = None,
        collections: str | Iterable[str] = (),
        here: str | None = None,
    ) -> Passage:
        """See `AsyncPincite.get`."""
        work = partial(self._engine.get, locator, context)
        return self._thread.call(partial(work, tags=tags, collections=collections, here=here))

    def files(
        self,
        patterns: str | Iterable[str] = (),
        *,
        most: int = 1_000,
        tags: Mapping[str, object] | None = None,
        collections: str | Iterable[str] = (),
        here: str | None = None,
    ) -> Listing:
        """See `AsyncPincite.files`."""
        work = partial(self._engine.files, patterns, most=most)
        return self._thread.call(partial(work, tags=tags, collections=collections, here=here))

    def get_many(
        self,
        names: str | Iterable[str],
        *,
        most: Most | None = None,
        tags: Mapping[str, object] | None = None,
        collections: str | Iterable[str] = (),
        here: str | None = None,
    ) -> Passages:
        """See `AsyncPincite.get_many`."""
        work = partial(self._engine.get_many, names, most=most)
        return self._thread.call(partial(work, tags=tags, collections=collections, here=here))

    def check(
        self,
        claims: str | Claim | Iterable[str | Claim],
        *,
        tags: Mapping[str, object] | None = None,
        collections: str | Iterable[str] = (),
        here: str | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> tuple[ClaimCheck, ...]:
        """See `AsyncPincite.check`."""
        work = partial(self._engine.check, claims, here=here, progress=progress)
        return self._thread.call(partial(work, tags=tags, collections=collections))

    def verify(
        self,
        pack: EvidencePack | Answer,
        *,
        tags: Mapping[str, object] | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> tuple[Checked, ...]:
        """See `AsyncPincite.verify`."""
        work = partial(self._engine.verify, pack, tags=tags, progress=progress)
        return self._thread.call(work)

    def collections(self) -> tuple[CollectionInfo, ...]:
        """See `AsyncPincite.collections`."""
        return self._thread.call(self._engine.collections)

    def context_for(
        self,
        text: str,
        budget: int = BUDGET,
        *,
        order: ContextOrder = "u",
        line_numbers: bool = True,
        count: CountTokens | None = None,
        **keywords: Unpack[SearchKeywords],
    ) -> ContextBlock:
        """See `AsyncPincite.context_for`."""
        work = partial(self._engine.context_for, text, budget, order=order, count=count)
        return self._thread.call(partial(work, line_numbers=line_numbers, **keywords))

    def warm(self) -> None:
        """See `AsyncPincite.warm`."""
        self._thread.call(self._engine.warm)

    def reopen(self) -> None:
        """See `AsyncPincite.reopen`."""
        self._engine.reopen()

    def refresh(self, *, wait: bool = True) -> Freshness:
        """See `AsyncPincite.refresh`."""
        return self._thread.call(partial(self._engine.refresh, wait=wait))

    def freshness(self) -> Freshness:
        """See `AsyncPincite.freshness`."""
        return self._thread.call(self._engine.freshness)

    def reembed(
        self,
        collection: str,
        model: str,
        *,
        options: ReembedOptions | None = None,
        progress: Callable[[Reembedding], None] | None = None,
    ) -> Reembedded:
        """See `AsyncPincite.reembed`."""

        def work(caller: Caller) -> Awaitable[Reembedded]:
            told = caller.told(progress)
            return self._engine.reembed(collection, model, options=options, progress=told)

        return self._thread.call_from(work)

    def drop(self, collection: str, waiting: Waiting = Waiting(WAIT_S)) -> None:
        """See `AsyncPincite.drop`."""
        self._thread.call(partial(self._engine.drop, collection, waiting))

    def forget(self, collection: str, source: str, waiting: Waiting = Waiting(WAIT_S)) -> int:
        """See `AsyncPincite.forget`."""
        return self._thread.call(partial(self._engine.forget, collection, source, waiting))

    def describe(
        self,
        place: str | PathLike[str],
        text: str,
        *,
        collections: str | Iterable[str] = (),
        waiting: Waiting = Waiting(WAIT_S),
    ) -> tuple[Description, ...]:
        """See `AsyncPincite.describe`."""
        asked = partial(self._engine.describe, collections=collections, waiting=waiting)
        return self._thread.call(partial(asked, place, text))

    def descriptions(self) -> tuple[Description, ...]:
        """See `AsyncPincite.descriptions`."""
        return self._thread.call(self._engine.descriptions)

    def remember(self, user: str, text: str) -> tuple[Fact, ...]:
        """See `AsyncPincite.remember`."""
        return self._thread.call(partial(self._engine.remember, user, text))

    def recall(self, user: str, query: str, limit: int = 5) -> tuple[Fact, ...]:
        """See `AsyncPincite.recall`."""
        return self._thread.call(partial(self._engine.recall, user, query, limit))

    def facts(self, user: str, after: str = "", limit: int | None = None) -> tuple[Fact, ...]:
        """See `AsyncPincite.facts`."""
        return self._thread.call(partial(self._engine.facts, user, after, limit))

    def forget_facts(self, user: str, fact: str = "") -> int:
        """See `AsyncPincite.forget_facts`."""
        return self._thread.call(partial(self._engine.forget_facts, user, fact))

    def begin_conversation(self, owner: str = "", title: str = "") -> str:
        """See `AsyncPincite.begin_conversation`."""
        return self._thread.call(partial(self._engine.begin_conversation, owner, title))

    def conversations(self, owner: str = "", limit: int = 50) -> tuple[ConversationState, ...]:
        """See `AsyncPincite.conversations`."""
        return self._thread.call(partial(self._engine.conversations, owner, limit))

    def turns(self, conversation: str, owner: str = "") -> tuple[Turn, ...]:
        """See `AsyncPincite.turns`."""
        return self._thread.call(partial(self._engine.turns, conversation, owner))

    def delete_conversation(self, conversation: str, owner: str = "") -> None:
        """See `AsyncPincite.delete_conversation`."""
        self._thread.call(partial(self._engine.delete_conversation, conversation, owner))

    def stop(self) -> bool:
        """See `AsyncPincite.stop`."""
        return self._thread.call(self._engine.stop)
