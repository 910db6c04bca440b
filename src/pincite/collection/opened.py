"""An open index folder and a search of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Self

from pincite.asking.paths import is_placed, place_paths
from pincite.catalog.file import holds_index
from pincite.collection.external import ForeignCollections
from pincite.collection.members import visible
from pincite.collection.searchables import Searchables, open_searchables
from pincite.collection.watched import watched_search
from pincite.daemon.freshness import Freshness, Wish
from pincite.daemon.open_index import is_shared, open_index, prepare
from pincite.daemon.protocol import ServedIndex
from pincite.daemon.remote_search import remote_search_of
from pincite.deps import Admission, Admit, Deps, informative_terms
from pincite.encoders.by_name import Models, NamedReranker, cutter_of
from pincite.errors import ConfigError, IndexNotFound, StoreError, UsageError
from pincite.model import (
    DocumentRecord,
    EvidencePack,
    Notice,
    Question,
    Scope,
    Source,
    SourceRecord,
)
from pincite.ports import LLM, CollectionInfo, Reranker
from pincite.profile import Profile
from pincite.providers.llm.wording_cache import wordings_beside
from pincite.providers.sparse.language import guess_language
from pincite.retrieval_log import Asked, Entry, file_recorder
from pincite.scope.filter import check_scope
from pincite.scope.paths import path_test
from pincite.scope.reading import named_infos, within_tags
from pincite.search import search
from pincite.settings.load import Settings
from pincite.trace import Trace
from pincite.truth.files import FilesOnDisk

log = logging.getLogger("pincite")

_LOOK_S = 0.05
#: The notice of a search if a collection was removed while it ran.
_OVERTAKEN = ("collection_failed", "context_unavailable")


class OpenIndex:
    """The daemon, the models, other programs' collections and the log of an index folder. Each is
    opened on first use. `pincite.engine` builds the public methods on it."""

    def __init__(self, settings: Settings, reranker: Reranker | None = None) -> None:
        self.settings = settings
        self._models = Models(
            settings.use, settings.models, offline=settings.offline, on_notice=_log_notice
        )
        name = settings.use.rerank if reranker is None else ""
        self._named = NamedReranker(self._models, name) if name else None
        self._reranker = reranker or self._named
        self.foreign = ForeignCollections(settings, self._models)
        self._client: ServedIndex | None = None
        self._is_shared = is_shared(settings)
        self._searchables: Searchables | None = None
        self._known_wordings = wordings_beside(settings.use.cache)
        self._files = FilesOnDisk(self._sources)
        self.log = file_recorder(settings.index, settings.log)

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
        """Disconnect from the daemon and from providers. The daemon keeps running. Leaving the
        context manager calls this method.

        >>> await pincite.close()
        """
        await self._models.close()
        await self.foreign.close()
        if self._client is not None:
            await self._client.close()

    def client(self, *, create: bool = False) -> ServedIndex:
        """The daemon that has the index open, for calls that have no method here.

        Arguments:
            create: create the folder if there is no index yet.

        Raises IndexNotFound unless there is an index or `create` is set.

        >>> infos = await pincite.client().collections()
        >>> [info.spec.name for info in infos]
        ['main']
        """
        root = self.settings.index
        here = not self._is_shared
        if here and (self._client is None or not holds_index(root)):
            prepare(root, self.settings.store, create=create or bool(self.foreign))
        if self._client is None:
            self._client = open_index(self.settings)
        return self._client

    def reopen(self) -> None:
        """Make the next search list the collections again, because other processes may have changed
        them. Call it now and then in a long-running program. It costs the next search a few
        milliseconds.

        >>> pincite.reopen()
        """
        self._searchables = None

    async def refresh(self, *, wait: bool = True) -> Freshness:
        """Update indexed folders, checkouts and archives, also if `refresh.mode` is `manual`. A
        background process does the work. It adds no new sources, and removes nothing if a whole
        folder is missing.

        Arguments:
            wait: return when the update is done. If False, return at once; searches find the
                changes later.

        Returns the state of the index: what is still being indexed, and `troubles` with what could
        not be. Raises IndexNotFound, IndexUnavailable.

        >>> fresh = await pincite.refresh()
        >>> fresh.pending
        ()
        """
        daemon = self.client()
        found = await daemon.look(wish_of(self.settings, now=True))
        number = found.wanted
        while wait and found.done < number:
            await asyncio.sleep(_LOOK_S)
            found = (await daemon.condition()).freshness
        self._searchables = None
        return found

    async def freshness(self) -> Freshness:
        """The state of the index: the time of the last scan, what is being indexed, and whether
        file events are watched. Raises IndexNotFound, IndexUnavailable.

        >>> (await pincite.freshness()).indexing
        False
        """
        return (await self.client().condition()).freshness

    async def deps(self, scope: Scope = Scope()) -> Deps:
        """The dependencies of a search: collections with encoders, the reranker, language rules.

        Arguments:
            scope: the part of the index that is searched.

        Raises IndexNotFound, IndexUnavailable, FingerprintMismatch, UsageError for an unknown
        collection.

        >>> deps = await pincite.deps()
        >>> [one.spec.name for one in deps.collections]
        ['main']
        """
        return (await self._opened(scope, self.settings.profile))[1]

    async def reranker(self) -> Reranker | None:
        """The open reranker; None if none is configured. If it cannot be opened, calling it raises
        the error.

        >>> await pincite.reranker() is None
        True
        """
        if self.settings.profile.rerank.use == "never":
            return None
        if self._named is not None:
            await self._named.open(self.settings.profile.rerank.timeout_s)
        return self._reranker

    async def _opened(
        self, scope: Scope, profile: Profile, *, asked: bool = False
    ) -> tuple[Searchables, Deps]:
        """Everything that can be searched, and the dependencies of a search in this scope. If
        `asked`, the tags of the scope are checked before a provider is opened. Raises
        TagsRequired."""
        known = self._searchables
        if known is None or known.partial:  # more chunks may have vectors by now
            client = self.client()
            infos = await client.collections()
            if not infos and not self.foreign:
                raise IndexNotFound(
                    f"nothing is indexed at {self.settings.index}", hint="pincite index PATH"
                )
            opening = open_searchables(self.settings, self._models, client, infos, self.foreign)
            known = self._searchables = await opening
        chosen, notices = await known.within(scope)
        if not chosen:
            raise IndexNotFound("no indexing run of this index has finished", hint="pincite status")
        if asked:
            check_scope(chosen, scope)
        reranker = None if profile.rerank.use == "never" else self._reranker
        if self._named is not None and reranker is not None:
            await self._named.open(profile.rerank.timeout_s)
        llm = await self._llm() if profile.gate.answerable == "llm" else None
        if llm is None and profile.expand.by == "llm" and self.settings.use.llm:
            llm = await self._llm()
        return known, Deps(
            collections=chosen,
            terms=informative_terms(chosen[0].spec.language),
            language_of=guess_language,
            reranker=reranker,
            notices=notices,
            cut=cutter_of(reranker, profile.rerank.tokenizer),
            llm=llm,
            known_wordings=self._known_wordings,
        )

    async def _llm(self) -> LLM:
        """The configured language model. Raises ConfigError if there is none."""
        name = self.settings.use.llm
        if not name:
            raise ConfigError(
                'gate.answerable is "llm", but no language model is configured',
                hint='set [models] llm = "PROVIDER:MODEL", or gate.answerable = "off"',
            )
        return await self._models.llm(name)

    async def _search(
        self,
        question: Question,
        profile: Profile,
        steps: Trace,
        here: str | None = None,
        admit: Admit | None = None,
    ) -> EvidencePack:
        """Run and log a search. It is repeated once if collections were added or removed."""
        if not is_placed(question.scope):
            question = replace(question, scope=await self._placed(question.scope, here))
        with (
            watched_search(question, profile, steps) as watched,
            self.log.entry(Asked.of(_told(question, admit), profile), steps) as entry,
        ):
            once = partial(self._once, question, profile, steps, entry, admit)
            try:
                entry.pack = await once()
                failed = any(one.code in _OVERTAKEN for one in entry.pack.warnings)
            except UsageError:
                if not await self._outdated():
                    raise
                entry.pack = await once()
            else:
                if failed and await self._outdated():
                    entry.pack = await once()
            watched.found(entry.pack, told=entry.told)
            return entry.pack

    async def _placed(self, scope: Scope, here: str | None) -> Scope:
        """The scope with paths that count from the roots of sources, of which those count that the
        scope's tags let be read. Where it is not even to be searched, the search says so."""
        if self.foreign and not holds_index(self.settings.index):
            return scope
        client = self.client()
        try:
            infos = named_infos(visible(await client.collections()), scope.collections)
            within = within_tags(client, infos, scope.tags, scope.bounds)
        except UsageError:
            return scope
        read: dict[str, tuple[DocumentRecord, ...]] = {}

        async def documents(info: CollectionInfo) -> tuple[DocumentRecord, ...]:
            name = info.spec.name
            if name not in read:
                try:
                    read[name] = await within.documents(name)
                except StoreError:
                    read[name] = ()  # the search raises the error
            return read[name]

        sources: dict[tuple[str, str], Source] = {}
        for info in infos:
            of_files = [one.source for one in info.sources if one.source.kind != "records"]
            if of_files and within.keeps_back(info.spec.name):
                named = {one.source for one in await documents(info)}
                of_files = [one for one in of_files if one.name in named]
            sources |= {(info.spec.name, one.name): one for one in of_files}

        async def known(path: str) -> bool:
            fits = path_test((path,))
            for info in infos:
                if any(fits(one.source, one.path) for one in await documents(info)):
                    return True
            return False

        return await place_paths(scope, tuple(sources.values()), here, known)

    async def _once(
        self,
        question: Question,
        profile: Profile,
        steps: Trace,
        entry: Entry,
        admit: Admit | None,
    ) -> EvidencePack:
        steps.steps.clear()
        entry.found = None
        notices = await self._look(question.scope) if self.settings.refresh.auto else ()
        known, deps = await self._opened(question.scope, profile, asked=True)
        deps = deps.admitting(admit)
        entry.infos = [known.infos[one.spec.name] for one in deps.collections]
        asked, daemon = None, self.client()
        if not steps.detailed:
            asked = remote_search_of(question, deps, daemon, profile, logged=self.log.enabled)
        if asked is None:
            pack = await search(question, replace(deps, files=self._files), profile, steps)
        else:
            answer = await daemon.ask(asked)
            entry.found, entry.told, pack = answer.found, answer.told, answer.pack
        return replace(pack, warnings=(*pack.warnings, *notices)) if notices else pack

    async def _look(self, scope: Scope) -> tuple[Notice, ...]:
        """Trigger a scan of the folders if one is due, and report what is being indexed."""
        if not holds_index(self.settings.index):
            return ()
        found = await self.client().look(wish_of(self.settings))
        return refreshing_notices(found, scope, self.settings)

    async def _sources(self, collection: str) -> Sequence[SourceRecord]:
        if collection in self.foreign.readable():  # the daemon does not know it and need not start
            return ()
        return await self.client().sources(collection)

    async def _outdated(self) -> bool:
        """Were collections added or removed since they were opened? Then open them again."""
        if self._searchables is None:
            return False
        known = self._searchables.infos
        specs = {info.spec.name: info.spec for info in await self.client().collections()}
        if specs == {name: info.spec for name, info in known.items() if not info.foreign}:
            return False
        self._searchables = None
        return True


