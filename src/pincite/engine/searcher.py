"""Search an open index. This module is imported with the first search, because an indexing run does
not need it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pincite.collection.tracing import watched_search
from pincite.current_files.files import FilesOnDisk
from pincite.daemon.client.remote_search import remote_search_of
from pincite.deps import Admission, Deps
from pincite.engine.awaited_events import lacks
from pincite.engine.open_collections import OpenCollections
from pincite.engine.place_scope import place_scope
from pincite.engine.search_notices import SearchNotices
from pincite.errors import PinciteError, UsageError
from pincite.model import EvidencePack, Question, SourceRecord
from pincite.ports import Reranker
from pincite.profile import Profile
from pincite.retrieval_log import Asked, Entry, Recorder
from pincite.scope.choosing import Admit
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


@dataclass(frozen=True, slots=True)
class _Search:
    """What all tries of one search share: its question and profile, its `steps`, its `entry` in
    the log, and what restricts its documents."""

    question: Question
    profile: Profile
    steps: Trace
    entry: Entry
    admit: Admit | None


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
        meanwhile, and once more if file events arrive that may matter to what it lacks. Errors do
        not show the names of unshown collections, but their causes do."""
        try:
            where = (self._client, self._foreign, self._settings)
            placed = await place_scope(question.scope, here, *where, admit=admit)
            question = replace(question, scope=placed)
            with (
                watched_search(question, profile, steps) as watched,
                self._log().entry(Asked.of(_told(question, admit), profile), steps) as entry,
            ):
                one = _Search(question, profile, steps, entry, admit)
                begun_s = time.monotonic()
                pack, state = await self._searched(one)
                if await self._may_find_more(one, pack, state, begun_s):
                    pack, _ = await self._searched(one)
                entry.pack = pack
                watched.found(pack, told=entry.told)
                return pack
        except PinciteError as error:
            if (told := unnamed(error, question.scope)) is error:
                raise
            raise told from error

    async def _searched(self, one: _Search) -> tuple[EvidencePack, Freshness | None]:
        """Look whether the index is up to date, and search it, again if collections were added or
        removed meanwhile. Return the pack and the state of the index before the search."""
        state = await self._notices.look()
        for left in reversed(range(_TRIES)):
            try:
                pack = await self._once(one, state)
            except UsageError:
                if not (left and await self.collections.outdated()):
                    raise
                continue
            overtaken = any(notice.code in _OVERTAKEN for notice in pack.warnings)
            if not (left and overtaken and await self.collections.outdated()):
                break
        return pack, state

    async def _may_find_more(
        self, one: _Search, pack: EvidencePack, state: Freshness | None, begun_s: float
    ) -> bool:
        """Return whether another search may find what this one lacks, because files have changed a
        moment before the question. If it lacks nothing, or has a time budget, this does not wait
        for file events."""
        if one.question.budget_ms is not None or not lacks(pack, one.question, one.profile.prepare):
            return False
        scope = one.question.scope
        return await self._notices.changed_meanwhile(state, one.entry.infos, scope, begun_s)

    async def _once(self, one: _Search, state: Freshness | None) -> EvidencePack:
        """Open the collections, search them, and warn about documents that are not indexed."""
        one.steps.steps.clear()
        one.entry.found = None
        scope = one.question.scope
        checked = one.admit is not None
        known, deps = await self.collections.opened(scope, one.profile, asked=True)
        infos = one.entry.infos = [known.infos[each.spec.name] for each in deps.collections]
        notices = self._notices.refreshing(state, infos, scope, checked=checked)
        notices += await self._notices.still_unfinished(infos, scope, self.collections.reopen)
        pack = await self._here_or_in_daemon(one, deps.admitting(one.admit))
        if not (pack.evidence or pack.closest or notices):
            notices = await self._notices.empty(infos, scope)
            if notices:
                verdict = replace(pack.verdict, reason="The index has no documents.")
                return replace(pack, verdict=verdict, warnings=(*pack.warnings, *notices))
        notices += await self._notices.manual(pack, infos, scope, checked=checked)
        return replace(pack, warnings=(*pack.warnings, *notices)) if notices else pack

    async def _here_or_in_daemon(self, one: _Search, deps: Deps) -> EvidencePack:
        """Search in the daemon if it has all that this search needs, otherwise in this process."""
        question, profile, steps = one.question, one.profile, one.steps
        asked, daemon = None, self._client()
        if not steps.detailed:
            asked = remote_search_of(question, deps, daemon, profile, logged=self._log().enabled)
        if asked is None:
            return await search(question, deps.comparing(self._files), profile, steps)
        answer = await daemon.ask(asked)
        one.entry.found, one.entry.told = answer.found, answer.told
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
