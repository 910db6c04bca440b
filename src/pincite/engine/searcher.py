"""Search an open index. This module is imported with the first search, because an indexing run does
not need it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pincite.collection.tracing import watched_search
from pincite.current_files.files import FilesOnDisk
from pincite.daemon.client.remote_search import remote_search_of
from pincite.deps import Admission, Admit, Deps
from pincite.engine.open_collections import OpenCollections
from pincite.engine.place_scope import place_scope
from pincite.engine.search_notices import SearchNotices
from pincite.errors import PinciteError, UsageError
from pincite.model import EvidencePack, Question, SourceRecord
from pincite.ports import Reranker
from pincite.profile import Profile
from pincite.retrieval_log import Asked, Entry, Recorder
from pincite.scope.unshown import unnamed
from pincite.search import search
from pincite.support.fields import replace
from pincite.trace import Trace

if TYPE_CHECKING:
    from pincite.collection.foreign import ForeignCollections
    from pincite.daemon.refresh.freshness import Freshness
    from pincite.daemon.wire.protocol import ServedIndex
    from pincite.encoders.by_name import Models
    from pincite.settings.load import Settings

#: The notices of a search if a collection was removed or replaced while it ran.
_OVERTAKEN = ("collection_failed", "context_unavailable", "index_changed")
_TRIES = 3  # of a search whose collections were added or removed while it ran


class Searcher:
    """Searches one open index. Its `collections` and their encoders are opened with the first
    search."""

    def __init__(
        self,
        settings: Settings,
        client: Callable[[], ServedIndex],
        models: Models,
        foreign: ForeignCollections,
        log: Callable[[], Recorder],
        reranker: Callable[[], Reranker | None],
    ) -> None:
        """`log` returns the current log. `reranker` returns a reranker to use instead of the
        configured one, or None."""
        self.collections = OpenCollections(settings, client, models, foreign, reranker)
        self._settings = settings
        self._client = client
        self._foreign = foreign
        self._log = log
        self._notices = SearchNotices(settings, client)
        self._files = FilesOnDisk(self._sources)

    async def search(
        self,
        question: Question,
        profile: Profile,
        steps: Trace,
        here: str | None = None,
        admit: Admit | None = None,
    ) -> EvidencePack:
        """Run and log a search. It is repeated, up to twice, if collections were added or removed
        meanwhile. Errors do not show the names of unshown collections, but their causes do."""
        try:
            return await self._logged(question, profile, steps, here, admit)
        except PinciteError as error:
            if (told := unnamed(error, question.scope)) is error:
                raise
            raise told from error

    async def _logged(
        self,
        question: Question,
        profile: Profile,
        steps: Trace,
        here: str | None,
        admit: Admit | None,
    ) -> EvidencePack:
        where = (self._client, self._foreign, self._settings)
        question = replace(question, scope=await place_scope(question.scope, here, *where))
        with (
            watched_search(question, profile, steps) as watched,
            self._log().entry(Asked.of(_told(question, admit), profile), steps) as entry,
        ):
            begun_s, state = time.monotonic(), await self._notices.look()
            pack = await self._repeated(state, question, profile, steps, entry, admit)
            if await self._may_find_more(pack, state, question, entry, begun_s):
                state = await self._notices.look()
                pack = await self._repeated(state, question, profile, steps, entry, admit)
            entry.pack = pack
            watched.found(pack, told=entry.told)
            return pack

    async def _may_find_more(
        self,
        pack: EvidencePack,
        state: Freshness | None,
        question: Question,
        entry: Entry,
        begun_s: float,
    ) -> bool:
        """Return whether the verdict is `none` and files have changed a moment before the question.
        Only then, this waits for file events. A question with a budget gets no such wait."""
        if pack.verdict.level != "none" or question.budget_ms is not None:
            return False
        return await self._notices.changed_meanwhile(state, entry.infos, question.scope, begun_s)

    async def _repeated(
        self,
        state: Freshness | None,
        question: Question,
        profile: Profile,
        steps: Trace,
        entry: Entry,
        admit: Admit | None,
    ) -> EvidencePack:
        """Search, again if collections were added or removed meanwhile."""
        for left in reversed(range(_TRIES)):
            try:
                pack = await self._once(state, question, profile, steps, entry, admit)
            except UsageError:
                if not (left and await self.collections.outdated()):
                    raise
                continue
            overtaken = any(one.code in _OVERTAKEN for one in pack.warnings)
            if not (left and overtaken and await self.collections.outdated()):
                break
        return pack

    async def _once(
        self,
        state: Freshness | None,
        question: Question,
        profile: Profile,
        steps: Trace,
        entry: Entry,
        admit: Admit | None,
    ) -> EvidencePack:
        """Open the collections, search them, and warn about documents that are not indexed."""
        steps.steps.clear()
        entry.found = None
        scope = question.scope
        notices = self._notices.refreshing(state, scope)
        known, deps = await self.collections.opened(scope, profile, asked=True)
        deps = deps.admitting(admit)
        entry.infos = [known.infos[one.spec.name] for one in deps.collections]
        reopen = self.collections.reopen
        notices += await self._notices.still_unfinished(entry.infos, scope, reopen)
        pack = await self._here_or_in_daemon(question, deps, profile, steps, entry)
        if not (pack.evidence or pack.closest or notices):
            notices = await self._notices.empty(entry.infos, scope)
            if notices:
                verdict = replace(pack.verdict, reason="The index has no documents.")
                return replace(pack, verdict=verdict, warnings=(*pack.warnings, *notices))
        notices += await self._notices.manual(pack, entry.infos, scope)
        return replace(pack, warnings=(*pack.warnings, *notices)) if notices else pack

    async def _here_or_in_daemon(
        self, question: Question, deps: Deps, profile: Profile, steps: Trace, entry: Entry
    ) -> EvidencePack:
        """Search in the daemon if it has all that this search needs, otherwise in this process."""
        asked, daemon = None, self._client()
        if not steps.detailed:
            asked = remote_search_of(question, deps, daemon, profile, logged=self._log().enabled)
        if asked is None:
            return await search(question, deps.comparing(self._files), profile, steps)
        answer = await daemon.ask(asked)
        entry.found, entry.told = answer.found, answer.told
        return answer.pack

    async def _sources(self, collection: str) -> Sequence[SourceRecord]:
        if collection in self._foreign.readable():  # the daemon does not know it and need not start
            return ()
        return await self._client().sources(collection)


def _told(question: Question, admit: Admit | None) -> Question:
    """Return the question as the log stores it. If an `Admission` also restricts the documents, the
    bounds of the scope are removed. A repetition of the logged question is then refused, so it
    never finds more documents than this search."""
    if not isinstance(admit, Admission) or admit.choice is None:
        return question
    return replace(question, scope=replace(question.scope, bounds={}))