def wish_of(settings: Settings, *, now: bool = False, auto: bool = False) -> Wish:
    """How the settings want the index to be updated; `auto` overrides them."""
    given = settings.refresh
    return Wish(
        auto=auto or given.auto,
        every_s=given.every_s,
        watch=given.watch,
        remote=given.remote,
        config=str(settings.config or ""),
        models=str(settings.models),
        now=now,
    )


def refreshing_notices(found: Freshness, scope: Scope, settings: Settings) -> tuple[Notice, ...]:
    """A warning about documents that are still being indexed. If a collection requires tags or the
    search has tags, it names neither sources nor numbers."""
    said: list[str] = []
    for one in found.pending:
        options = settings.use.options.get(one.collection)
        if scope.collections and one.collection not in scope.collections:
            continue
        if scope.sources and one.source not in scope.sources:
            continue
        if scope.tags or scope.bounds or (options is not None and options.require):
            said.append(f"files of {one.collection}")
        else:
            said.append(f"{one.files:,} file{'s' * (one.files != 1)} of {one.source}")
    if not said:
        return ()
    named = ", ".join(dict.fromkeys(said))
    one_only = said == [said[0]] and said[0].startswith("1 file ")
    verb = "is" if one_only else "are"
    return (Notice("refreshing", f"{named} changed and {verb} being indexed"),)


def _log_notice(notice: Notice) -> None:
    log.warning("%s: %s", notice.code, notice.message)


def _told(question: Question, admit: Admit | None) -> Question:
    """The question as the log keeps it. Without any bounds where they are not all in the scope:
    what is asked again is refused then, and never sees more."""
    if not isinstance(admit, Admission):
        return question
    return replace(question, scope=replace(question.scope, bounds={}))
